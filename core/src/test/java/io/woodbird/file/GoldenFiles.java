package io.woodbird.file;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.ClassicBloom;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The files under {@code spec/vectors}, as this code makes them. Run {@link #main} to write them
 * anew, which is right only before a release: afterwards they are the contract.
 */
final class GoldenFiles {
  static final String INDEX = "index.jsonl";
  static final String HASHES = "hashes.jsonl";
  static final String JOURNAL = "journal.bin";

  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final int LISTED = 48;
  private static final byte[] SECRET = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");

  private GoldenFiles() {}

  /** Where the files lie, seen from the folder of this module. */
  static Path folder() {
    return Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors");
  }

  /** A layout in a size that gives a small file, said directly: how sizes are chosen may change. */
  record Layout(String name, BloomShape shape, long expectedKeys, double fpp) {
    static Layout blocked(String name, BlockShape shape, long blocks, long keys, double fpp) {
      return new Layout(name, new BloomShape.Blocked(new BlockedBloom(blocks, shape)), keys, fpp);
    }

    static Layout classic(String name, int hashes, long bits, long keys, double fpp) {
      return new Layout(name, new BloomShape.Classic(new ClassicBloom(bits, hashes)), keys, fpp);
    }
  }

  static final List<Layout> LAYOUTS =
      List.of(
          Layout.blocked("two1", BlockShape.TWO_1, 5, 900, 0.3),
          Layout.blocked("two2", BlockShape.TWO_2, 6, 400, 0.05),
          Layout.blocked("two3", BlockShape.TWO_3, 7, 300, 0.01),
          // More than a page of data, so that page numbers count.
          Layout.blocked("four2", BlockShape.FOUR_2, 81, 2500, 0.003),
          Layout.blocked("pairtwo3", BlockShape.PAIR_TWO_3, 9, 250, 3e-4),
          Layout.blocked("pair2", BlockShape.PAIR_2, 9, 200, 1e-5),
          Layout.blocked("pair3", BlockShape.PAIR_3, 11, 100, 1e-8),
          // So full that each bit of a key decides some answers.
          Layout.blocked("four2-full", BlockShape.FOUR_2, 9, 1130, 0.3),
          Layout.blocked("pair3-full", BlockShape.PAIR_3, 11, 700, 0.3),
          Layout.classic("classic", 4, 1344, 200, 0.05),
          Layout.classic("classic-pages", 10, 36416, 2500, 1e-3));

  /** Keys of one kind: numbers become keys, keys become text. */
  record Kind<K>(String name, KeyHasher<K> keys, IntFunction<K> key, Function<K, String> text) {}

  static final List<Kind<?>> KINDS =
      List.of(
          new Kind<>("strings", Keys.strings(), GoldenFiles::string, text -> text),
          new Kind<>("longs", Keys.longs(), GoldenFiles::number, String::valueOf),
          new Kind<>("uuids", Keys.uuids(), GoldenFiles::uuid, UUID::toString),
          new Kind<>("keyed-strings", keyed().strings(), GoldenFiles::string, text -> text),
          new Kind<>("keyed-longs", keyed().longs(), GoldenFiles::number, String::valueOf),
          new Kind<>("keyed-uuids", keyed().uuids(), GoldenFiles::uuid, UUID::toString));

  private static Keys.Keyed keyed() {
    return Keys.keyed(SECRET);
  }

  /** Strings of all lengths that the hash treats differently, and of all forms of UTF-8. */
  private static String string(int i) {
    List<String> corners =
        List.of(
            "",
            "a",
            "ab",
            "crow",
            "\u00e9t\u00e9",
            "\u6728\u9e1f",
            "\ud83d\udc26",
            "x\ud800y",
            "\0");
    if (i < 2 * corners.size()) {
      return i % 2 == 0 ? corners.get(i / 2) : corners.get(i / 2) + i;
    }
    return "https://example.org/" + i + "/deep".repeat(i % 9 == 0 ? i % 50 : 1);
  }

  private static long number(int i) {
    long[] corners = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MIN_VALUE};
    if (i < 2 * corners.length) {
      return i % 2 == 0 ? corners[i / 2] : corners[i / 2] ^ 1000 + i;
    }
    return new SplittableRandom(i).nextLong() >>> i % 40;
  }

  private static UUID uuid(int i) {
    return new UUID(number(i), ~number(i + 100) * i);
  }

  /** One golden file: the keys with even numbers are put, those with odd numbers are not. */
  record Case<K>(Layout layout, Kind<K> kind) {
    String file() {
      return layout.name + "-" + kind.name + ".wbird";
    }

    @Override
    public String toString() {
      return file();
    }

    KeyHasher<K> keys() {
      return kind.keys;
    }

    boolean isPut(int i) {
      return i % 2 == 0;
    }

    K key(int i) {
      return kind.key.apply(i);
    }

    BloomFilter<K> build() {
      BloomFilter<K> filter =
          BloomFilters.empty(
              new FilterSpec<>(kind.keys, SEED, layout.expectedKeys, layout.fpp),
              layout.shape,
              null);
      for (int i = 0; i < layout.expectedKeys; i++) {
        filter.put(key(2 * i));
      }
      return filter;
    }

    byte[] bytes() {
      return GoldenFiles.bytes(build());
    }

    /** The line of the index, with the answers of a filter. */
    String line(Filter<K> filter) {
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < LISTED; i++) {
        K key = key(i);
        answers.add(
            String.format(
                Locale.ROOT,
                "{\"key\": %s, \"hash\": \"%016x\", \"put\": %s, \"maybe\": %s}",
                json(kind.text.apply(key)),
                filter.hashOf(key),
                isPut(i),
                filter.mightContain(key)));
      }
      return String.format(
          Locale.ROOT,
          "{\"file\": %s, \"keys\": %s, \"id\": %s, \"secret\": %s, \"seed\": \"%016x\","
              + " \"expected\": %d, \"fpp\": %s, \"bytes\": %d, \"answers\": [%s]}",
          json(file()),
          json(kind.name.replace("keyed-", "")),
          json(kind.keys.id()),
          kind.name.startsWith("keyed-") ? json(HexFormat.of().formatHex(SECRET)) : "null",
          SEED,
          layout.expectedKeys,
          layout.fpp,
          filter.sizeInBytes(),
          String.join(", ", answers));
    }
  }

  static List<Case<?>> cases() {
    List<Case<?>> cases = new ArrayList<>();
    for (Layout layout : LAYOUTS) {
      for (Kind<?> kind : KINDS) {
        cases.add(new Case<>(layout, kind));
      }
    }
    return cases;
  }

  static String index() {
    StringBuilder index = new StringBuilder();
    cases().forEach(golden -> index.append(line(golden)).append('\n'));
    return index.toString();
  }

  private static <K> String line(Case<K> golden) {
    return golden.line(golden.build());
  }

  /** Hashes of byte strings of every length to 240, and of integers, under several seeds. */
  static String hashes() {
    StringBuilder lines = new StringBuilder();
    SplittableRandom random = new SplittableRandom(7);
    for (int length = 0; length <= 240; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      long seed = length % 4 == 0 ? 0 : random.nextLong();
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"bytes\": \"%s\", \"seed\": \"%016x\", \"rapidhash3\": \"%016x\", \"siphash13\":"
                  + " \"%016x\"}\n",
              HexFormat.of().formatHex(bytes),
              seed,
              Keys.bytes().hash(bytes, seed),
              keyed().bytes().hash(bytes, seed)));
    }
    for (int i = 0; i < LISTED; i++) {
      long seed = i % 4 == 0 ? 0 : random.nextLong();
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"integer\": \"%d\", \"seed\": \"%016x\", \"splitmix64\": \"%016x\", \"siphash13\":"
                  + " \"%016x\"}\n",
              number(i),
              seed,
              Keys.longs().hash(number(i), seed),
              keyed().longs().hash(number(i), seed)));
    }
    return lines.toString();
  }

  /** Journal 5 of a filter with header checksum 0x11223344: two frames, three hashes and one. */
  static byte[] journal(Path folder) throws IOException {
    Path path = folder.resolve(JOURNAL);
    Files.deleteIfExists(path);
    try (Journal journal = Journal.create(path, 5, 0x1122_3344)) {
      journal.append(1);
      journal.append(-2);
      journal.sync(journal.append(0x0123_4567_89ab_cdefL));
      journal.sync(journal.append(4));
    }
    return Files.readAllBytes(path);
  }

  static byte[] bytes(Filter<?> filter) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      filter.writeTo(out);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A JSON string in ASCII. */
  private static String json(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      if (unit >= ' ' && unit < 0x7f && unit != '"' && unit != '\\') {
        json.append(unit);
      } else {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
      }
    }
    return json.append('"').toString();
  }

  /** Writes all files to the folder that is the only argument. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    for (Case<?> golden : cases()) {
      Files.write(folder.resolve(golden.file()), golden.bytes());
    }
    Files.writeString(folder.resolve(INDEX), index(), StandardCharsets.US_ASCII);
    Files.writeString(folder.resolve(HASHES), hashes(), StandardCharsets.US_ASCII);
    journal(folder);
  }
}
