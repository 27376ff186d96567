package io.woodbird.file;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;

/** The main class of a JVM that saves filter after filter to one file. */
final class SaveProgram {
  private static final long SEED = 3;

  private SaveProgram() {}

  /** The filter of a round; they differ in size and keys. */
  static BloomFilter<Long> filter(int round) {
    BloomFilter<Long> filter =
        Woodbird.bloom(Keys.longs(), 250_000 + 50_000L * (round % 3)).seed(SEED).build();
    for (long key = 0; key < 1000; key++) {
      filter.putLong(key * 100 + round);
    }
    return filter;
  }

  /** Arguments: file, rounds, "safe" or "naive", and whether to look around at the end. */
  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    int rounds = Integer.parseInt(args[1]);
    boolean safe = args[2].equals("safe");
    // Loads every class that will be needed.
    Path other = path.resolveSibling("warm-up");
    save(filter(0), other, safe);
    save(filter(0), other, safe);
    Files.delete(other);
    Strace.begin();
    for (int round = 1; round <= rounds; round++) {
      try {
        save(filter(round), path, safe);
        System.out.println("saved " + round);
      } catch (IOException e) {
        System.out.println("failed " + round + " with an IOException: " + e);
      }
    }
    if (args.length > 3) {
      lookAround(path, rounds);
    }
  }

  /** Says what is there, for a folder that nobody else sees. */
  private static void lookAround(Path path, int rounds) throws IOException {
    byte[] found = Files.readAllBytes(path);
    for (int round = 0; round <= rounds; round++) {
      if (Arrays.equals(found, GoldenFiles.bytes(filter(round)))) {
        System.out.println("holds " + round);
      }
    }
    try (Stream<Path> files = Files.list(path.toAbsolutePath().getParent())) {
      System.out.println("left " + files.map(Path::getFileName).sorted().toList());
    }
  }

  private static void save(BloomFilter<Long> filter, Path path, boolean safe) throws IOException {
    if (safe) {
      filter.save(path);
      return;
    }
    // The control: what everybody writes first.
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(GoldenFiles.bytes(filter));
      while (bytes.hasRemaining()) {
        ByteBuffer part = bytes.slice(bytes.position(), Math.min(1 << 16, bytes.remaining()));
        bytes.position(bytes.position() + channel.write(part));
      }
      channel.force(true);
    }
  }
}
