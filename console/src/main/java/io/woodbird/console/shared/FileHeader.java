package io.woodbird.console.shared;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * What the header of a {@code .wbird} file says, read by the specification ({@code
 * spec/file-format.md}): to show it, and to know how to open the file. Answers come from {@link
 * io.woodbird.Woodbird#open}, which checks all of it.
 *
 * @param major the version of the format
 * @param minor its minor version
 * @param layout the number of the layout
 * @param seed the seed of the hash function
 * @param expectedKeys how many keys the promised fpp holds for
 * @param promisedFpp the promised fpp
 * @param keyCount how many keys are in, 0 where the layout does not count
 * @param dataBytes the length of the data
 * @param parameter0 the layout's first parameter
 * @param parameter1 the layout's second parameter
 * @param parameter2 the layout's third parameter
 * @param keyId the id of the key encoding
 * @param identity what the checksums of all pages include
 * @param intact whether the checksum of the header is right
 */
public record FileHeader(
    int major,
    int minor,
    int layout,
    long seed,
    long expectedKeys,
    double promisedFpp,
    long keyCount,
    long dataBytes,
    long parameter0,
    long parameter1,
    long parameter2,
    String keyId,
    int identity,
    boolean intact) {
  /** How many bytes a header has. */
  public static final int BYTES = 256;

  /** How many bytes of data one checksum covers. */
  public static final int PAGE_BYTES = 4096;

  /** The newest version of the format that is known here. */
  public static final int MAJOR = 2;

  /** The layout of a blocked Bloom filter, the only one that can be in Redis too. */
  public static final int BLOCKED_BLOOM = 1;

  private static final int CLASSIC_BLOOM = 2;
  private static final int RIBBON = 3;
  private static final int FUSE = 4;
  private static final int WINDOW = 8;
  private static final int MAP = 9;
  private static final int EXACT = 10;
  private static final int DELTA = 11;
  private static final int DIFFERENCE = 12;
  private static final int SCHEME = 64;
  private static final int FOREIGN = 65;
  private static final long MAGIC = 0x0a0d_4452_4942_5789L;
  private static final int LAYOUT_AT = 12;
  private static final int KEY_ID_AT = 128;
  private static final int LONGEST_KEY_ID = 64;
  private static final int CHECKSUM_AT = 252;
  private static final int FOOTER_BYTES = 16;
  private static final int SMALL_DATA = 1 << 24;

  // A signature is the first section behind the page table.
  private static final long SECTION_MAGIC = 0x0a0d_7463_6553_5789L;
  private static final int SECTION_HEAD_BYTES = 32;
  private static final int SIGNATURE = 1;
  private static final int SIGNER_AT = 8;
  private static final int SIGNER_END = 40;

  /**
   * Says whether a file can be a filter.
   *
   * @param start its first bytes, as many as it has
   * @return whether they begin as every filter file does
   */
  public static boolean isStartOfFilter(byte[] start) {
    return start.length >= 8 && little(start).getLong(0) == MAGIC;
  }

  /**
   * Reads a header.
   *
   * @param bytes all of it
   * @return what it says, true or not: see {@code intact}
   */
  public static FileHeader of(byte[] bytes) {
    ByteBuffer header = little(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, CHECKSUM_AT);
    CRC32C identity = new CRC32C();
    identity.update(bytes, LAYOUT_AT, 12);
    identity.update(bytes, KEY_ID_AT, 1 + LONGEST_KEY_ID);
    int idLength = header.get(KEY_ID_AT) & 0xff;
    return new FileHeader(
        header.getShort(8) & 0xffff,
        header.getShort(10) & 0xffff,
        header.getInt(12),
        header.getLong(16),
        header.getLong(24),
        header.getDouble(32),
        header.getLong(40),
        header.getLong(48),
        header.getLong(64),
        header.getLong(72),
        header.getLong(80),
        new String(
            bytes, KEY_ID_AT + 1, Math.min(LONGEST_KEY_ID, idLength), StandardCharsets.UTF_8),
        (int) identity.getValue(),
        (int) crc.getValue() == header.getInt(CHECKSUM_AT) && idLength <= LONGEST_KEY_ID);
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the version of the format, such as {@code 2.0}. */
  public String version() {
    return major + "." + minor;
  }

  /** Returns whether it is a Bloom filter that takes keys and merges. */
  public boolean isBloom() {
    return layout == BLOCKED_BLOOM || layout == CLASSIC_BLOOM;
  }

  /** Returns whether it was built once from keys that were all known, and takes no more. */
  public boolean isFrozen() {
    return layout == RIBBON || layout == FUSE || layout == MAP || layout == EXACT;
  }

  /** Returns whether it holds the bits of a well-known scheme. */
  public boolean isScheme() {
    return layout == SCHEME;
  }

  /** Returns whether it holds the file of another program. */
  public boolean isForeign() {
    return layout == FOREIGN;
  }

  /** Returns whether it says what changed since another file, and is no filter. */
  public boolean isDelta() {
    return layout == DELTA || layout == DIFFERENCE;
  }

  /** Returns whether it is a delta between two files, which makes the second of the first. */
  public boolean isDifference() {
    return layout == DIFFERENCE;
  }

  /** Returns whether it is asked by a 64-bit hash, as Woodbird's own filters are. */
  public boolean isOwn() {
    return !isScheme() && !isForeign();
  }

  /** Returns the family of the filter as plans call it, or "scheme", "foreign" or "unknown". */
  public String kind() {
    return switch (layout) {
      case BLOCKED_BLOOM -> "bloom";
      case CLASSIC_BLOOM -> "bloom-classic";
      case RIBBON -> "ribbon";
      case FUSE -> "fuse";
      case 5 -> "deletable";
      case 6 -> "counting";
      case 7 -> "growing";
      case WINDOW -> "window";
      case MAP -> "map";
      case EXACT -> "exact";
      case DELTA, DIFFERENCE -> "delta";
      case SCHEME -> "scheme";
      case FOREIGN -> "foreign";
      default -> "unknown";
    };
  }

  /** Returns the family, the name of the scheme or format, or the number of another layout. */
  public String family() {
    return switch (kind()) {
      case "scheme", "foreign" -> keyId.substring(keyId.indexOf(':') + 1);
      case "unknown" -> "layout " + layout;
      default -> kind();
    };
  }

  /** Returns how long a window remembers, in seconds; 0 where it counts keys, or is no window. */
  public double windowSeconds() {
    return layout == WINDOW ? parameter2 / 1e9 : 0;
  }

  /** Returns where the data begins. */
  public long dataAt() {
    return dataBytes <= SMALL_DATA ? BYTES : PAGE_BYTES;
  }

  /** Returns how many bytes a file of this filter has, without signature and overlay. */
  public long fileBytes() {
    return dataAt() + dataBytes + 4 * pages() + FOOTER_BYTES;
  }

  /** Returns how many pages of data have a checksum. */
  public long pages() {
    return (dataBytes + PAGE_BYTES - 1) / PAGE_BYTES;
  }

  /**
   * Returns who says to have signed a file, which only a check of the signature proves.
   *
   * @param path the file of this header
   * @return the public key in hex, or empty if the file is not signed
   * @throws IOException if it can't be read
   */
  public String signer(Path path) throws IOException {
    try (SeekableByteChannel file = Files.newByteChannel(path)) {
      long end = dataAt() + dataBytes + 4 * pages();
      if (dataBytes < 0 || end < 0) {
        return ""; // Damaged; whoever opens it says so.
      }
      file.position(end);
      InputStream in = Channels.newInputStream(file);
      byte[] section = in.readNBytes(SECTION_HEAD_BYTES + SIGNER_END);
      boolean signed =
          section.length == SECTION_HEAD_BYTES + SIGNER_END
              && little(section).getLong(0) == SECTION_MAGIC
              && little(section).getInt(8) == SIGNATURE;
      return signed
          ? HexFormat.of().formatHex(section, SECTION_HEAD_BYTES + SIGNER_AT, section.length)
          : "";
    }
  }

  /** Returns how many bits one key sets in one block of 512: 1 where the layout has no blocks. */
  public int bitsPerBlock() {
    if (layout != BLOCKED_BLOOM) {
      return 1;
    }
    return switch ((int) parameter1) {
      case 1 -> 2;
      case 2 -> 4;
      case 3, 5 -> 6;
      case 4, 6 -> 8;
      default -> 12;
    };
  }
}
