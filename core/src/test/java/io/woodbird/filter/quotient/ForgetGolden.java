package io.woodbird.filter.quotient;

import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.CountingBloomFilter;
import io.woodbird.filter.window.WindowFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.layout.Growing;
import io.woodbird.layout.Quotient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * The files under {@code spec/vectors} of filters that forget keys or grow with them, as this code
 * makes them. Run {@link #main} with that folder to write them anew, which is right only before a
 * release: afterwards they are the contract.
 *
 * @param <K> the type of the keys
 * @param folder where it lies under {@code spec/vectors}
 * @param file its name
 * @param kind the kind of keys, {@code strings} or {@code longs}
 * @param keys hashes them
 * @param key makes the key with a number
 * @param count how many keys are put: those with even numbers, some of them more than once
 * @param forgotten how many of the first of them have left the window, or may have
 * @param empty makes the filter; its shape is said directly, as how sizes are chosen may change
 */
record ForgetGolden<K>(
    String folder,
    String file,
    String kind,
    KeyHasher<K> keys,
    IntFunction<K> key,
    int count,
    int forgotten,
    Empty empty) {
  /** Makes an empty filter. */
  interface Empty {
    /**
     * Makes it.
     *
     * @param puts how many keys have been put, for its clock
     */
    MutableFilter<?> make(FilterSpec<?> spec, LongSupplier puts);
  }

  static final List<String> FOLDERS = List.of("deletable", "growing", "window");
  static final String INDEX = "index.jsonl";
  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final double FPP = 0.01;
  private static final int LISTED = 48;

  static final List<ForgetGolden<?>> ALL =
      List.of(
          strings("quotient-strings.wbird", 300, quotient(0, 323, 7)),
          strings("quotient-few-strings.wbird", 3, quotient(0, 4, 7)),
          strings("quotient-none-strings.wbird", 0, quotient(0, 2, 1)),
          longs("quotient-wide-longs.wbird", ForgetGolden::number, 250, quotient(0, 260, 40)),
          longs("quotient-shards-longs.wbird", ForgetGolden::number, 600, quotient(2, 170, 5)),
          longs("quotient-crowded-longs.wbird", ForgetGolden::crowded, 430, quotient(0, 600, 9)),
          // One key fills so many slots that blocks behind it have an offset of 255 or more.
          longs("quotient-copies-longs.wbird", ForgetGolden::copied, 60, quotient(0, 600, 9)),
          strings("counting-strings.wbird", 300, counting(BlockShape.TWO_3, 7)),
          strings("counting-loose-strings.wbird", 700, counting(BlockShape.TWO_1, 5)),
          longs("counting-longs.wbird", ForgetGolden::number, 260, counting(BlockShape.FOUR_2, 9)),
          // Most keys have both blocks in one, so that some counters count twice.
          longs(
              "counting-pairs-longs.wbird",
              ForgetGolden::number,
              60,
              counting(BlockShape.PAIR_2, 2)),
          longs(
              "counting-wide-longs.wbird",
              ForgetGolden::number,
              70,
              counting(BlockShape.PAIR_3, 8)),
          strings("growing-strings.wbird", 300, growing(8)),
          strings("growing-few-strings.wbird", 3, growing(10)),
          strings("growing-none-strings.wbird", 0, growing(1)),
          longs("growing-wide-longs.wbird", ForgetGolden::number, 200, growing(50)),
          longs("growing-shards-longs.wbird", ForgetGolden::number, 260, shards(7)),
          // The first keys have no bits left, and are in two places or more.
          longs("growing-short-longs.wbird", ForgetGolden::number, 450, growing(2)),
          longs("growing-crowded-longs.wbird", ForgetGolden::crowded, 430, growing(9)),
          // One key fills so many slots that the shard has more of them than others of its size.
          longs("growing-copies-longs.wbird", ForgetGolden::number, 60, growing(9)),
          strings("window-strings.wbird", 300, window(BlockShape.TWO_3, 7, 6)).forgetting(262),
          strings("window-none-strings.wbird", 0, window(BlockShape.TWO_1, 1, 6)),
          strings("window-count-strings.wbird", 200, window(BlockShape.TWO_2, 5, 0)),
          longs("window-longs.wbird", ForgetGolden::number, 300, window(BlockShape.FOUR_2, 9, 6))
              .forgetting(262),
          longs(
                  "window-pairs-longs.wbird",
                  ForgetGolden::number,
                  90,
                  window(BlockShape.PAIR_3, 3, 15))
              .forgetting(62));

  private static ForgetGolden<String> strings(String file, int count, Empty empty) {
    return of(file, "strings", Keys.strings(), ForgetGolden::string, count, empty);
  }

  private static ForgetGolden<Long> longs(
      String file, IntFunction<Long> key, int count, Empty empty) {
    return of(file, "longs", Keys.longs(), key, count, empty);
  }

  private static <K> ForgetGolden<K> of(
      String file, String kind, KeyHasher<K> keys, IntFunction<K> key, int count, Empty empty) {
    String folder = FOLDERS.stream().filter(file::startsWith).findFirst().orElse(FOLDERS.get(0));
    return new ForgetGolden<>(folder, file, kind, keys, key, count, 0, empty);
  }

  private ForgetGolden<K> forgetting(int number) {
    return new ForgetGolden<>(folder, file, kind, keys, key, count, number, empty);
  }

  private static Empty quotient(int shardBits, int quotients, int remainderBits) {
    Quotient layout = new Quotient(shardBits, quotients, remainderBits);
    return (spec, puts) -> QuotientFilter.empty(spec, layout);
  }

  private static Empty counting(BlockShape shape, int blocks) {
    return (spec, puts) -> new CountingBloomFilter<>(spec, new BlockedBloom(blocks, shape));
  }

  private static Empty growing(int fingerprintBits) {
    return (spec, puts) -> new GrowingFilter<>(spec, new Growing(fingerprintBits));
  }

  /** As after some splits, but with few keys: three shards, of a half and of two quarters. */
  private static Empty shards(int fingerprintBits) {
    Growing layout = new Growing(fingerprintBits);
    return (spec, puts) ->
        new GrowingFilter<>(
            spec,
            layout,
            List.of(
                new GrowingShard(layout, 1, 6),
                new GrowingShard(layout, 2, 6),
                new GrowingShard(layout, 2, 7)),
            0);
  }

  /**
   * Every put takes some minutes, and every fiftieth three hours, so that generations leave before
   * others take their place; without minutes only the number of keys counts.
   */
  private static Empty window(BlockShape shape, int blocks, int minutes) {
    Generational layout = new Generational(new BlockedBloom(blocks, shape));
    long span = minutes == 0 ? 0 : Duration.ofHours(7).toNanos();
    return (spec, puts) ->
        window(
            spec,
            layout,
            span,
            () -> {
              long put = puts.getAsLong();
              return Duration.ofMinutes(put * minutes + (put + 1) / 50 * 180).toNanos();
            });
  }

  private static <K> WindowFilter<K> window(
      FilterSpec<K> spec, Generational layout, long span, LongSupplier nanos) {
    return new WindowFilter<>(spec, layout, span, nanos);
  }

  private static String string(int i) {
    return i == 0 ? "crow" : i == 2 ? "" : "https://example.org/" + i;
  }

  private static long number(int i) {
    return i * 1_000_000_007L * (i % 4 < 2 ? 1 : -1);
  }

  /** The key that is put many times has the first quotient, so that there is room behind it. */
  private static long copied(int i) {
    return i == 10 ? crowded(i) : number(i);
  }

  /** The key whose hash begins with a small number: the finaliser of SplitMix64 backwards. */
  private static long crowded(int i) {
    long hash = (long) i << 47;
    long value = (hash ^ hash >>> 31 ^ hash >>> 62) * 0x319642b2d24d8ec3L;
    value = (value ^ value >>> 27 ^ value >>> 54) * 0x96de1b173f119089L;
    return (value ^ value >>> 30 ^ value >>> 60) - SEED;
  }

  /** Where files lie, seen from the folder of this module. */
  static Path folder(String name) {
    return Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors", name);
  }

  Path path() {
    return folder(folder).resolve(file);
  }

  static List<ForgetGolden<?>> in(String folder) {
    return ALL.stream().filter(golden -> golden.folder.equals(folder)).toList();
  }

  private long expected() {
    return Math.max(1, count);
  }

  /** How often the key with twice this number is in: one so often that its counters stick. */
  private int times(int i) {
    return count < 20 || i % 4 != 1 || i > 20 ? 1 : i == 5 ? copies() : 2;
  }

  private int copies() {
    return file.contains("copies") ? 400 : 18;
  }

  @SuppressWarnings("unchecked")
  byte[] bytes() {
    AtomicLong puts = new AtomicLong();
    MutableFilter<K> filter =
        (MutableFilter<K>) empty.make(new FilterSpec<>(keys, SEED, expected(), FPP), puts::get);
    for (int i = 0; i < count; i++) {
      puts.incrementAndGet();
      filter.put(key.apply(2 * i));
      if (filter instanceof DeletableFilter<K> deletable) {
        for (int more = times(i) - 1; more > 0; more--) {
          filter.put(key.apply(2 * i));
        }
        filter.put(key.apply(2 * i + 1));
        deletable.remove(key.apply(2 * i + 1));
      }
    }
    puts.incrementAndGet();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      filter.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** The line of the index, with the answers of a filter. */
  String line(Filter<K> filter) {
    List<String> answers = new ArrayList<>();
    int first = 2 * Math.max(0, forgotten - LISTED / 4);
    for (int i = first; i < Math.max(first + LISTED, 2 * count); i++) {
      if (i == first + LISTED) { // Of the rest only the last, which may be in other places.
        i = Math.max(i, 2 * (count - LISTED));
      }
      K asked = key.apply(i);
      answers.add(
          String.format(
              Locale.ROOT,
              "{\"key\": \"%s\", \"hash\": \"%016x\", \"put\": %s, \"maybe\": %s}",
              asked,
              filter.hashOf(asked),
              i % 2 == 0 && i / 2 < count && i / 2 >= forgotten,
              filter.mightContain(asked)));
    }
    return String.format(
        Locale.ROOT,
        "{\"file\": \"%s\", \"keys\": \"%s\", \"id\": \"%s\", \"secret\": null, \"seed\":"
            + " \"%016x\", \"expected\": %d, \"fpp\": %s, \"bytes\": %d, \"answers\": [%s]}",
        file,
        kind,
        keys.id(),
        SEED,
        expected(),
        FPP,
        filter.sizeInBytes(),
        String.join(", ", answers));
  }

  @Override
  public String toString() {
    return file;
  }

  /** Writes all files to the folder that is the only argument. */
  public static void main(String[] args) throws IOException {
    for (String name : FOLDERS) {
      Path folder = Files.createDirectories(Path.of(args[0], name));
      StringBuilder index = new StringBuilder();
      for (ForgetGolden<?> golden : in(name)) {
        Files.write(folder.resolve(golden.file), golden.bytes());
        index.append(golden.line()).append('\n');
      }
      Files.writeString(folder.resolve(INDEX), index, StandardCharsets.US_ASCII);
    }
  }

  String line() throws IOException {
    return line(Woodbird.wrap(ByteBuffer.wrap(bytes()), keys));
  }
}
