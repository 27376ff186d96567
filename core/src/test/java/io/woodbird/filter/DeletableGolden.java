package io.woodbird.filter;

import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Quotient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The files under {@code spec/vectors/deletable}, as this code makes them. Run {@link #main} with
 * the folder to write them anew, which is right only before a release: afterwards they are the
 * contract.
 *
 * @param <K> the type of the keys
 * @param file its name
 * @param kind the kind of keys, {@code strings} or {@code longs}
 * @param keys hashes them
 * @param key makes the key with a number
 * @param count how many keys are in: those with even numbers, some of them more than once
 * @param empty makes the filter; its shape is said directly, as how sizes are chosen may change
 */
record DeletableGolden<K>(
    String file,
    String kind,
    KeyHasher<K> keys,
    IntFunction<K> key,
    int count,
    Function<Setup<K>, DeletableFilter<K>> empty) {
  static final String INDEX = "index.jsonl";
  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final double FPP = 0.01;
  private static final int LISTED = 48;

  static final List<DeletableGolden<?>> ALL =
      List.of(
          strings("quotient-strings.wbird", 300, quotient(0, 323, 7)),
          strings("quotient-few-strings.wbird", 3, quotient(0, 4, 7)),
          strings("quotient-none-strings.wbird", 0, quotient(0, 2, 1)),
          longs("quotient-wide-longs.wbird", DeletableGolden::number, 250, quotient(0, 260, 40)),
          longs("quotient-shards-longs.wbird", DeletableGolden::number, 600, quotient(2, 170, 5)),
          longs("quotient-crowded-longs.wbird", DeletableGolden::crowded, 430, quotient(0, 600, 9)),
          strings("counting-strings.wbird", 300, counting(BlockShape.TWO_3, 7)),
          strings("counting-loose-strings.wbird", 700, counting(BlockShape.TWO_1, 5)),
          longs(
              "counting-longs.wbird", DeletableGolden::number, 260, counting(BlockShape.FOUR_2, 9)),
          // Most keys have both blocks in one, so that some counters count twice.
          longs(
              "counting-pairs-longs.wbird",
              DeletableGolden::number,
              60,
              counting(BlockShape.PAIR_2, 2)),
          longs(
              "counting-wide-longs.wbird",
              DeletableGolden::number,
              70,
              counting(BlockShape.PAIR_3, 8)));

  private static DeletableGolden<String> strings(
      String file, int count, Function<Setup<?>, DeletableFilter<?>> empty) {
    return of(file, "strings", Keys.strings(), DeletableGolden::string, count, empty);
  }

  private static DeletableGolden<Long> longs(
      String file, IntFunction<Long> key, int count, Function<Setup<?>, DeletableFilter<?>> empty) {
    return of(file, "longs", Keys.longs(), key, count, empty);
  }

  @SuppressWarnings("unchecked")
  private static <K> DeletableGolden<K> of(
      String file,
      String kind,
      KeyHasher<K> keys,
      IntFunction<K> key,
      int count,
      Function<Setup<?>, DeletableFilter<?>> empty) {
    return new DeletableGolden<>(
        file, kind, keys, key, count, setup -> (DeletableFilter<K>) empty.apply(setup));
  }

  private static Function<Setup<?>, DeletableFilter<?>> quotient(
      int shardBits, int quotients, int remainderBits) {
    Quotient layout = new Quotient(shardBits, quotients, remainderBits);
    return setup -> QuotientFilter.empty(setup, layout);
  }

  private static Function<Setup<?>, DeletableFilter<?>> counting(BlockShape shape, int blocks) {
    return setup -> new CountingBloomFilter<>(setup, new BlockedBloom(blocks, shape));
  }

  private static String string(int i) {
    return i == 0 ? "crow" : i == 2 ? "" : "https://example.org/" + i;
  }

  private static long number(int i) {
    return i * 1_000_000_007L * (i % 4 < 2 ? 1 : -1);
  }

  /** The key whose hash begins with a small number: the finaliser of SplitMix64 backwards. */
  private static long crowded(int i) {
    long hash = (long) i << 47;
    long value = (hash ^ hash >>> 31 ^ hash >>> 62) * 0x319642b2d24d8ec3L;
    value = (value ^ value >>> 27 ^ value >>> 54) * 0x96de1b173f119089L;
    return (value ^ value >>> 30 ^ value >>> 60) - SEED;
  }

  /** Where the files lie, seen from the folder of this module. */
  static Path folder() {
    return Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors", "deletable");
  }

  private long expected() {
    return Math.max(1, count);
  }

  /** How often the key with twice this number is in: one so often that its counters stick. */
  private int times(int i) {
    return count < 20 || i % 4 != 1 || i > 20 ? 1 : i == 5 ? 18 : 2;
  }

  byte[] bytes() {
    DeletableFilter<K> filter = empty.apply(new Setup<>(keys, SEED, expected(), FPP));
    for (int i = 0; i < count; i++) {
      for (int left = times(i); left > 0; left--) {
        filter.put(key.apply(2 * i));
      }
      filter.put(key.apply(2 * i + 1));
      filter.remove(key.apply(2 * i + 1));
    }
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
    for (int i = 0; i < LISTED; i++) {
      K asked = key.apply(i);
      answers.add(
          String.format(
              Locale.ROOT,
              "{\"key\": \"%s\", \"hash\": \"%016x\", \"put\": %s, \"maybe\": %s}",
              asked,
              filter.hashOf(asked),
              i % 2 == 0 && i / 2 < count,
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
    Path folder = Files.createDirectories(Path.of(args[0]));
    StringBuilder index = new StringBuilder();
    for (DeletableGolden<?> golden : ALL) {
      Files.write(folder.resolve(golden.file), golden.bytes());
      index.append(golden.line()).append('\n');
    }
    Files.writeString(folder.resolve(INDEX), index, StandardCharsets.US_ASCII);
  }

  String line() throws IOException {
    return line(Woodbird.wrap(ByteBuffer.wrap(bytes()), keys));
  }
}
