package io.woodbird.cli.verb;

import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyHasher;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code build}: makes a filter file from lines. */
public final class BuildVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("build", "make a filter file of lines")
        .arguments("[FILE...]", 0, Integer.MAX_VALUE)
        .about(
            """
            Each line is a key, byte for byte. Reads stdin without FILE or where FILE is -. Writes
            users.wbird for users.txt, or the file of -o. The file appears when it is whole; a symbolic
            link stays, and what it points to is replaced. Pipes and devices are written to.

            A UTF-8 byte order mark is part of the first line, with a warning, and no part of a field.

            Families: bloom (the default) takes keys at full speed and can be merged; ribbon (or frozen) is
            the smallest for a list that does not change, fuse is larger and faster to ask. From deletable and
            growing, keys can be removed: a line that comes twice is in them twice. growing needs no -n, and
            has room for any number of keys. bloom-classic and counting are the textbook ones. window keeps
            the last -n distinct lines, and forgets older ones as 'add' puts more. Without -n a bloom filter
            or a window is sized for the distinct lines, deletable and counting for all: give -n to have room
            for more. Memory: the filter itself, and at most --memory for hashes; more go to a temporary
            file, 8 bytes a line.

            map has a number for each line, which 'check' prints: the --value-field, or, of several FILEs,
            the number of its file (1, 2, 3; with --combine or a bit each: 1, 2, 4). A line with two values is
            an error, unless --combine says what its value is. exact is never wrong about the lines
            of --against, in few bits a key, even if they are many times more; -p is for all other keys.
            Lines of --against have the same form as those of FILE.""")
        .options(
            Option.file("output", "the filter file; - is stdout").letter('o'),
            Option.value(
                    "fpp", "P", "absent keys called \"maybe\": 0.1%, 1e-3, 1/1000 (default 1%)")
                .letter('p'),
            Option.value(
                    "keys",
                    "N",
                    "how many keys it must have room for (default: those that there are)")
                .letter('n'),
            Option.value("budget", "SIZE", "the most bytes of the file; the fpp is what they give"),
            Option.value("family", "NAME", "the kind of filter, see above (default bloom)")
                .choices(Family.CHOICES),
            Option.value(
                "value-field", "NAME|N", "of a map: which field is the value, from 0 to 2^64 - 1"),
            Option.value("combine", "HOW", "of a map: of two values of a line, take or, min or max")
                .choices("or", "min", "max"),
            Option.flag(
                "no-check", "of a map: smaller, but every key has a value, also absent ones"),
            Option.file("against", "of exact: lines that are certainly not here; - is stdin"),
            Option.value("seed", "N", "fix the hash function: same lines, same bytes"),
            Option.file(
                "like", "same family, size and seed as this filter, so that they can merge"),
            Option.value("memory", "SIZE", "for hashes while building (default 1GiB)"),
            Option.file("tmp", "the folder for temporary files"),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.flag("strict", "fail (exit 5) if there are more keys than -n"),
            Option.flag("json", "one JSON object, schema woodbird.build/1"))
        .options(Spec.KEYS)
        .options(Spec.INPUT)
        .example("woodbird build users.txt", "makes users.wbird; \"maybe\" for 1 % of absent keys")
        .example("zcat urls.gz | woodbird build -p 0.1% -o urls.wbird", "from a pipe")
        .example("woodbird build --family ribbon --budget 500MB bad.txt", "the best that fits")
        .example("woodbird build --family deletable -n 1M users.txt", "with room for a million")
        .example(
            "woodbird build --family map -o lists.wbird spam.txt bad.txt", "which list: 1 or 2")
        .example(
            "woodbird build --family exact --against customers.txt blocked.txt",
            "no customer is blocked by mistake")
        .example("woodbird build --csv --field email users.csv", "one column of a table")
        .example("woodbird build --like eu.wbird us.txt", "can be merged with eu.wbird")
        .build();
  }

  @Override
  @SuppressWarnings("try") // The lock is held, and not looked at.
  public int run(Call call) throws IOException {
    Format format = Format.of(call);
    List<Source> sources = Source.of(call.words());
    List<Source> inputs = new ArrayList<>(sources);
    if (call.has("against")) {
      inputs.addAll(Source.of(call.texts("against")));
    }
    Target target = Target.of(call, defaultName(sources), inputs);
    BuildOrder order = BuildOrder.of(call);
    ListBuild.check(call, order.family(), sources);
    KeyHasher<ByteBuffer> keys = LineKeys.of(call);
    sources.get(0).sayIfTyped(call);
    // From the beginning: what 'add' puts into the old file while lines are read would be lost.
    try (Closeable held = target.lock();
        Progress progress = call.progress();
        Reading reading = new Reading(call, sources, format, progress, "reading")) {
      HashedLines lines = new HashedLines(reading, keys, order.seed());
      FilterBuild build =
          new FilterBuild(call, order, sources, format, lines, keys, target, progress);
      Built built = run(build);
      progress.wipe();
      reading.warn(call.voice());
      if (reading.lines() == 0 && !call.has("keys")) {
        call.voice().warn("there was no line, so every key is \"not here\"");
      }
      report(call, target, order, reading.lines(), built, progress.seconds());
    }
    return ExitCode.DONE;
  }

  private static Built run(FilterBuild build) throws IOException {
    String family = build.order().family();
    if (!family.equals("map") && !family.equals("exact")) {
      return build.run();
    }
    try (ListBuild list = new ListBuild(build)) {
      Built built = family.equals("map") ? list.map() : list.exact();
      list.warn();
      return built;
    }
  }

  private static @Nullable String defaultName(List<Source> sources) {
    Path path = sources.size() == 1 ? sources.get(0).path() : null;
    boolean pipe =
        path != null
            && Files.exists(path)
            && !Files.isRegularFile(path)
            && !Files.isDirectory(path); // That can't be read, which is said later.
    if (path == null || path.getFileName() == null || pipe) {
      return null; // Not /dev/fd/63.wbird, of a shell's <(...).
    }
    String name = path.getFileName().toString();
    for (String suffix : List.of(".gz", ".zst")) {
      if (name.endsWith(suffix) && name.length() > suffix.length()) {
        name = name.substring(0, name.length() - suffix.length());
      }
    }
    int dot = name.lastIndexOf('.');
    return path.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".wbird").toString();
  }

  private static void report(
      Call call, Target target, BuildOrder order, long lines, Built built, double seconds)
      throws IOException {
    if (call.has("json")) {
      target.report(
          call,
          Json.report("woodbird.build/1")
              .put("file", target.name())
              .put("family", order.family())
              .put("lines", lines)
              .put("keys", built.keys())
              .put("bytes", built.bytes())
              .put("fpp", built.fpp())
              .put("promisedFpp", built.promisedFpp())
              .put("seed", order.seed())
              .put("seconds", seconds));
      return;
    }
    call.say(
        "%s  %s, %s, %s%s, %s, %s wrong \"maybe\", %s (%s lines/s)",
        target.name(),
        order.family(),
        Units.count(lines, "line"),
        order.exact() ? "" : "about ",
        Units.count(built.keys(), "key"),
        Units.bytes(built.bytes()),
        Units.chance(built.fpp()),
        Units.seconds(seconds),
        Units.rate(lines / Math.max(1e-3, seconds)));
  }
}
