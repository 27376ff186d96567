package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.FrozenMap;
import io.woodbird.key.Keys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The files under {@code spec/vectors/lists}, as this code makes them: maps and exact filters. Run
 * {@link #main} with the folder to write them anew, which is right only before a release:
 * afterwards they are the contract.
 *
 * @param file its name
 * @param shardBits said directly: only millions of keys would make a builder choose several shards
 * @param valueBits of a map, 0 for an exact filter
 * @param fpp 1 for a map that does not recognise strangers, and for the smallest exact filter
 * @param count how many keys are in: those with even numbers
 * @param others of an exact filter: those with odd numbers
 */
record ListGolden(String file, int shardBits, int valueBits, double fpp, int count, int others) {
  static final String INDEX = "index.jsonl";
  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final int LISTED = 48;

  static final List<ListGolden> ALL =
      List.of(
          new ListGolden("map-strings.wbird", 0, 3, 0.01, 1500, 0),
          new ListGolden("map-ternary-strings.wbird", 0, 1, 0.04, 10_000, 0),
          new ListGolden("map-unchecked-strings.wbird", 0, 5, 1, 1300, 0),
          new ListGolden("map-wide-strings.wbird", 0, 64, 1e-6, 40, 0),
          new ListGolden("map-shards-strings.wbird", 2, 2, 0.1, 4500, 0),
          new ListGolden("map-none-strings.wbird", 0, 8, 0.01, 0, 0),
          new ListGolden("exact-strings.wbird", 0, 0, 1, 1500, 20_000),
          new ListGolden("exact-few-strings.wbird", 0, 0, 1, 30, 4),
          new ListGolden("exact-strangers-strings.wbird", 0, 0, 0.001, 500, 3000),
          new ListGolden("exact-shards-strings.wbird", 2, 0, 1, 4500, 30_000),
          new ListGolden("exact-none-strings.wbird", 0, 0, 1, 0, 10));

  static Path folder() {
    return Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors", "lists");
  }

  private static String key(int i) {
    return i == 0 ? "crow" : i == 2 ? "" : "https://example.org/" + i;
  }

  private long value(int i) {
    return i * 0x9e37_79b9_7f4a_7c15L >>> (64 - valueBits);
  }

  Filter<String> build() throws IOException {
    BuildSettings<String> settings =
        new BuildSettings<>(Keys.strings(), SEED, 1, 1 << 20, null, true, null, shardBits);
    IntStream put = IntStream.range(0, count).map(i -> 2 * i);
    if (valueBits > 0) {
      return new MapBuild<>(settings, fpp, valueBits, null)
          .onHeap(put.mapToObj(i -> Map.entry(key(i), value(i))).iterator(), null);
    }
    List<String> known = IntStream.range(0, others).mapToObj(i -> key(2 * i + 1)).toList();
    return new ExactBuild<>(settings, fpp, known).onHeap(put.mapToObj(ListGolden::key).iterator());
  }

  byte[] bytes() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    build().writeTo(out);
    return out.toByteArray();
  }

  /** The line of the index, with the answers of a filter. */
  String line(Filter<String> filter) {
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < Math.max(LISTED, 2 * count); i++) {
      if (i == LISTED) { // Of the rest only the last.
        i = Math.max(i, 2 * (count - LISTED));
      }
      answers.add(
          String.format(
              Locale.ROOT,
              "{\"key\": \"%s\", \"hash\": \"%016x\", \"put\": %s, \"maybe\": %s%s}",
              key(i),
              filter.hashOf(key(i)),
              i % 2 == 0 && i / 2 < count,
              filter.mightContain(key(i)),
              valued(filter, key(i))));
    }
    return String.format(
        Locale.ROOT,
        "{\"file\": \"%s\", \"keys\": \"strings\", \"id\": \"%s\", \"secret\": null,"
            + " \"seed\": \"%016x\", \"expected\": %d, \"fpp\": %s, \"bytes\": %d,"
            + " \"answers\": [%s]}",
        file,
        Keys.strings().id(),
        SEED,
        count,
        filter.stats().promisedFpp(),
        filter.sizeInBytes(),
        String.join(", ", answers));
  }

  private static String valued(Filter<String> filter, String key) {
    if (!(filter instanceof FrozenMap<String> map)) {
      return "";
    }
    OptionalLong value = map.get(key);
    String text = value.isEmpty() ? "None" : Long.toUnsignedString(value.getAsLong());
    return ", \"value\": \"" + text + "\"";
  }

  /** Whether every key has its value, and none of the others is here. */
  boolean isRight(Filter<String> filter) {
    boolean right = true;
    for (int i = 0; i < count; i++) {
      right &= filter.mightContain(key(2 * i));
      if (filter instanceof FrozenMap<String> map) {
        right &= map.get(key(2 * i)).equals(OptionalLong.of(value(2 * i)));
      }
    }
    for (int i = 0; i < others; i++) {
      right &= !filter.mightContain(key(2 * i + 1));
    }
    return right;
  }

  static String index() throws IOException {
    StringBuilder index = new StringBuilder();
    for (ListGolden golden : ALL) {
      index.append(golden.line(golden.build())).append('\n');
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
    for (ListGolden golden : ALL) {
      Files.write(folder.resolve(golden.file), golden.bytes());
    }
    Files.writeString(folder.resolve(INDEX), index(), StandardCharsets.US_ASCII);
  }
}
