package io.woodbird.file;

import io.woodbird.BloomFilter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The files under {@code spec/vectors/shipped}, as this code makes them: signed and patched. */
final class ShippedGolden {
  static final String DELTA = "today.wdelta";

  /** Pairs of files, with a delta between the two. */
  static final List<String> PAIRS = List.of("growing", "bloom");

  static final List<String> FILES =
      List.of(
          "patched-strings.wbird",
          "patched-bloom-strings.wbird",
          "signed-strings.wbird",
          "signed-patched-strings.wbird");
  private static final long SEED = 0x0123_4567_89ab_cdefL;
  private static final int OLD = 1500;
  private static final int CHANGED = 100;

  private ShippedGolden() {}

  static Path folder() {
    return GoldenFiles.folder().resolve("shipped");
  }

  static String key(int i) {
    return i == 0 || i == CHANGED ? i + " crow" : "https://example.org/" + i;
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(ShippedGolden::key).toList();
  }

  static boolean isSigned(String file) {
    return file.startsWith("signed");
  }

  /** Makes all files in a folder, and returns them by name. */
  static TreeMap<String, byte[]> make(Path work) throws IOException {
    Path base = work.resolve("base.wbird");
    Path bloom = work.resolve("bloom.wbird");
    Path delta = work.resolve(DELTA);
    Woodbird.frozen(Keys.strings()).seed(SEED).buildTo(base, keys(0, OLD));
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), OLD).seed(SEED).build();
    filter.putAll(keys(0, OLD));
    filter.save(bloom);
    delta(bloom, delta);
    Woodbird.patch(bloom, delta, work.resolve("patched-bloom-strings.wbird"));
    delta(base, delta);
    Woodbird.patch(base, delta, work.resolve("patched-strings.wbird"));
    Path key = Files.writeString(work.resolve("key.pem"), SignatureTest.PRIVATE);
    Path signed = work.resolve("signed.wbird");
    Woodbird.sign(bloom, SignedFilters.readPrivateKey(key), work.resolve("signed-strings.wbird"));
    Woodbird.sign(base, SignedFilters.readPrivateKey(key), signed);
    Path signedDelta = work.resolve("signed.wdelta");
    Woodbird.sign(delta, SignedFilters.readPrivateKey(key), signedDelta);
    Woodbird.patch(signed, signedDelta, work.resolve("signed-patched-strings.wbird"));
    grow("growing", Woodbird.growing(Keys.strings()).seed(SEED).build(), work);
    grow("bloom", Woodbird.bloom(Keys.strings(), OLD).seed(SEED).build(), work);
    // It is longer than the old one, and ends in other bytes.
    Woodbird.sign(work.resolve(now("growing")), SignedFilters.readPrivateKey(key));
    for (String pair : PAIRS) {
      Woodbird.delta(
          work.resolve(old(pair)), work.resolve(now(pair)), work.resolve(difference(pair)));
    }
    TreeMap<String, byte[]> files = new TreeMap<>();
    Stream<String> deltas =
        Stream.concat(
            Stream.of(DELTA),
            PAIRS.stream().flatMap(pair -> Stream.of(old(pair), now(pair), difference(pair))));
    for (String name : Stream.concat(FILES.stream(), deltas).toList()) {
      files.put(name, Files.readAllBytes(work.resolve(name)));
    }
    return files;
  }

  static String old(String pair) {
    return pair + "-old.wbird";
  }

  static String now(String pair) {
    return pair + "-new.wbird";
  }

  static String difference(String pair) {
    return pair + ".wdelta";
  }

  /** The list of deltas between files. */
  static String patches() {
    StringBuilder lines = new StringBuilder();
    for (String pair : PAIRS) {
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"old\": \"%s\", \"delta\": \"%s\", \"new\": \"%s\"}\n",
              old(pair),
              difference(pair),
              now(pair)));
    }
    return lines.toString();
  }

  /** Writes a filter before and after some puts. */
  private static void grow(String pair, MutableFilter<String> filter, Path work)
      throws IOException {
    filter.putAll(keys(0, OLD));
    filter.save(work.resolve(old(pair)));
    filter.putAll(keys(OLD, OLD + 5));
    filter.save(work.resolve(now(pair)));
  }

  private static void delta(Path base, Path delta) throws IOException {
    Woodbird.delta(base, Keys.strings()).buildTo(delta, keys(CHANGED, OLD + CHANGED), keys(0, OLD));
  }

  /** Opens a file as its line in the index says. */
  static OpenFilter<String> open(Path path, Path work) throws IOException {
    if (!isSigned("" + path.getFileName())) {
      return Woodbird.open(path, Keys.strings());
    }
    Path key = Files.writeString(work.resolve("key.pub"), SignatureTest.PUBLIC);
    return Woodbird.signedBy(SignedFilters.readPublicKey(key)).open(path, Keys.strings());
  }

  /** The line of the index, with the answers of a filter. */
  static String line(String file, OpenFilter<String> filter, Path work) throws IOException {
    Path key = Files.writeString(work.resolve("key.pub"), SignatureTest.PUBLIC);
    String signer =
        isSigned(file)
            ? ", \"signer\": \""
                + HexFormat.of().formatHex(SignedFilters.readPublicKey(key).getEncoded(), 12, 44)
                + "\""
            : "";
    boolean patched = file.contains("patched");
    int first = patched ? CHANGED : 0;
    int last = patched ? OLD + CHANGED : OLD;
    List<String> answers = new ArrayList<>();
    IntStream.concat(
            IntStream.range(0, 120),
            IntStream.concat(IntStream.range(OLD - 8, OLD + 120), IntStream.range(5000, 5040)))
        .forEach(
            i ->
                answers.add(
                    String.format(
                        Locale.ROOT,
                        "{\"key\": \"%s\", \"hash\": \"%016x\", \"put\": %s, \"maybe\": %s}",
                        key(i),
                        filter.hashOf(key(i)),
                        i >= first && i < last,
                        filter.mightContain(key(i)))));
    return String.format(
        Locale.ROOT,
        "{\"file\": \"%s\", \"keys\": \"strings\", \"id\": \"%s\", \"secret\": null%s,"
            + " \"seed\": \"%016x\", \"expected\": %d, \"fpp\": %s, \"answers\": [%s]}",
        file,
        Keys.strings().id(),
        signer,
        SEED,
        OLD,
        filter.stats().promisedFpp(),
        String.join(", ", answers));
  }

  /** How many keys of its list a file denies. */
  static long denied(String file, OpenFilter<String> filter) {
    int first = file.contains("patched") ? CHANGED : 0;
    return keys(first, OLD + first).stream().filter(key -> !filter.mightContain(key)).count();
  }

  static void write(Path work) throws IOException {
    Files.createDirectories(folder());
    for (var file : make(work).entrySet()) {
      Files.write(folder().resolve(file.getKey()), file.getValue());
    }
    StringBuilder index = new StringBuilder();
    for (String file : FILES) {
      try (OpenFilter<String> filter = open(folder().resolve(file), work)) {
        index.append(line(file, filter, work)).append('\n');
      }
    }
    Files.writeString(
        folder().resolve(GoldenFiles.INDEX), index.toString(), StandardCharsets.US_ASCII);
    Files.writeString(folder().resolve("patches.jsonl"), patches(), StandardCharsets.US_ASCII);
  }
}
