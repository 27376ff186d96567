package io.woodbird.cli.verb;

import io.woodbird.FrozenBuilder;
import io.woodbird.FrozenMapBuilder;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.HashedLines.Line;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/** Builds a map or an exact filter, which need more than keys: values, or other keys. */
final class ListBuild implements Closeable {
  /*
   * Core builds from hashes. If two lines contradict each other, it reads the lines again to name the
   * key in its message; only then the text of each line is made. Lines of a pipe are gone by then, and
   * the message has the hash.
   */
  private final FilterBuild base;
  private final Call call;
  private final List<Reading> opened = new ArrayList<>();

  ListBuild(FilterBuild base) {
    this.base = base;
    this.call = base.call();
  }

  /** Refuses what no map and no exact filter is made of, before anything is read. */
  static void check(Call call, String family, List<Source> sources) {
    for (String option : List.of("value-field", "combine", "no-check")) {
      requireFamily(call, family, "map", option);
    }
    requireFamily(call, family, "exact", "against");
    call.exclude("no-check", "fpp");
    if (List.of("map", "exact", "window").contains(family) && call.has("budget")) {
      throw Problem.CONFLICT.failure(
          "--family " + family + " and --budget exclude each other.",
          "Its size follows from its keys and from -p.",
          "-p P");
    }
    if (family.equals("exact")) {
      checkOthers(call, sources);
    }
    if (family.equals("map") && !call.has("value-field") && sources.size() < 2) {
      throw Problem.MISSING.failure(
          "a map needs a value for each line.",
          "It is a field of the line, or the number of its file if there are several.",
          "--csv --field host --value-field list",
          "woodbird build --family map -o lists.wbird spam.txt malware.txt");
    }
    if (family.equals("map") && !call.has("value-field") && sources.size() > 64) {
      throw Problem.TOO_MANY.failure(
          "a map of files takes at most 64 of them: " + sources.size(),
          "With --combine or, each has a bit of the value.",
          "--value-field N");
    }
  }

  private static void requireFamily(Call call, String family, String wanted, String option) {
    if (call.has(option) && !family.equals(wanted)) {
      throw Problem.CONFLICT.failure(
          "--" + option + " needs --family " + wanted + ".",
          "A " + family + " filter has no use for it.",
          "--family " + wanted);
    }
  }

  private static void checkOthers(Call call, List<Source> sources) {
    if (!call.has("against")) {
      throw Problem.MISSING.failure(
          "--family exact needs --against FILE.",
          "It is never wrong about the lines of that file.",
          "--against customers.txt",
          "--family ribbon (wrong at a rate, for any other key)");
    }
    boolean stdin = sources.stream().anyMatch(source -> source.path() == null);
    if (stdin && call.texts("against").contains("-")) {
      throw Problem.CONFLICT.failure(
          "stdin can't be both the lines and --against.", "It is read once.", "--against FILE");
    }
  }

  Built map() throws IOException {
    FrozenMapBuilder<Line> builder =
        Woodbird.frozenMap(HashedLines.asLines(base.keys().id()))
            .seed(base.order().seed())
            .memoryLimit(base.order().memory())
            .tempDir(base.order().folder())
            .onProgress(base::show);
    try {
      builder = call.has("no-check") ? builder.withoutCheck() : builder.fpp(base.order().fpp());
    } catch (IllegalArgumentException e) {
      throw Filters.impossible(Problem.BUDGET, e, "-p 1e-9");
    }
    String combine = call.text("combine");
    if (combine != null) {
      builder = builder.combine(operator(combine));
    }
    FrozenMapBuilder<Line> ready = builder;
    LongUnaryOperator ofFile = file -> "or".equals(combine) ? 1L << (file - 1) : file;
    Iterable<Map.Entry<Line, Long>> entries =
        twice(
            base::lines,
            base.sources(),
            (lines, i, named) -> Map.entry(lines.line(i, named), lines.value(i, ofFile)));
    return contradicted(
        () -> base.frozen(path -> ready.buildTo(path, entries), () -> ready.buildFrom(entries)),
        "--combine or (or min, max)");
  }

  private static LongBinaryOperator operator(String name) {
    return switch (name) {
      case "or" -> (a, b) -> a | b;
      case "min" -> (a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b;
      default -> (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b;
    };
  }

  Built exact() throws IOException {
    List<Source> others = Source.of(call.texts("against"));
    FrozenBuilder<Line> builder =
        Woodbird.frozen(HashedLines.asLines(base.keys().id()))
            .seed(base.order().seed())
            .memoryLimit(base.order().memory())
            .tempDir(base.order().folder())
            .onProgress(base::show)
            .exactAgainst(twice(() -> reading(others), others, HashedLines::line));
    if (call.has("fpp")) {
      try {
        builder.fpp(base.order().fpp());
      } catch (IllegalArgumentException e) {
        throw Filters.impossible(Problem.BUDGET, e, "-p 1e-9");
      }
    }
    Iterable<Line> keys = () -> base.lines().iterator(i -> base.lines().line(i, false));
    return contradicted(
        () -> base.frozen(path -> builder.buildTo(path, keys), () -> builder.buildFrom(keys)),
        "woodbird diff FILE OTHERS (the lines that are in one only)");
  }

  /** Makes a key or an entry of a line of the batch, with the text of the line if it is named. */
  private interface LineMaker<T> {
    T make(HashedLines lines, int index, boolean named);
  }

  /** Lines that are read once to build, and perhaps a second time to name one of them. */
  private <T> Iterable<T> twice(
      Supplier<HashedLines> first, List<Source> from, LineMaker<T> maker) {
    boolean[] read = new boolean[1];
    return () -> {
      boolean again = read[0];
      read[0] = true;
      if (again && !from.stream().allMatch(Source::rereadable)) {
        return Collections.emptyIterator();
      }
      HashedLines lines = again ? reading(from) : first.get();
      return lines.iterator(i -> maker.make(lines, i, again));
    };
  }

  private HashedLines reading(List<Source> from) {
    Reading reading = new Reading(call, from, base.format(), base.progress(), "reading");
    opened.add(reading);
    return new HashedLines(reading, base.keys(), base.order().seed());
  }

  private interface Building {
    Built run() throws IOException;
  }

  /** Says of two lines that can't both be true which they are. */
  private static Built contradicted(Building building, String... tries) throws IOException {
    try {
      return building.run();
    } catch (IllegalArgumentException e) {
      throw Problem.CONTRADICTION.failure(
          e, "the lines contradict each other.", String.valueOf(e.getMessage()), tries);
    }
  }

  /** Warns of what was odd in further files. */
  void warn() {
    opened.forEach(reading -> reading.warn(call.voice()));
  }

  @Override
  public void close() throws IOException {
    for (Reading reading : opened) {
      reading.close();
    }
  }
}
