package io.woodbird.cli.verb;

import io.woodbird.DeltaSummary;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.ScratchFile;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** {@code delta}: makes a small file that brings a filter up to date. */
public final class DeltaVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("delta", "make a small file that brings a filter up to date")
        .arguments("BASE NEW [OLD]", 2, 3)
        .about(
            """
            BASE is the filter that others have: a ribbon, fuse or bloom filter. NEW has all lines of the list
            as it is now, OLD those of the list that BASE was built from, or only those that were removed.
            'patch' lays the delta over BASE: then all lines of NEW are maybe here, whatever OLD was, and
            lines of OLD that are not in NEW are not here. Without OLD nothing is removed.

            A delta takes about 13 bits for each line that changed, and 1 KB. It is for this BASE only. It
            grows with all changes since, so build a new BASE when it is a few percent of it.""")
        .options(
            Option.file("output", "the delta").letter('o'),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.value("memory", "SIZE", "for hashes while building (default 1GiB)"),
            Option.file("tmp", "the folder for temporary files"),
            Option.flag("json", "one JSON object, schema woodbird.delta/1"),
            Option.file("secret", "the 16 bytes that the filter was built under"))
        .options(Spec.INPUT)
        .example(
            "woodbird delta block.wbird today.txt monday.txt -o today.wdelta",
            "block.wbird was built from monday.txt")
        .example("woodbird delta block.wbird today.txt -o today.wdelta", "only adds lines")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    Path base = Source.pathOf(call.words().get(0));
    FileHeader header = Filters.header(base);
    List<Source> sources = Source.of(call.words().subList(1, call.words().size()));
    for (Source source : sources) {
      requireLines(source, base);
    }
    List<Source> inputs = new ArrayList<>(sources);
    inputs.add(new Source(base.toString(), base));
    Path target = Target.of(call, null, inputs).requireFile(call);
    KeyHasher<ByteBuffer> keys = LineKeys.of(call, base, header.keyId());
    Format format = Format.of(call);
    List<Source> now = sources.subList(0, 1);
    List<Source> before = sources.subList(1, sources.size());
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, now, format, progress, "reading");
        Reading former = new Reading(call, before, format, progress, "reading")) {
      HashedLines lines = new HashedLines(reading, keys, header.seed());
      HashedLines old = new HashedLines(former, keys, header.seed());
      DeltaSummary summary =
          Woodbird.delta(base, lines.asKeys(keys.id()))
              .memoryLimit(BuildOrder.memory(call))
              .tempDir(ScratchFile.folder(call))
              .onProgress(at -> Stop.check())
              .buildTo(target, lines::iterator, old::iterator);
      progress.wipe();
      reading.warn(call.voice());
      former.warn(call.voice());
      report(call, target, base, summary, progress.seconds());
      return ExitCode.DONE;
    } catch (IncompatibleFilterException e) {
      throw new Failure(
          Problem.WRONG_FAMILY,
          e,
          base + " is a " + header.family() + " filter, which takes no delta.",
          String.valueOf(e.getMessage()),
          "woodbird build --family ribbon FILE...");
    }
  }

  /** Refuses a filter where lines are needed: it does not say which keys it has. */
  private static void requireLines(Source source, Path base) throws IOException {
    Path path = source.path();
    if (path == null || !Files.isRegularFile(path)) {
      return;
    }
    try (InputStream in = Files.newInputStream(path)) {
      if (FileHeader.isStartOfFilter(in.readNBytes(8))) {
        throw new Failure(
            Problem.WRONG_FAMILY,
            path + " is a filter file: a filter does not say which keys it has.",
            "A delta is made from the lines of the new list and of the old one.",
            "woodbird delta " + base + " NEW-LINES OLD-LINES -o today.wdelta");
      }
    } catch (IOException e) {
      throw Source.unreadable(path, e);
    }
  }

  private static void report(
      Call call, Path target, Path base, DeltaSummary summary, double seconds) throws IOException {
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.delta/1")
              .put("file", target.toString())
              .put("keys", summary.keys())
              .put("added", summary.added())
              .put("removed", summary.removed())
              .put("bytes", summary.bytes())
              .put("fpp", summary.fpp())
              .put("seconds", seconds));
      return;
    }
    call.say(
        "%s  %s added, %s removed, %s (%s of %s), %s",
        target,
        Units.count(summary.added()),
        Units.count(summary.removed()),
        Units.bytes(summary.bytes()),
        Units.chance((double) summary.bytes() / Files.size(base)),
        Objects.requireNonNull(base.getFileName()),
        Units.seconds(seconds));
  }
}
