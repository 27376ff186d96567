package io.woodbird.file;

import io.woodbird.MutableFilter;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The main class of a JVM that writes lists to one file: built, signed or patched. */
final class ListProgram {
  private static final long SEED = 5;
  private static final int KEYS = 3000;

  private ListProgram() {}

  private static List<Long> keys(int round) {
    return LongStream.range(100L * round, KEYS + 100L * round).boxed().toList();
  }

  /** Makes what the rounds need, in a folder. */
  static void prepare(int rounds, Path folder) throws IOException {
    Path base = folder.resolve("base.wbird");
    Woodbird.frozen(Keys.longs()).seed(SEED).threads(1).buildTo(base, keys(0));
    Files.writeString(folder.resolve("key.pem"), SignatureTest.PRIVATE);
    MutableFilter<Long> growing = Woodbird.growing(Keys.longs()).seed(SEED).build();
    keys(0).forEach(growing::putLong);
    growing.save(folder.resolve("growing.wbird"));
    for (int round = 0; round <= rounds; round++) {
      growing.putLong(1_000_000 + round);
      growing.save(folder.resolve("growing" + round));
      Woodbird.delta(
          folder.resolve("growing.wbird"),
          folder.resolve("growing" + round),
          folder.resolve("difference" + round));
      Woodbird.frozen(Keys.longs())
          .seed(SEED)
          .threads(1)
          .buildTo(folder.resolve("list" + round), keys(round));
      Woodbird.delta(base, Keys.longs())
          .threads(1)
          .buildTo(folder.resolve("delta" + round), keys(round), keys(0));
    }
  }

  /** Writes the file of a round. */
  static void write(String how, int round, Path folder, Path path) throws IOException {
    switch (how) {
      case "map" ->
          Woodbird.frozenMap(Keys.longs())
              .seed(SEED)
              .threads(1)
              .buildTo(path, keys(round).stream().map(key -> Map.entry(key, key & 255)).toList());
      case "exact" ->
          Woodbird.frozen(Keys.longs())
              .seed(SEED)
              .threads(1)
              .exactAgainst(LongStream.range(1_000_000, 1_020_000).boxed().toList())
              .buildTo(path, keys(round));
      case "sign" ->
          Woodbird.sign(
              folder.resolve("list" + round),
              SignedFilters.readPrivateKey(folder.resolve("key.pem")),
              path);
      case "delta" ->
          Woodbird.delta(folder.resolve("base.wbird"), Keys.longs())
              .threads(1)
              .buildTo(path, keys(round), keys(0));
      case "difference" ->
          Woodbird.delta(folder.resolve("growing.wbird"), folder.resolve("growing" + round), path);
      case "edit" ->
          Woodbird.patch(
              folder.resolve("growing.wbird"), folder.resolve("difference" + round), path);
      default ->
          Woodbird.patch(folder.resolve("base.wbird"), folder.resolve("delta" + round), path);
    }
  }

  /** Arguments: what to write, how often, the folder of {@link #prepare}, the file. */
  public static void main(String[] args) throws IOException {
    int rounds = Integer.parseInt(args[1]);
    Path folder = Path.of(args[2]);
    Path path = Path.of(args[3]);
    Path other = path.resolveSibling("warm-up"); // Loads every class that will be needed.
    write(args[0], 0, folder, other);
    write(args[0], 1, folder, other);
    Files.delete(other);
    int threads = Thread.activeCount();
    Strace.begin();
    for (int round = 1; round <= rounds; round++) {
      try {
        write(args[0], round, folder, path);
        System.out.println("saved " + round);
      } catch (IOException e) {
        System.out.println("failed " + round + " with an IOException: " + e);
      }
    }
    System.out.println("open " + open(folder) + open(path.getParent()));
    System.out.println("threads " + (Thread.activeCount() - threads));
  }

  /** The files of a folder that this process has open. */
  private static List<Path> open(Path folder) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          Path file = Files.readSymbolicLink(descriptor);
          if (file.startsWith(folder)) {
            found.add(file);
          }
        } catch (IOException e) {
          continue; // That of the listing.
        }
      }
    }
    return found;
  }
}
