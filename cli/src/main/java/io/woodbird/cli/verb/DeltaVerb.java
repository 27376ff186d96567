package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.DeltaBuilder;
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
            grows with all changes since, so build a new BASE when it is a few percent of it.

            NEW may also be a filter file, such as a growing or deletable one after 'add' and 'remove'. Then
            'patch' makes NEW of BASE, byte for byte, with its signature. Frozen filters (ribbon, fuse, map,
            exact) change as a whole with any line, so a pair of them is refused.""")
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
        .example("woodbird delta old.wbird new.wbird -o today.wdelta", "makes new of old")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    Path base = Source.pathOf(call.words().get(0));
    FileHeader header = Filters.header(base);
    List<Source> sources = Source.of(call.words().subList(1, call.words().size()));
    List<Source> inputs = new ArrayList<>(sources);
    inputs.add(new Source(base.toString(), base));
    Path first = sources.get(0).path();
    if (sources.size() == 1 && first != null && isFilter(first)) {
      return between(call, base, first, inputs);
    }
    for (Source source : sources) {
      requireLines(source, base);
    }
    if (sources.size() > 1 && sources.stream().allMatch(source -> source.path() == null)) {
      throw call.spec().misuse(Problem.CONFLICT, "stdin is one list: NEW or OLD is a file.");
    }
    Path target = target(call, inputs);
    KeyHasher<ByteBuffer> keys = LineKeys.of(call, base, header.keyId());
    Format format = Format.of(call);
    List<Source> now = sources.subList(0, 1);
    List<Source> before = sources.subList(1, sources.size());
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, now, format, progress, "reading");
        Reading former = new Reading(call, before, format, progress, "reading")) {
      HashedLines lines = new HashedLines(reading, keys, header.seed());
      HashedLines old = new HashedLines(former, keys, header.seed());
      DeltaBuilder.Summary summary =
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
      throw Problem.WRONG_FAMILY.failure(
          e,
          base + " takes no delta from lines.",
          String.valueOf(e.getMessage()),
          header.isFrozen()
              ? "woodbird build --family ribbon FILE..."
              : "woodbird delta " + base + " NEW.wbird -o today.wdelta");
    }
  }

  /** Makes a delta between two filter files. */
  private static int between(Call call, Path base, Path now, List<Source> inputs)
      throws IOException {
    Filters.header(now);
    Path target = target(call, inputs);
    try (Progress progress = call.progress()) {
      long bytes = Woodbird.delta(base, now, target);
      if (call.has("json")) {
        call.print(
            Json.report("woodbird.delta/1")
                .put("file", target.toString())
                .put("bytes", bytes)
                .put("seconds", progress.seconds()));
      } else {
        call.say(
            "%s  %s", call.text("output", target.toString()), size(bytes, now, progress.seconds()));
      }
      return ExitCode.DONE;
    } catch (IncompatibleFilterException e) {
      throw Problem.WRONG_FAMILY.failure(
          e,
          "there is no small delta from " + base + " to " + now + ".",
          String.valueOf(e.getMessage()),
          "woodbird delta " + base + " NEW-LINES OLD-LINES -o today.wdelta",
          "ship " + now + " itself");
    } catch (CorruptFilterException e) {
      boolean ofNew = String.valueOf(e.getMessage()).startsWith(now + ": ");
      throw Filters.damaged(ofNew ? now : base, e);
    }
  }

  private static String size(long bytes, Path file, double seconds) throws IOException {
    return String.format(
        "%s (%s of %s), %s",
        Units.bytes(bytes),
        Units.chance((double) bytes / Files.size(file)),
        Objects.requireNonNull(file.getFileName()),
        Units.seconds(seconds));
  }

  private static boolean isFilter(Path path) throws IOException {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(path)) {
      return FileHeader.isStartOfFilter(in.readNBytes(8));
    } catch (IOException e) {
      throw Source.unreadable(path, e);
    }
  }

  private static Path target(Call call, List<Source> inputs) throws IOException {
    if (!call.has("output")) {
      throw Problem.MISSING.failure(
          "'delta' needs -o FILE.",
          "Nothing says what the delta should be called.",
          "-o today.wdelta");
    }
    return Target.of(call, null, inputs).requireFile(call);
  }

  /** Refuses a filter where lines are needed: it does not say which keys it has. */
  private static void requireLines(Source source, Path base) throws IOException {
    Path path = source.path();
    if (path != null && isFilter(path)) {
      throw Problem.WRONG_FAMILY.failure(
          path + " is a filter file: a filter does not say which keys it has.",
          "A delta is made from lines, all of the new list and those of the old one, or from two filters.",
          "woodbird delta " + base + " NEW-LINES OLD-LINES -o today.wdelta",
          "woodbird delta " + base + " NEW.wbird -o today.wdelta");
    }
  }

  private static void report(
      Call call, Path target, Path base, DeltaBuilder.Summary summary, double seconds)
      throws IOException {
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
        "%s  %s added, %s removed, %s",
        call.text("output", target.toString()),
        Units.count(summary.added()),
        Units.count(summary.removed()),
        size(summary.bytes(), base, seconds));
  }
}
