package io.woodbird.cli.verb;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code merge}: makes one filter that holds the keys of several. */
public final class MergeVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("merge", "merge filters of one shape")
        .arguments("FILTER FILTER...", 2, Integer.MAX_VALUE)
        .about(
            """
            Writes a filter that holds the keys of all. They must be bloom or bloom-classic filters of one
            size, seed and key encoding: build the first, then the others with --like FIRST. Memory: two of
            the filters. The union holds more keys; 'info' and the summary say what that does to the error.""")
        .options(
            Option.file("output", "the new filter file; - is stdout").letter('o'),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.flag("strict", "fail (exit 5) if the union is over its plan"),
            Option.flag("json", "one JSON object, schema woodbird.merge/1"))
        .example("woodbird merge eu.wbird us.wbird -o all.wbird", "the keys of both")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    List<Source> sources = Source.of(call.words());
    Target target = Target.of(call, null, sources);
    BloomFilter<ByteBuffer> union = null;
    FileHeader first = null;
    try (Progress progress = call.progress()) {
      progress.phase("merging", "filter");
      for (int i = 0; i < sources.size(); i++) {
        Stop.check();
        Path path = file(sources.get(i));
        FileHeader header = Filters.header(path);
        Filter<ByteBuffer> filter = Filters.load(path, header);
        if (!(filter instanceof BloomFilter<ByteBuffer> bloom)) {
          if (header.isBloom()) {
            throw Filters.patched(path);
          }
          throw Problem.WRONG_FAMILY.failure(
              path + " is a " + header.family() + " filter, which can't be merged.",
              "Only bloom and bloom-classic filters can be merged here.",
              "woodbird build --family bloom FILE...",
              "woodbird build FILE FILE (from the lines of both)");
        }
        if (union == null || first == null) {
          union = bloom;
          first = header;
        } else {
          addTo(union, bloom, sources, i, first, header);
        }
        progress.at(i + 1, i + 1, sources.size());
      }
    }
    finish(call, target, Objects.requireNonNull(union), sources.size());
    return ExitCode.DONE;
  }

  private static Path file(Source source) {
    Path path = source.path();
    if (path == null) {
      throw Problem.CANNOT_READ.failure(
          "'merge' reads files, not stdin.", "A filter is opened by its name.");
    }
    return path;
  }

  private static void addTo(
      BloomFilter<ByteBuffer> union,
      BloomFilter<ByteBuffer> other,
      List<Source> sources,
      int index,
      FileHeader first,
      FileHeader header) {
    try {
      union.union(other);
    } catch (IncompatibleFilterException e) {
      String a = sources.get(0).name();
      String b = sources.get(index).name();
      throw Problem.SHAPES_DIFFER.failure(
          e,
          a + " and " + b + " can't be merged: they have different shapes.",
          row(a, first, union.stats(), null) + "\n" + row(b, header, other.stats(), first),
          "woodbird build --like " + a + " ... (makes a filter that fits)");
    }
  }

  private static String row(
      String name, FileHeader header, FilterStats stats, @Nullable FileHeader first) {
    String differs =
        first == null
            ? ""
            : first.seed() != header.seed() ? "   <- the seed differs" : "   <- differs";
    return String.format(
        Locale.ROOT,
        "%-16s %s, %,d bits, seed %d, keys %s%s",
        name,
        stats.layout(),
        stats.bits(),
        header.seed(),
        header.keyId(),
        differs);
  }

  private static void finish(Call call, Target target, BloomFilter<ByteBuffer> union, int files)
      throws IOException {
    FilterStats stats = union.stats();
    Filters.checkPlan(
        call,
        "the union",
        stats,
        target.name() + " was not written.",
        "build both with a larger -n");
    target.write(call, union);
    if (call.has("json")) {
      target.report(
          call,
          Json.report("woodbird.merge/1")
              .put("file", target.name())
              .put("filters", files)
              .put("keys", stats.estimatedKeys())
              .put("bytes", union.sizeInBytes())
              .put("fpp", stats.currentFpp())
              .put("promisedFpp", stats.promisedFpp()));
    } else {
      call.say(
          "%s  %s merged, about %s, %s, %s wrong \"maybe\"",
          target.name(),
          Units.count(files, "filter"),
          Units.count(stats.estimatedKeys(), "key"),
          Units.bytes(union.sizeInBytes()),
          Units.chance(stats.currentFpp()));
    }
  }
}
