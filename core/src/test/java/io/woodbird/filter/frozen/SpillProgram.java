package io.woodbird.filter.frozen;

import java.io.IOException;
import java.nio.file.Path;

/** Puts hashes into a temporary file and reads them back. */
public final class SpillProgram {
  private static final int COUNT = 300_000; // Fewer would stay in memory.

  private SpillProgram() {}

  /** Says how many of the hashes came back. */
  public static void main(Path folder) throws IOException {
    try (HashSpill spill = new HashSpill(0, folder)) {
      long[] one = new long[1];
      for (int i = 0; i < COUNT; i++) {
        one[0] = i; // All in the first part, so that its blocks are full soon.
        spill.add(one, 1);
      }
      ShardHashes all = new ShardHashes(spill, 0);
      all.read(0);
      int missing = 0;
      for (int i = 0; i < COUNT; i++) {
        missing += i < all.count() && all.hashes()[i] == i ? 0 : 1;
      }
      System.out.println("spilled: denied " + missing);
    }
  }
}
