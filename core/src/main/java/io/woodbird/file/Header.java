package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.Keys;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * The first 256 bytes of a file, which describe the data.
 *
 * @param layout which layout, see {@link LayoutId}
 * @param seed of the hash function
 * @param keyId the {@linkplain io.woodbird.key.KeyHasher#id() id} of the key encoding
 * @param expectedKeys up to how many keys {@code promisedFpp} holds
 * @param promisedFpp the false positive probability that the filter promises
 * @param keyCount how many keys are in, 0 if the layout does not count them
 * @param dataBytes the length of the data
 * @param parameters up to eight numbers; the layout defines their meaning
 * @param journal 0 if the file has all keys; otherwise the number of the first journal beside the
 *     file whose keys it lacks
 */
public record Header(
    LayoutId layout,
    long seed,
    String keyId,
    long expectedKeys,
    double promisedFpp,
    long keyCount,
    long dataBytes,
    List<Long> parameters,
    long journal) {
  /*
   *   0  magic            89 'W' 'B' 'I' 'R' 'D' 0D 0A
   *   8  u16 major, u16 minor version
   *  12  u32 layout
   *  16  u64 seed
   *  24  u64 expected keys
   *  32  f64 promised fpp
   *  40  u64 key count
   *  48  u64 data bytes
   *  56  u32 page bytes (4096), u32 first journal
   *  64  8 x u64 parameters
   * 128  u8 length of the key id, then the key id in UTF-8, then zeros up to 192
   * 193  zeros up to 251, but for u32 at 196: what a reader must understand, none so far
   * 252  u32 CRC32C of bytes 0 to 251
   *
   * All numbers are little-endian. The first byte of the magic is not ASCII and its last two are a
   * line end, so a transfer in text mode changes the magic and is noticed at once.
   */

  public static final int BYTES = 256;

  /** The largest number that a journal can have: the header has 32 bits for it. */
  public static final long MAX_JOURNAL = 0xffff_ffffL;

  static final int MAJOR = 2;
  static final int MINOR = 0;
  static final int PAGE_BYTES = 4096;

  /** The most bytes of data that begin right behind the header. */
  static final int SMALL_DATA = 1 << 24;

  private static final long MAGIC = 0x0a0d_4452_4942_5789L;
  private static final int PARAMETERS = 8;
  private static final int LAYOUT_AT = 12;
  private static final int SEED_AT = 16;
  private static final int JOURNAL_AT = 60;
  private static final int KEY_ID_AT = 128;
  private static final int KEY_ID_END = KEY_ID_AT + 1 + Keys.MAX_ID_BYTES;
  private static final int REQUIRED_AT = 196;
  private static final int CRC_AT = 252;

  public Header {
    parameters = List.copyOf(parameters);
    if (parameters.size() > PARAMETERS) {
      throw new IllegalArgumentException("parameters must be at most 8: " + parameters.size());
    }
    if (journal < 0 || journal > MAX_JOURNAL) {
      throw new IllegalArgumentException("journal must be from 0 to 2^32 - 1: " + journal);
    }
  }

  /** Makes the header of a file that needs no journal. */
  public Header(
      LayoutId layout,
      long seed,
      String keyId,
      long expectedKeys,
      double promisedFpp,
      long keyCount,
      long dataBytes,
      List<Long> parameters) {
    this(layout, seed, keyId, expectedKeys, promisedFpp, keyCount, dataBytes, parameters, 0);
  }

  /** Returns the same header for a file that lacks the keys of the journals from a number on. */
  public Header withJournal(long number) {
    return new Header(
        layout, seed, keyId, expectedKeys, promisedFpp, keyCount, dataBytes, parameters, number);
  }

  /** Returns a parameter; 0 if the header has fewer. */
  public long parameter(int index) {
    return index < parameters.size() ? parameters.get(index) : 0;
  }

  /** Returns the 256 bytes, from position 0 to the limit. */
  ByteBuffer encode() {
    ByteBuffer bytes = Bytes.allocate(BYTES);
    bytes.putLong(0, MAGIC);
    bytes.putShort(8, (short) MAJOR);
    bytes.putShort(10, (short) MINOR);
    bytes.putInt(12, layout.number());
    bytes.putLong(16, seed);
    bytes.putLong(24, expectedKeys);
    bytes.putDouble(32, promisedFpp);
    bytes.putLong(40, keyCount);
    bytes.putLong(48, dataBytes);
    bytes.putInt(56, PAGE_BYTES);
    bytes.putInt(JOURNAL_AT, (int) journal);
    for (int i = 0; i < PARAMETERS; i++) {
      bytes.putLong(64 + 8 * i, parameter(i));
    }
    byte[] id = keyId.getBytes(StandardCharsets.UTF_8);
    if (id.length > Keys.MAX_ID_BYTES) {
      throw new IllegalArgumentException(
          "the id of a key hasher must be at most 64 bytes: " + keyId);
    }
    bytes.put(KEY_ID_AT, (byte) id.length);
    bytes.put(KEY_ID_AT + 1, id);
    bytes.putInt(CRC_AT, crc(bytes));
    return bytes;
  }

  /** Reads a header from 256 bytes, and checks every field that can be checked. */
  static Header decode(ByteBuffer bytes) throws CorruptFilterException {
    ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.getLong(0) != MAGIC) {
      throw new CorruptFilterException(
          "not a .wbird file: the first eight bytes are not its magic");
    }
    int major = in.getShort(8) & 0xffff;
    if (major != MAJOR && crcFits(in)) {
      throw new IncompatibleFilterException(
          String.format(
              Locale.ROOT,
              "the file has format version %d.%d and this library reads version %d.x: open it with"
                  + " a newer Woodbird, or write it again with this one",
              major,
              in.getShort(10) & 0xffff,
              MAJOR));
    }
    if (!crcFits(in)) {
      throw new CorruptFilterException("the header (bytes 0 to 255) is damaged: wrong checksum");
    }
    LayoutId layout = LayoutId.of(in.getInt(12));
    if (in.getInt(REQUIRED_AT) != 0) {
      throw new IncompatibleFilterException(
          String.format(
              Locale.ROOT,
              "the file needs a reader with features %x, which this version of Woodbird does not"
                  + " know: open it with a newer one",
              in.getInt(REQUIRED_AT)));
    }
    double fpp = in.getDouble(32);
    long expectedKeys = in.getLong(24);
    long dataBytes = in.getLong(48);
    int idLength = in.get(KEY_ID_AT) & 0xff;
    require(in.getInt(56) == PAGE_BYTES, "page size", in.getInt(56));
    require(expectedKeys >= 0, "expected keys", expectedKeys);
    require(fpp > 0 && fpp <= 1, "promised fpp", fpp);
    require(in.getLong(40) >= 0, "key count", in.getLong(40));
    require(dataBytes >= 0 && dataBytes <= 1L << 56 && dataBytes % 8 == 0, "data bytes", dataBytes);
    require(idLength <= Keys.MAX_ID_BYTES, "length of the key id", idLength);
    byte[] id = new byte[idLength];
    in.get(KEY_ID_AT + 1, id);
    Long[] parameters = new Long[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
      parameters[i] = in.getLong(64 + 8 * i);
    }
    return new Header(
        layout,
        in.getLong(16),
        new String(id, StandardCharsets.UTF_8),
        expectedKeys,
        fpp,
        in.getLong(40),
        dataBytes,
        List.of(parameters),
        in.getInt(JOURNAL_AT) & MAX_JOURNAL);
  }

  /** Returns where the data begins in a file with {@code dataBytes} bytes of data. */
  static int dataAt(long dataBytes) {
    // Pages then fall on pages of the system. A smaller file is read as a whole, and gains nothing.
    return dataBytes <= SMALL_DATA ? BYTES : PAGE_BYTES;
  }

  /**
   * Returns the checksum of what never changes as long as a filter lives: layout, seed and key
   * encoding. The checksums of its pages include it.
   */
  static int identity(ByteBuffer header) {
    return Bytes.crc(
        header.duplicate().limit(SEED_AT + 8).position(LAYOUT_AT),
        header.duplicate().limit(KEY_ID_END).position(KEY_ID_AT));
  }

  /** Returns the checksum of the header. */
  public int crc() {
    return encode().getInt(CRC_AT);
  }

  /**
   * Returns the checksum that is stored in a header. It may differ from {@link #crc()}: a header of
   * another minor version may have bytes that this version would not write.
   */
  static int storedCrc(ByteBuffer header) {
    return header.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(CRC_AT);
  }

  private static boolean crcFits(ByteBuffer header) {
    return header.getInt(CRC_AT) == crc(header);
  }

  private static int crc(ByteBuffer header) {
    return Bytes.crc(header.duplicate().position(0).limit(CRC_AT));
  }

  /** Throws if a field of the header is out of range. */
  public static void require(boolean right, String field, Object value)
      throws CorruptFilterException {
    if (!right) {
      throw new CorruptFilterException("the header has an impossible " + field + ": " + value);
    }
  }
}
