package io.woodbird.file;

import io.woodbird.BloomFilter;
import io.woodbird.DurableFilter;
import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.frozen.SpillProgram;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

/** The main class of a JVM that writes and reads files of every kind, and counts what is denied. */
final class ShortIoProgram {
  private static final long SEED = 5;
  private static final int KEYS = 300_000;

  private ShortIoProgram() {}

  /** Arguments: a folder for the files. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    save(folder.resolve("saved.wbird"));
    build(folder.resolve("built.wbird"));
    SpillProgram.main(folder);
    durable(folder.resolve("durable.wbird"));
    ListProgram.prepare(1, folder);
    for (String how : new String[] {"map", "exact", "sign", "delta", "patch"}) {
      ListProgram.write(how, 1, folder, folder.resolve(how));
    }
  }

  private static void save(Path path) throws IOException {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).build();
    for (long key = 0; key < KEYS; key++) {
      filter.putLong(key);
    }
    filter.save(path);
    lookAt("saved", path);
  }

  private static void build(Path path) throws IOException {
    Woodbird.frozen(Keys.longs())
        .seed(SEED)
        .threads(1)
        .buildTo(path, () -> LongStream.range(0, KEYS).boxed().iterator());
    lookAt("built", path);
  }

  /** Opens in each way. */
  private static void lookAt(String what, Path path) throws IOException {
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      System.out.println(what + " and opened: " + denied(filter));
      filter.verify();
    }
    try (OpenFilter<Long> filter = Woodbird.map(path, Keys.longs())) {
      System.out.println(what + " and mapped: " + denied(filter));
    }
    try (InputStream in = Files.newInputStream(path)) {
      System.out.println(what + " and read: " + denied(Woodbird.readFrom(in, Keys.longs())));
    }
  }

  /** Leaves a journal behind, as a crash does, and opens both. */
  private static void durable(Path path) throws IOException {
    DurableFilter<Long> filter = Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).file(path);
    for (long key = 0; key < KEYS; key++) {
      filter.putLong(key);
      if (key % (KEYS / 8) == 0) {
        filter.checkpoint();
      }
    }
    filter.checkpoint();
    Path copy = Files.createDirectory(path.resolveSibling("copy"));
    for (String name : path.getParent().toFile().list((from, file) -> file.startsWith("durable"))) {
      Files.copy(path.resolveSibling(name), copy.resolve(name));
    }
    try (DurableFilter<Long> again =
        Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).file(copy.resolve(path.getFileName()))) {
      System.out.println("recovered " + again.recovery().clean() + ": " + denied(again));
    }
    filter.close();
  }

  private static String denied(Filter<Long> filter) {
    int denied = 0;
    for (long key = 0; key < KEYS; key++) {
      denied += filter.mightContainLong(key) ? 0 : 1;
    }
    return "denied " + denied;
  }
}
