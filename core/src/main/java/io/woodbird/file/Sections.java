package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The sections of a file, between its page table and its footer. */
final class Sections {
  /*
   * A section begins with a mark, so that a reader of a stream can tell it from the footer:
   *
   *    0  mark             89 'W' 'S' 'e' 'c' 't' 0D 0A
   *    8  u32 kind, u32 flags: bit 0 says that a reader must understand the section
   *   16  u64 bytes of the body
   *   24  u32 CRC32C of the body
   *   28  u32 CRC32C of the header's CRC32C and the 28 bytes before
   *   32  the body, and zeros up to a multiple of eight
   *
   * A section of an unknown kind is skipped, or the file refused if it must be understood.
   */
  static final int HEAD_BYTES = 32;
  static final long MAGIC = 0x0a0d_7463_6553_5789L;

  /** Who signed the file. May be ignored. */
  static final int SIGNATURE = 1;

  /** Which keys were added and removed since. Must be understood. */
  static final int OVERLAY = 2;

  /** Bodies beyond it are refused, so that sums can't overflow. */
  private static final long MAX_BODY_BYTES = 1L << 56;

  /** An overlay is read into an array. */
  static final int MAX_OVERLAY_BYTES = 1 << 30;

  private static final int MUST_UNDERSTAND = 1;

  /** Where the body of a section is; empty if there is no such section. */
  record Place(long at, long bytes) {
    static final Place NONE = new Place(0, -1);

    boolean exists() {
      return bytes >= 0;
    }
  }

  record Head(int kind, long bytes, int bodyCrc) {
    /** Whether this version knows the kind. */
    boolean isKnown() {
      return kind == SIGNATURE || kind == OVERLAY;
    }

    /** The bytes of the body, and of the zeros behind it. */
    long padded() {
      return bytes + 7 & -8;
    }
  }

  private final ByteSource bytes;
  private final int headerCrc;
  private final long length;
  private Place signature = Place.NONE;
  private Place overlay = Place.NONE;
  private long end;

  private Sections(ByteSource bytes, int headerCrc, long length) {
    this.bytes = bytes;
    this.headerCrc = headerCrc;
    this.length = length;
  }

  /**
   * Goes through the sections, which begin at {@code from} and have a footer behind them, and
   * checks those that this version knows.
   */
  static Sections read(ByteSource bytes, int headerCrc, long from, long length) throws IOException {
    Sections sections = new Sections(bytes, headerCrc, length);
    sections.readFrom(from);
    return sections;
  }

  private void readFrom(long from) throws IOException {
    long at = from;
    byte[] head = new byte[HEAD_BYTES];
    while (true) {
      bytes.copy(at, head, 8);
      if (Bytes.wrap(head).getLong(0) != MAGIC) {
        end = at;
        return;
      }
      requireLength(at + HEAD_BYTES + FileWriter.FOOTER_BYTES);
      bytes.copy(at, head, head.length);
      Head section = head(Bytes.wrap(head), headerCrc, at);
      long next = at + HEAD_BYTES + section.padded();
      requireLength(next + FileWriter.FOOTER_BYTES);
      if (section.isKnown()) {
        take(section, at);
      }
      at = next;
    }
  }

  private void requireLength(long least) throws CorruptFilterException {
    if (length < least) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT, "cut short: %,d bytes where a section needs %,d", length, least));
    }
  }

  private void take(Head section, long at) throws IOException {
    Place place = new Place(at + HEAD_BYTES, section.bytes);
    Place before = section.kind == SIGNATURE ? signature : overlay;
    CRC32C crc = new CRC32C();
    bytes.forEachPart(place.at, place.bytes, crc::update);
    if (before.exists()
        || (int) crc.getValue() != section.bodyCrc
        || !bytes.isZero(place.at + place.bytes, (int) (-place.bytes & 7))) {
      throw damaged(at);
    }
    if (section.kind == SIGNATURE) {
      signature = place;
    } else {
      overlay = place;
    }
  }

  /** Checks the head of a section that begins at {@code at}. */
  static Head head(ByteBuffer head, int headerCrc, long at) throws CorruptFilterException {
    long body = head.getLong(16);
    if (head.getInt(28) != headCrc(head, headerCrc) || body < 0 || body > MAX_BODY_BYTES) {
      throw damaged(at);
    }
    Head section = new Head(head.getInt(8), body, head.getInt(24));
    if ((head.getInt(12) & MUST_UNDERSTAND) != 0 && !section.isKnown()) {
      throw new IncompatibleFilterException(
          "the file has a section of kind "
              + section.kind
              + ", without which it must not be read and which this version of Woodbird does not"
              + " know: open it with a newer one");
    }
    return section;
  }

  private static CorruptFilterException damaged(long at) {
    return new CorruptFilterException(
        String.format(Locale.ROOT, "the section at byte %,d is damaged: wrong checksum", at));
  }

  private static int headCrc(ByteBuffer head, int headerCrc) {
    ByteBuffer before = head.duplicate().position(0).limit(HEAD_BYTES - 4);
    return Bytes.crc(Bytes.allocate(4).putInt(headerCrc).flip(), before);
  }

  /** Returns the bytes of a section that this version knows. */
  static byte[] encode(int kind, byte[] body, int headerCrc) {
    int padded = Math.addExact(body.length, 7) & -8;
    byte[] bytes = new byte[HEAD_BYTES + padded];
    ByteBuffer section = Bytes.wrap(bytes);
    section.putLong(MAGIC).putInt(kind).putInt(kind == OVERLAY ? MUST_UNDERSTAND : 0);
    section.putLong(body.length).putInt(Bytes.crc(ByteBuffer.wrap(body)));
    section.putInt(headCrc(section, headerCrc)).put(body);
    return bytes;
  }

  /** Where the footer begins. */
  long end() {
    return end;
  }

  /** Returns the body of the signature; null if there is none. */
  byte @Nullable [] signature() throws IOException {
    return body(signature, Integer.MAX_VALUE - 64);
  }

  /** Returns the body of the overlay; null if there is none. */
  byte @Nullable [] overlay() throws IOException {
    return body(overlay, MAX_OVERLAY_BYTES);
  }

  private byte @Nullable [] body(Place place, int most) throws IOException {
    if (!place.exists()) {
      return null;
    }
    if (place.bytes > most) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "a section has %,d bytes: too many to be read", place.bytes));
    }
    byte[] body = new byte[(int) place.bytes];
    bytes.copy(place.at, body, body.length);
    return body;
  }
}
