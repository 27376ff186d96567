package io.woodbird.cli.verb;

import io.woodbird.BloomBuilder;
import io.woodbird.BuildProgress;
import io.woodbird.DeletableBuilder;
import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.FilterFullException;
import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.FrozenBuilder;
import io.woodbird.GrowingBuilder;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.DistinctCount;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashSpool;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One build, from its lines to its file, which the caller has locked. */
record FilterBuild(
    Call call,
    BuildOrder order,
    List<Source> sources,
    Format format,
    HashedLines lines,
    KeyHasher<ByteBuffer> keys,
    Target target,
    Progress progress) {
  /*
   * Without -n the hashes are kept, eight bytes a line, until their number is known, so that the input
   * is read once and may be a pipe. A frozen filter keeps them in any case, a growing one never.
   *
   * A Bloom filter is sized by the number of distinct hashes, which a sketch estimates. One that keeps
   * a fingerprint of every put is sized by lines: a line that comes twice is in it twice. To leave out
   * the second would need proof that the first is the same key and not one with the same fingerprint.
   */

  /** Where more bits than this are set, they no longer say how many keys set them. */
  private static final double KNOWN_FILL = 0.99;

  /** A line that is there more often than this may take the room of others. */
  private static final int MANY = 64;

  private static final String WHAT_FITS = "woodbird plan -n N --budget SIZE (what fits)";

  /** Builds and writes the filter. A new family gets its case here, and its name in Family. */
  Built run() throws IOException {
    return switch (order.family()) {
      case "ribbon", "fuse" -> frozen();
      case "deletable", "counting" -> written(counted(this::deletable));
      case "growing" -> written(growing());
      case "window" -> written(counted(this::window));
      default -> written(counted(this::bloom));
    };
  }

  private MutableFilter<ByteBuffer> bloom(long count) {
    BloomBuilder<ByteBuffer> builder = Woodbird.bloom(keys, count).seed(order.seed());
    builder = order.budget() > 0 ? builder.maxBytes(order.budget()) : builder.fpp(order.fpp());
    if (order.family().equals("bloom-classic")) {
      builder = builder.classic();
    }
    return builder.build();
  }

  private MutableFilter<ByteBuffer> deletable(long count) {
    DeletableBuilder<ByteBuffer> builder = Woodbird.deletable(keys, count).seed(order.seed());
    if (order.family().equals("counting")) {
      builder = builder.counting();
    }
    return builder.fpp(order.budget() > 0 ? fppWithin(builder, count) : order.fpp()).build();
  }

  /** The lowest fpp that the budget gives, to one percent of it. */
  private double fppWithin(DeletableBuilder<ByteBuffer> builder, long count) {
    for (FilterPlan plan : Woodbird.plan(count).maxBytes(order.budget()).plans()) {
      // Of the sizes for an fpp, the largest that fits may be a step smaller than the budget.
      double fpp = plan.family().equals(order.family()) ? plan.fpp() : 1;
      for (; fpp < 1; fpp *= 1.01) {
        if (builder.fpp(fpp).plan().bytes() <= order.budget()) {
          return fpp;
        }
      }
    }
    throw new IllegalArgumentException(
        "%s can't hold %s in a %s filter"
            .formatted(Units.bytes(order.budget()), Units.count(count, "key"), order.family()));
  }

  /** The last {@code count} keys: time does not pass for a file. */
  private MutableFilter<ByteBuffer> window(long count) {
    return Woodbird.window(keys, count).seed(order.seed()).fpp(order.fpp()).build();
  }

  private MutableFilter<ByteBuffer> growing() throws IOException {
    MutableFilter<ByteBuffer> filter = made(this::growing, order.keys());
    lines.forEach((hashes, number) -> put(filter, hashes, number));
    return filter;
  }

  /** For the fpp to hold up to {@code count} keys; for any number of keys if it is 0. */
  private MutableFilter<ByteBuffer> growing(long count) {
    GrowingBuilder<ByteBuffer> builder = Woodbird.growing(keys).seed(order.seed());
    return (count > 0 ? builder.upTo(count) : builder).fpp(order.fpp()).build();
  }

  private MutableFilter<ByteBuffer> made(
      LongFunction<MutableFilter<ByteBuffer>> sized, long count) {
    try {
      return sized.apply(count);
    } catch (IllegalArgumentException e) {
      boolean limit = order.family().equals("growing") && order.keys() == 0;
      throw Filters.impossible(
          Problem.BUDGET, e, limit ? "-n N (the most keys it will ever hold)" : WHAT_FITS);
    }
  }

  /** Puts all lines into a filter of the size they need, or of the size that was asked for. */
  private MutableFilter<ByteBuffer> counted(LongFunction<MutableFilter<ByteBuffer>> sized)
      throws IOException {
    if (order.keys() > 0) {
      MutableFilter<ByteBuffer> filter = made(sized, order.keys());
      lines.forEach((hashes, number) -> put(filter, hashes, number));
      return filter;
    }
    try (HashSpool spool = new HashSpool(order.memory(), order.folder())) {
      DistinctCount distinct = new DistinctCount();
      lines.forEach(
          (hashes, number) -> {
            distinct.add(hashes, number);
            spool.add(hashes, number);
          });
      long count = order.counts() ? spool.count() : distinct.atMost(spool.count());
      while (true) {
        MutableFilter<ByteBuffer> filter = made(sized, Math.max(1, count));
        putAll(filter, spool);
        if (!order.family().equals("window") || hasAll(filter, spool)) {
          return filter;
        }
        count = Math.min(2 * count, spool.count()); // It was an estimate; there are no more.
      }
    }
  }

  private void putAll(MutableFilter<ByteBuffer> filter, HashSpool spool) throws IOException {
    progress.phase("building", "key");
    long[] done = {0};
    spool.forEach(
        (hashes, number) -> {
          Stop.check();
          putAll(filter, hashes, number, spool);
          done[0] += number;
          progress.at(done[0], done[0], spool.count());
        });
  }

  /** Whether a window still has every line, and forgot none for those that came later. */
  private static boolean hasAll(MutableFilter<ByteBuffer> filter, HashSpool spool)
      throws IOException {
    boolean[] all = {true};
    spool.forEach(
        (hashes, number) -> {
          Stop.check();
          all[0] &= filter.candidates(hashes, number, new int[number]) == number;
        });
    return all[0];
  }

  /**
   * Puts lines into a filter that has room for all of them, unless one takes the room of others.
   */
  private void putAll(MutableFilter<ByteBuffer> filter, long[] hashes, int number, HashSpool spool)
      throws IOException {
    if (!order.counts()) {
      filter.putHashes(hashes, number);
      return;
    }
    for (int i = 0; i < number; i++) {
      try {
        filter.putHash(hashes[i]);
      } catch (FilterFullException e) {
        throw crowded(e, spool, hashes[i]);
      }
    }
  }

  /** Says which line takes so much room that there is none for a hash. */
  private Failure crowded(FilterFullException e, HashSpool spool, long full) throws IOException {
    // Hashes that compete for room have the same first bits. Some 100,000 lines share these.
    int bits = 0;
    while (spool.count() >>> bits > 1 << 17) {
      bits++;
    }
    int shift = 63 - bits;
    Map<Long, Long> times = new HashMap<>();
    spool.forEach(
        (hashes, number) -> {
          Stop.check();
          for (int i = 0; i < number; i++) {
            if ((hashes[i] ^ full) >>> 1 >>> shift == 0) {
              times.merge(hashes[i], 1L, Long::sum);
            }
          }
        });
    Map.Entry<Long, Long> most = Collections.max(times.entrySet(), Map.Entry.comparingByValue());
    if (most.getValue() < MANY) { // Lines that are spread have room, but for the seed.
      return Filters.full(
          e, target.name() + " was not written.", "--seed N (another number)", "-n N (more)");
    }
    String text = text(most.getKey());
    return Problem.OVER_PLAN.failure(
        e,
        "a line is there so often that the others near it have no room.",
        "It is there %s: %s. %s was not written."
            .formatted(
                Units.count(most.getValue(), "time"),
                text == null
                    ? String.format(Locale.ROOT, "the line with hash 0x%016x", most.getKey())
                    : "\"" + text + "\"",
                target.name()),
        "sort -u (each line once)",
        "--family counting (it is never full)");
  }

  /** The line with a hash, or null: a pipe can't be read again. */
  private @Nullable String text(long hash) throws IOException {
    if (!sources.stream().allMatch(Source::rereadable)) {
      return null;
    }
    try (Reading again = new Reading(call, sources, format, progress, "reading")) {
      HashedLines named = new HashedLines(again, keys, order.seed());
      for (int count = named.next(); count > 0; count = named.next()) {
        for (int i = 0; i < count; i++) {
          if (named.hashes()[i] == hash) {
            return named.line(i, true).text();
          }
        }
      }
    }
    return null;
  }

  private void put(MutableFilter<ByteBuffer> filter, long[] hashes, int number) {
    try {
      filter.putHashes(hashes, number);
    } catch (FilterFullException e) {
      throw Filters.full(
          e,
          target.name() + " was not written.",
          "-n N (more than there are lines)",
          "sort -u (each line takes room)");
    }
  }

  private Built written(MutableFilter<ByteBuffer> filter) throws IOException {
    FilterStats stats = filter.stats();
    if (order.keys() > 0 && stats.estimatedKeys() > order.keys() && stats.overfull()) {
      overfull(stats, filter instanceof DeletableFilter);
    }
    progress.phase("writing", "byte");
    if (target.file() == null) {
      target.write(call, filter);
    } else {
      target.save(filter);
    }
    return Built.of(filter);
  }

  private void overfull(FilterStats stats, boolean counted) {
    boolean known = counted || stats.fill() < KNOWN_FILL;
    String what =
        "-n %s is too small: there are %s keys, and %s of absent keys are \"maybe\", not %s"
            .formatted(
                Units.count(order.keys()),
                known ? "about " + Units.count(stats.estimatedKeys()) : "far more",
                Units.chance(stats.currentFpp()),
                Units.chance(stats.promisedFpp()));
    String result = target.name() + " was not written.";
    String instead = "build without -n";
    if (known) {
      Filters.overPlan(call, what, result, "-n " + stats.estimatedKeys() * 11 / 10, instead);
    } else {
      Filters.overPlan(call, what, result, instead);
    }
  }

  /** Shows how far the build of a frozen filter is. Reading shows itself. */
  void show(BuildProgress at) {
    Stop.check();
    if (!at.phase().equals("reading")) {
      progress.phase(at.phase(), at.phase().equals("writing") ? "byte" : "key");
      progress.at(at.done(), at.done(), Math.max(0, at.total()));
    }
  }

  private Built frozen() throws IOException {
    FrozenBuilder<Long> builder =
        Woodbird.frozen(lines.asKeys(keys.id()))
            .seed(order.seed())
            .memoryLimit(order.memory())
            .tempDir(order.folder())
            .onProgress(this::show);
    FrozenBuilder<Long> chosen =
        order.family().equals("fuse") ? builder.fastToAsk() : builder.smallest();
    try {
      FrozenBuilder<Long> sized =
          order.budget() > 0 ? chosen.maxBytes(order.budget()) : chosen.fpp(order.fpp());
      return frozen(
          path -> sized.buildTo(path, lines.iterator()), () -> sized.buildFrom(lines.iterator()));
    } catch (IllegalArgumentException e) {
      throw Filters.impossible(Problem.BUDGET, e, WHAT_FITS);
    }
  }

  interface IntoFile {
    FilterPlan build(Path path) throws IOException;
  }

  /** Builds a frozen filter straight into the file, or on the heap for what is no file. */
  Built frozen(IntoFile intoFile, Supplier<? extends Filter<?>> onHeap) throws IOException {
    try {
      Path file = target.file();
      if (file == null) {
        Filter<?> filter = onHeap.get();
        target.write(call, filter);
        return Built.of(filter);
      }
      FilterPlan plan = intoFile.build(file);
      return new Built(plan.keys(), plan.fpp(), plan.fpp(), plan.bytes());
    } catch (IOException e) {
      target.blame(e);
      throw e;
    }
  }
}
