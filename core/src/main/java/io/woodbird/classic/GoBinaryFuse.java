package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;

/** A binary fuse filter of the Go library xorfilter, with fingerprints of 8 or 16 bits. */
final class GoBinaryFuse implements Foreign {
  /*
   *   0  u64 seed
   *   8  u32 segment length L, a power of two, and u32 L - 1
   *  16  u32 segments in which a key may begin, and u32 that number times L
   *  24  u32 slots, then the slots
   *
   * All little-endian. A key is a 64-bit number. Its three slots are in three neighbouring segments,
   * and their xor is its fingerprint. Graf, Lemire: Binary Fuse Filters (2022). The file does not say
   * how wide a slot is. So each width is a format of its own: a file of 16 bits that lost its second
   * half would read as one of 8 bits, and lack keys.
   */
  private static final int HEADER = 28;
  private static final int MOST_LENGTH = 1 << 18;
  private static final int MOST_BYTES = Integer.MAX_VALUE - 16;

  /** 2^64 - 1 has 20 digits. */
  private static final int LONGEST_NUMBER = 20;

  private final int width;
  private final long seed;
  private final int length;
  private final int starts;
  private final byte[] slots;

  private GoBinaryFuse(int width, long seed, int length, int starts, byte[] slots) {
    this.width = width;
    this.seed = seed;
    this.length = length;
    this.starts = starts;
    this.slots = slots;
  }

  static GoBinaryFuse read(InputStream in, int width) throws IOException {
    ByteBuffer header = WordStream.header(in, HEADER, "xorfilter's");
    header.order(ByteOrder.LITTLE_ENDIAN);
    int length = header.getInt(8);
    long segments = header.getInt(16) & 0xffff_ffffL;
    long starts = header.getInt(20) & 0xffff_ffffL;
    long slots = header.getInt(24) & 0xffff_ffffL;
    if (Integer.bitCount(length) != 1
        || length < 1
        || length > MOST_LENGTH
        || header.getInt(12) != length - 1
        || segments < 1
        || starts != segments * length
        || slots != starts + 2L * length) {
      throw new CorruptFilterException(
          String.format(
              "the header of %s bytes contradicts itself: segment length %s, %s segments, %s slots",
              HEADER, length, segments, slots));
    }
    long bytes = slots * width / 8;
    if (bytes > MOST_BYTES) {
      throw new CorruptFilterException(
          "the header has more slots than can be read into memory: " + slots);
    }
    byte[] table = in.readNBytes((int) bytes);
    if (table.length < bytes) {
      throw new CorruptFilterException(
          String.format(
              "the stream ends at byte %s, but %s slots of %s bits make %s bytes in all",
              HEADER + table.length, slots, width, HEADER + bytes));
    }
    return new GoBinaryFuse(width, header.getLong(0), length, (int) starts, table);
  }

  /** Builds a filter of the original's size, with the original's first seed that works. */
  static GoBinaryFuse build(int width, double fpp, Iterable<byte[]> keys) {
    if (fpp < 1.0 / (1 << width)) {
      throw new IllegalArgumentException(
          String.format("fpp must be at least 2^-%s in fuse%s: %s", width, width, fpp));
    }
    long[] numbers = distinct(keys);
    int length = segmentLength(numbers.length);
    long capacity = numbers.length <= 1 ? 0 : Math.round(numbers.length * factor(numbers.length));
    long segments = Math.max(3, (capacity + length - 1) / length);
    if (segments * length * width / 8 > MOST_BYTES) {
      throw new IllegalArgumentException("too many keys for one array: " + numbers.length);
    }
    byte[] slots = new byte[(int) (segments * length * width / 8)];
    int starts = (int) (segments - 2) * length;
    long counter = 1;
    for (int i = 0; i < 1000; i++) {
      counter += 0x9e3779b97f4a7c15L;
      GoBinaryFuse filter = new GoBinaryFuse(width, splitMix(counter), length, starts, slots);
      if (filter.solve(numbers)) {
        return filter;
      }
    }
    throw new IllegalStateException(numbers.length + " keys could not be placed");
  }

  private static long[] distinct(Iterable<byte[]> keys) {
    long[] numbers = new long[16];
    int count = 0;
    for (byte[] key : keys) {
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.addExact(count, count));
      }
      numbers[count++] = number(key);
    }
    return Arrays.stream(numbers, 0, count).sorted().distinct().toArray();
  }

  private static int segmentLength(int keys) {
    int log = keys == 0 ? 2 : (int) Math.floor(Math.log(keys) / Math.log(3.33) + 2.25);
    return Math.min(MOST_LENGTH, 1 << log);
  }

  private static double factor(int keys) {
    return Math.max(1.125, 0.875 + 0.25 * Math.log(1e6) / Math.log(keys));
  }

  /** Peels slots with a single key, and then fills them from the last to the first. */
  private boolean solve(long[] numbers) {
    int slotCount = starts + 2 * length;
    int[] left = new int[slotCount];
    long[] sums = new long[slotCount];
    for (long number : numbers) {
      long hash = mix(number + seed);
      for (int i = 0; i < 3; i++) {
        left[slot(hash, i)]++;
        sums[slot(hash, i)] ^= hash;
      }
    }
    int[] alone = new int[slotCount];
    int count = 0;
    for (int slot = 0; slot < slotCount; slot++) {
      if (left[slot] == 1) {
        alone[count++] = slot;
      }
    }
    long[] hashes = new long[numbers.length];
    int[] owned = new int[numbers.length];
    int peeled = 0;
    while (count > 0) {
      int slot = alone[--count];
      if (left[slot] != 1) {
        continue;
      }
      long hash = sums[slot];
      hashes[peeled] = hash;
      owned[peeled++] = slot;
      for (int i = 0; i < 3; i++) {
        int other = slot(hash, i);
        sums[other] ^= hash;
        if (--left[other] == 1) {
          alone[count++] = other;
        }
      }
    }
    if (peeled < numbers.length) {
      return false;
    }
    Arrays.fill(slots, (byte) 0);
    for (int i = peeled - 1; i >= 0; i--) {
      set(owned[i], fingerprint(hashes[i]) ^ sum(hashes[i]));
    }
    return true;
  }

  private int slot(long hash, int i) {
    int first = (int) Math.multiplyHigh(hash, starts) + (hash < 0 ? starts : 0);
    return switch (i) {
      case 0 -> first;
      case 1 -> (first + length) ^ ((int) (hash >>> 18) & (length - 1));
      default -> (first + 2 * length) ^ ((int) hash & (length - 1));
    };
  }

  private int sum(long hash) {
    return get(slot(hash, 0)) ^ get(slot(hash, 1)) ^ get(slot(hash, 2));
  }

  private int fingerprint(long hash) {
    return (int) (hash ^ hash >>> 32) & (1 << width) - 1;
  }

  private int get(int slot) {
    return width == 8
        ? slots[slot] & 0xff
        : (slots[2 * slot] & 0xff) | ((slots[2 * slot + 1] & 0xff) << 8);
  }

  private void set(int slot, int value) {
    if (width == 8) {
      slots[slot] = (byte) value;
    } else {
      slots[2 * slot] = (byte) value;
      slots[2 * slot + 1] = (byte) (value >>> 8);
    }
  }

  @Override
  public boolean mightContain(byte[] key) {
    long hash = mix(number(key) + seed);
    return fingerprint(hash) == sum(hash);
  }

  private static long number(byte[] key) {
    if (key.length != 8) {
      throw new IllegalArgumentException(
          "a key of a fuse filter is a number of 8 bytes, little-endian: " + key.length + " bytes");
    }
    return ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  /** Returns the bytes of a decimal number from 0 to 2^64 - 1. */
  @Override
  public byte[] bytesOf(String key) {
    if (key.length() > LONGEST_NUMBER) {
      throw new IllegalArgumentException(
          "a key of a fuse filter is a number of up to 20 digits: \"%s...\" has %s characters"
              .formatted(key.substring(0, LONGEST_NUMBER), key.length()));
    }
    try {
      return ClassicFilter.longKey(Long.parseUnsignedLong(key));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "a key of a fuse filter is a number from 0 to 2^64 - 1: \"" + key + "\"", e);
    }
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }

  private static long splitMix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(seed).putInt(length).putInt(length - 1);
    header.putInt(starts / length).putInt(starts).putInt(starts + 2 * length);
    out.write(header.array());
    out.write(slots);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%,d slots of %d bits, fpp %.3g", starts + 2 * length, width, fpp());
  }

  private double fpp() {
    return Math.pow(2, -width);
  }
}
