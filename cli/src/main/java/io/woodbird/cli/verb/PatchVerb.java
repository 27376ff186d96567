package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code patch}: applies a delta. */
public final class PatchVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("patch", "bring a filter up to date with a delta")
        .arguments("BASE DELTA", 2, 2)
        .about(
            """
            Writes a filter that answers for the new list: BASE as it is, with the delta laid over it. If BASE
            was patched before, the new delta takes the place of the old one; a delta is always for the filter
            that was built, not for the patched one. A delta that was made between two filter files makes the
            second one of the first. The result is the same bytes everywhere. BASE is
            replaced when the new file is whole, or stays; with -o the result is another file.

            With --key both must be signed by that key, or by one of several, and so is the result.""")
        .options(
            Option.file("output", "the new filter file").letter('o'),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.file("key", "the public key that must have signed both, PEM").letter('k'),
            Option.flag("json", "one JSON object, schema woodbird.patch/1"))
        .example("woodbird patch block.wbird today.wdelta", "brings block.wbird up to date")
        .example("woodbird patch old.wbird today.wdelta -o new.wbird", "leaves old.wbird alone")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    Path base = Source.pathOf(call.words().get(0));
    Path delta = Source.pathOf(call.words().get(1));
    Filters.header(base);
    FileHeader header = Filters.fileHeader(delta);
    if (!header.isDelta()) {
      throw Problem.WRONG_FAMILY.failure(
          delta + " is a " + header.family() + " filter, and no delta.",
          "",
          "woodbird delta " + base + " NEW-LINES OLD-LINES -o today.wdelta");
    }
    Path target = SignVerb.copy(call, base, delta);
    SignedFilters trusted = Signers.trusted(call);
    try {
      SignVerb.writing(
          target,
          () -> {
            if (trusted == null) {
              Woodbird.patch(base, delta, target);
            } else {
              trusted.patch(base, delta, target);
            }
          });
    } catch (IncompatibleFilterException e) {
      throw Problem.OTHER_BASE.failure(
          e,
          delta + " is not for " + base + ".",
          String.valueOf(e.getMessage()),
          "the filter that the delta was made from");
    } catch (CorruptFilterException e) {
      boolean ofDelta = String.valueOf(e.getMessage()).startsWith("the delta");
      throw Filters.damaged(ofDelta ? delta : base, e);
    }
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.patch/1")
              .put("file", target.toString())
              .put("keys", header.keyCount())
              .put("bytes", Files.size(target))
              .put("deltaBytes", Files.size(delta))
              .put("fpp", header.promisedFpp()));
    } else {
      call.say(
          "%s  %s%s, %s wrong \"maybe\"",
          call.text("output", base.toString()),
          // Some filters don't count their keys.
          header.keyCount() == 0 && header.isDifference()
              ? ""
              : Units.count(header.keyCount(), "key") + ", ",
          Units.bytes(Files.size(target)),
          Units.chance(header.promisedFpp()));
    }
    return ExitCode.DONE;
  }
}
