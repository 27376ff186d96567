package io.woodbird.cli.verb;

import io.woodbird.FilterStats;
import io.woodbird.MappedFilter;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.cli.lines.FileFacts;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** {@code info}: everything about a filter file, in milliseconds. */
public final class InfoVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("info", "say everything about a filter file")
        .arguments("FILTER...", 1, Integer.MAX_VALUE)
        .about(
            """
            Opens the file memory-mapped and looks at its header and at a sample of its bits. The number
            of keys of a bloom filter is an estimate from the share of bits set; frozen filters know it.
            Exit code 5 with --strict if a filter holds more keys than planned.""")
        .options(
            Option.flag("strict", "fail (exit 5) if a filter is over its plan"),
            Option.flag("json", "one JSON object a file, schema woodbird.info/1"))
        .example("woodbird info seen.wbird", "size, keys, error now and promised")
        .example("woodbird info --json *.wbird", "for programs")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    int code = ExitCode.DONE;
    for (String word : call.words()) {
      Path path = Source.pathOf(word);
      FileFacts facts = FileFacts.read(path);
      if (facts.isScheme()) {
        scheme(call, path, facts);
        continue;
      }
      try (MappedFilter<ByteBuffer> filter = Filters.look(path, facts)) {
        FilterStats stats = filter.stats();
        Look look = new Look(path, facts, stats, filter.sizeInBytes(), journals(path));
        if (call.has("json")) {
          call.print(json(look));
        } else {
          print(call, look);
        }
        if (!stats.doubts().isEmpty()) {
          code = ExitCode.DAMAGED;
        } else if (call.has("strict") && over(stats) && code == ExitCode.DONE) {
          code = io.woodbird.cli.say.Problem.OVER_PLAN.exitCode();
        }
      }
    }
    return code;
  }

  /** A filter of a well-known scheme says less. */
  private static void scheme(Call call, Path path, FileFacts facts) throws IOException {
    ClassicFilter filter = Filters.scheme(path);
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.info/1")
              .put("file", path.toString())
              .put("family", facts.family())
              .put("layout", filter.toString())
              .put("bytes", Files.size(path))
              .put("bits", filter.bits())
              .put("hashes", filter.hashes())
              .put("fill", filter.fill())
              .put("format", facts.major() + "." + facts.minor())
              .put("doubts", List.of()));
      return;
    }
    call.print(path);
    line(call, "family", facts.family() + ", converted from another library");
    line(call, "size", Units.bytes(Files.size(path)));
    line(call, "bits", filter.toString());
    line(call, "state", "whole");
  }

  private record Look(
      Path path, FileFacts facts, FilterStats stats, long bytes, List<String> journals) {}

  /** The journals beside a filter that {@code new} has open, or that a crash left. */
  private static List<String> journals(Path path) throws IOException {
    List<String> found = new ArrayList<>();
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .map(file -> "" + file.getFileName())
            .filter(name -> name.startsWith(path.getFileName() + ".journal"))
            .sorted()
            .forEach(found::add);
      }
    }
    return found;
  }

  /** More keys than planned, beyond what an estimate may be off by. */
  private static boolean over(FilterStats stats) {
    return stats.overfull() && stats.estimatedKeys() > stats.expectedKeys() * 1.01;
  }

  private static double load(FilterStats stats) {
    return stats.expectedKeys() == 0 ? 0 : (double) stats.estimatedKeys() / stats.expectedKeys();
  }

  private static void print(Call call, Look look) throws IOException {
    FileFacts facts = look.facts;
    FilterStats stats = look.stats;
    String about = facts.isBloom() ? "about " : "";
    call.print(look.path);
    line(call, "family", facts.family() + " (" + stats.layout() + ")");
    line(
        call,
        "size",
        Units.bytes(look.bytes)
            + String.format(
                Locale.ROOT,
                ", %.2f bits a planned key",
                stats.expectedKeys() == 0 ? 0 : (double) stats.bits() / stats.expectedKeys()));
    line(
        call,
        "keys",
        about
            + Units.count(stats.estimatedKeys())
            + (facts.isBloom()
                ? " of "
                    + Units.count(stats.expectedKeys())
                    + " planned, load "
                    + Math.round(100 * load(stats))
                    + " %"
                : ", all of them: it takes no more"));
    line(
        call,
        "error",
        "now "
            + Units.chance(stats.currentFpp())
            + ", promised "
            + Units.chance(stats.promisedFpp())
            + (over(stats) ? "  ! over the plan" : ""));
    line(call, "hash", facts.keyId() + ", seed " + facts.seed());
    line(call, "format", facts.major() + "." + facts.minor() + ", little-endian");
    line(
        call,
        "state",
        (stats.doubts().isEmpty()
                ? "header whole; pages are checked when used, all of them by 'verify'"
                : "damaged: " + String.join("; ", stats.doubts()))
            + (look.journals.isEmpty()
                ? ""
                : "; " + look.journals.size() + " journal beside it: open, or not closed cleanly"));
    if (over(stats)) {
      line(
          call,
          "advice",
          "build it again with -n " + Math.round(1.2 * stats.estimatedKeys()) + " or more");
    }
  }

  private static void line(Call call, String name, String text) throws IOException {
    call.print(String.format(Locale.ROOT, "  %-8s %s", name, text));
  }

  private static Json json(Look look) {
    FilterStats stats = look.stats;
    return Json.report("woodbird.info/1")
        .put("file", look.path.toString())
        .put("family", look.facts.family())
        .put("layout", stats.layout())
        .put("bytes", look.bytes)
        .put("bits", stats.bits())
        .put("keys", stats.estimatedKeys())
        .put("keysExact", !look.facts.isBloom())
        .put("capacity", stats.expectedKeys())
        .put("load", load(stats))
        .put("fill", stats.fill())
        .put("fpp", new Json().put("promised", stats.promisedFpp()).put("now", stats.currentFpp()))
        .put("overPlan", over(stats))
        .put("keyEncoding", look.facts.keyId())
        .put("seed", Long.toString(look.facts.seed()))
        .put("format", look.facts.major() + "." + look.facts.minor())
        .put("journals", look.journals)
        .put("doubts", stats.doubts());
  }
}
