package io.woodbird.redis.link;

import java.nio.charset.StandardCharsets;

/** The slots of Redis Cluster: which one a key has, and which names have a given one. */
public final class Slots {
  public static final int COUNT = 16384;

  private static final int[] CRC = new int[256];

  static {
    for (int i = 0; i < 256; i++) {
      int crc = i << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
      }
      CRC[i] = crc & 0xffff;
    }
  }

  private Slots() {}

  /** Returns the slot of a key: CRC-16 of what stands in its first braces, else of all of it. */
  public static int of(byte[] key) {
    int from = 0;
    int to = key.length;
    int open = indexOf(key, '{', 0);
    if (open >= 0) {
      int close = indexOf(key, '}', open + 1);
      if (close > open + 1) {
        from = open + 1;
        to = close;
      }
    }
    int crc = 0;
    for (int i = from; i < to; i++) {
      crc = (crc << 8 ^ CRC[(crc >>> 8 ^ key[i]) & 0xff]) & 0xffff;
    }
    return crc % COUNT;
  }

  private static int indexOf(byte[] key, char wanted, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns the shortest tag that gives shard {@code index} of {@code count} its place: the slots
   * are cut into as many equal parts as there are shards, and each shard sits in the middle of its
   * part. So any division of the slots into equal runs, one per master, divides the shards equally.
   */
  public static String tag(int index, int count) {
    int slot = (int) ((2L * index + 1) * COUNT / (2L * count)); // Below COUNT, as index < count.
    return Tags.OF_SLOT[slot];
  }

  /** The shortest tag of each slot, found by trying. */
  private static final class Tags {
    static final String[] OF_SLOT = new String[COUNT];

    static {
      int found = 0;
      for (int i = 0; found < COUNT; i++) {
        String tag = Integer.toString(i, 36);
        int slot = of(tag.getBytes(StandardCharsets.US_ASCII));
        if (OF_SLOT[slot] == null) {
          OF_SLOT[slot] = tag;
          found++;
        }
      }
    }
  }
}
