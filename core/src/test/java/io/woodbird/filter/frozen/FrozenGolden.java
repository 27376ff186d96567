package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.layout.FrozenSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The files under {@code spec/vectors/frozen}, as this code makes them. Run {@link #main} with the
 * folder to write them anew, which is right only before a release: afterwards they are the
 * contract.
 *
 * @param <K> the type of the keys
 * @param file its name
 * @param layout ribbon or fuse
 * @param width the bits per slot of a fuse
 * @param fpp of a ribbon
 * @param shardBits said directly: only millions of keys would make a builder choose several shards
 * @param kind the kind of keys, {@code strings} or {@code longs}
 * @param keys hashes them
 * @param key makes the key with a number
 * @param count how many keys are in: those with even numbers
 */
record FrozenGolden<K>(
    String file,
    LayoutId layout,
    int width,
    double fpp,
    int shardBits,
    String kind,
    KeyHasher<K> keys,
    IntFunction<K> key,
    int count) {
  static final String INDEX = "index.jsonl";
  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final int LISTED = 48;

  static final List<FrozenGolden<?>> ALL =
      List.of(
          ribbonOfStrings("ribbon-strings.wbird", 0.01, 0, 1500),
          ribbonOfStrings("ribbon-few-strings.wbird", 1e-6, 0, 20),
          ribbonOfStrings("ribbon-none-strings.wbird", 0.01, 0, 0),
          ribbon("ribbon-shards-longs.wbird", 0.05, 2, FrozenGolden::number, 4500),
          ribbon("ribbon-ternary-longs.wbird", 0.04, 0, FrozenGolden::number, 10_000),
          ribbon("ribbon-crowded-longs.wbird", 0.1, 0, FrozenGolden::crowded, 1200),
          fuseOfStrings("fuse-strings.wbird", 8, 0, 300),
          fuseOfStrings("fuse-few-strings.wbird", 32, 0, 3),
          fuseOfStrings("fuse-none-strings.wbird", 8, 0, 0),
          // So many foreign keys pass that each bit of a slot, and each salt, counts.
          fuse("fuse-loose-longs.wbird", 1, 0, FrozenGolden::number, 200),
          fuse("fuse-shards-longs.wbird", 5, 2, FrozenGolden::number, 2000),
          // Many start alike, so that salts below 4 do not serve.
          fuse("fuse-crowded-longs.wbird", 13, 0, FrozenGolden::crowded, 200),
          // Found by trying: it is solved with salt 2.
          fuse("fuse-salted-longs.wbird", 8, 0, i -> number(i + 304_000), 20));

  private static FrozenGolden<String> ribbonOfStrings(
      String file, double fpp, int shardBits, int count) {
    return new FrozenGolden<>(
        file,
        LayoutId.RIBBON,
        FrozenSize.width(fpp),
        fpp,
        shardBits,
        "strings",
        Keys.strings(),
        FrozenGolden::string,
        count);
  }

  private static FrozenGolden<Long> ribbon(
      String file, double fpp, int shardBits, IntFunction<Long> key, int count) {
    int width = FrozenSize.width(fpp);
    return new FrozenGolden<>(
        file, LayoutId.RIBBON, width, fpp, shardBits, "longs", Keys.longs(), key, count);
  }

  private static FrozenGolden<String> fuseOfStrings(
      String file, int width, int shardBits, int count) {
    return new FrozenGolden<>(
        file,
        LayoutId.FUSE,
        width,
        Math.pow(2, -width),
        shardBits,
        "strings",
        Keys.strings(),
        FrozenGolden::string,
        count);
  }

  private static FrozenGolden<Long> fuse(
      String file, int width, int shardBits, IntFunction<Long> key, int count) {
    double fpp = Math.pow(2, -width);
    return new FrozenGolden<>(
        file, LayoutId.FUSE, width, fpp, shardBits, "longs", Keys.longs(), key, count);
  }

  private static String string(int i) {
    return i == 0 ? "crow" : i == 2 ? "" : "https://example.org/" + i;
  }

  private static long number(int i) {
    return i * 1_000_000_007L * (i % 4 < 2 ? 1 : -1);
  }

  /** The key whose hash is a small number: the finaliser of SplitMix64 backwards. */
  private static long crowded(int i) {
    long value = (i ^ (long) i >>> 31) * 0x319642b2d24d8ec3L;
    value = (value ^ value >>> 27 ^ value >>> 54) * 0x96de1b173f119089L;
    return (value ^ value >>> 30 ^ value >>> 60) - SEED;
  }

  /** Where the files lie, seen from the folder of this module. */
  static Path folder() {
    return Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors", "frozen");
  }

  byte[] bytes() throws IOException {
    long[] hashes =
        IntStream.range(0, count).mapToLong(i -> keys.hash(key.apply(2 * i), SEED)).toArray();
    List<Long> words = new ArrayList<>();
    long[] table = new long[ShardTable.ENTRY_WORDS << shardBits];
    double fppSum = 0;
    for (int shard = 0; shard < 1 << shardBits; shard++) {
      int number = shard;
      long[] own =
          Arrays.stream(hashes).filter(hash -> hash >>> 1 >>> (63 - shardBits) == number).toArray();
      int distinct = HashSort.sortDistinct(own, 0, own.length, shardBits, new long[own.length]);
      ShardSolver solver =
          layout == LayoutId.RIBBON
              ? new RibbonSolver(fpp, shardBits)
              : new FuseSolver(width, shardBits);
      ShardSolver.Shard solved = solver.solve(own, distinct, Long.MAX_VALUE);
      solved.entry()[ShardTable.START] = table.length + words.size();
      System.arraycopy(
          solved.entry(), 0, table, shard * ShardTable.ENTRY_WORDS, ShardTable.ENTRY_WORDS);
      Arrays.stream(solved.words()).forEach(words::add);
      fppSum += distinct * solved.fpp();
    }
    Header header =
        new Header(
            layout,
            SEED,
            keys.id(),
            count,
            count == 0 ? Math.pow(2, -width) : fppSum / count,
            count,
            8L * (table.length + words.size()),
            List.of((long) shardBits, (long) width));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileWriter.writeTo(
        header,
        (offset, target) -> {
          for (int word = (int) (offset / 8); target.hasRemaining(); word++) {
            target.putLong(word < table.length ? table[word] : words.get(word - table.length));
          }
        },
        out);
    return out.toByteArray();
  }

  /** What the builder makes of the same keys. */
  byte[] built() throws IOException {
    var builder = Woodbird.frozen(keys).seed(SEED).fpp(fpp);
    builder = layout == LayoutId.FUSE ? builder.fastToAsk() : builder.smallest();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    builder.buildFrom(IntStream.range(0, count).mapToObj(i -> key.apply(2 * i))).writeTo(out);
    return out.toByteArray();
  }

  /** The line of the index, with the answers of a filter. */
  String line(Filter<K> filter) {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < Math.max(LISTED, 2 * count); i++) {
      if (i == LISTED) { // Of the rest only the last.
        i = Math.max(i, 2 * (count - LISTED));
      }
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
        count,
        filter.stats().promisedFpp(),
        filter.sizeInBytes(),
        String.join(", ", answers));
  }

  private String line() throws IOException {
    return line(Woodbird.wrap(ByteBuffer.wrap(bytes()), keys));
  }

  static String index() throws IOException {
    StringBuilder index = new StringBuilder();
    for (FrozenGolden<?> golden : ALL) {
      index.append(golden.line()).append('\n');
    }
    return index.toString();
  }

  @Override
  public String toString() {
    return file;
  }

  /** Writes all files to the folder that is the only argument. */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    for (FrozenGolden<?> golden : ALL) {
      Files.write(folder.resolve(golden.file), golden.bytes());
    }
    Files.writeString(folder.resolve(INDEX), index(), StandardCharsets.US_ASCII);
  }
}
