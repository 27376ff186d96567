package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The files under {@code spec/vectors/damaged}: golden files with one thing wrong.
 *
 * @param name of the file
 * @param must "refuse": it can't be opened; "read": it must be opened and answer as the golden file
 *     does; "maybe": if it is opened, no key that was put is denied
 * @param golden the golden file that it was
 * @param why what is wrong with it
 * @param bytes of the file
 */
record DamagedVectors(String name, String must, String golden, String why, byte[] bytes) {
  private static final String BLOOM = "two1-strings.wbird";
  private static final String PAGES = "four2-strings.wbird";
  private static final String SIGNED = "shipped/signed-strings.wbird";
  private static final String PATCHED = "shipped/patched-strings.wbird";

  static Path folder() {
    return GoldenFiles.folder().resolve("damaged");
  }

  private interface Damage {
    byte[] to(byte[] bytes) throws IOException;
  }

  private static DamagedVectors of(String name, String must, String golden, String why, Damage how)
      throws IOException {
    byte[] bytes = Files.readAllBytes(GoldenFiles.folder().resolve(golden));
    return new DamagedVectors(name + ".wbird", must, golden, why, how.to(bytes));
  }

  private static DamagedVectors refused(String name, String golden, String why, Damage how)
      throws IOException {
    return of(name, "refuse", golden, why, how);
  }

  /** A change of the header under right checksums. */
  private static Damage header(int at, int value) {
    return bytes -> {
      Surgery.view(bytes).putInt(at, value);
      return Surgery.seal(bytes, Surgery.view(bytes).getLong(48));
    };
  }

  private static Damage flip(int at) {
    return bytes -> Surgery.flipBit(bytes, 8L * (at < 0 ? bytes.length + at : at));
  }

  /** A section of twelve bytes before the footer. */
  private static Damage section(int flags, int wrong) {
    return bytes -> {
      ByteBuffer section = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
      byte[] body = "a later time".getBytes(StandardCharsets.US_ASCII);
      section.putLong(Sections.MAGIC).putInt(1_000_000).putInt(flags).putLong(12);
      section.putInt(Surgery.crc(body, 0, body.length));
      CRC32C crc = new CRC32C();
      crc.update(bytes, 252, 4);
      crc.update(section.array(), 0, 28);
      section.putInt((int) crc.getValue() ^ wrong).put(body);
      int footer = bytes.length - 16;
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 48);
      System.arraycopy(section.array(), 0, longer, footer, 48);
      System.arraycopy(bytes, footer, longer, footer + 48, 16);
      return longer;
    };
  }

  private static Damage fill(int from, int to, int value) {
    return bytes -> {
      Arrays.fill(bytes, from, to, (byte) value);
      return bytes;
    };
  }

  /** No bit of the page is set, and all checksums are right. */
  private static Damage forgedPage() {
    return bytes -> {
      long dataBytes = Surgery.view(bytes).getLong(48);
      Arrays.fill(bytes, 256, 256 + (int) dataBytes, (byte) -1);
      return Surgery.seal(bytes, dataBytes);
    };
  }

  /** Another checksum of the body of the overlay, under a head that is right. */
  private static Damage overlayChecksum() {
    return bytes -> {
      int section = (int) FileWriter.sizeInBytes(Surgery.view(bytes).getLong(48)) - 16;
      bytes[section + 24] ^= 1;
      CRC32C crc = new CRC32C();
      crc.update(bytes, 252, 4);
      crc.update(bytes, section, 28);
      Surgery.view(bytes).putInt(section + 28, (int) crc.getValue());
      return bytes;
    };
  }

  /** Another SHA-256 in the delta, and all checksums right. */
  private static Damage overlayOfAnotherBase() {
    return bytes -> {
      long dataBytes = Surgery.view(bytes).getLong(48);
      int section = (int) FileWriter.sizeInBytes(dataBytes) - 16;
      int at = section + Sections.HEAD_BYTES;
      int length = (int) Surgery.view(bytes).getLong(section + 16);
      byte[] delta = Arrays.copyOfRange(bytes, at, at + length);
      delta[256] ^= 1;
      Surgery.seal(delta, Surgery.view(delta).getLong(48));
      System.arraycopy(delta, 0, bytes, at, length);
      return Surgery.seal(bytes, dataBytes);
    };
  }

  /** The delta in the overlay of a file. */
  private static byte[] delta(byte[] bytes) {
    int section = (int) FileWriter.sizeInBytes(Surgery.view(bytes).getLong(48)) - 16;
    int at = section + Sections.HEAD_BYTES;
    return Arrays.copyOfRange(bytes, at, at + (int) Surgery.view(bytes).getLong(section + 16));
  }

  /** Another seed in the file of the added keys, and all checksums right. */
  private static Damage overlayOfOtherParts() {
    return bytes -> {
      byte[] delta = delta(bytes);
      int partAt = 256 + 32;
      byte[] part =
          Arrays.copyOfRange(delta, partAt, partAt + (int) Surgery.view(delta).getLong(64));
      part[16] ^= 1;
      Surgery.seal(part, Surgery.view(part).getLong(48));
      System.arraycopy(part, 0, delta, partAt, part.length);
      Surgery.seal(delta, Surgery.view(delta).getLong(48));
      long dataBytes = Surgery.view(bytes).getLong(48);
      int at = (int) FileWriter.sizeInBytes(dataBytes) - 16 + Sections.HEAD_BYTES;
      System.arraycopy(delta, 0, bytes, at, delta.length);
      return Surgery.seal(bytes, dataBytes);
    };
  }

  /** An overlay for this very file, whose layout takes none. */
  private static Damage overlayOnAMap() {
    return bytes -> {
      byte[] delta = delta(Files.readAllBytes(GoldenFiles.folder().resolve(PATCHED)));
      try (StoredFile base = FileReader.of(ByteBuffer.wrap(bytes))) {
        System.arraycopy(base.reference(), 0, delta, 256, 32);
      }
      Surgery.seal(delta, Surgery.view(delta).getLong(48));
      byte[] section = Sections.encode(Sections.OVERLAY, delta, Surgery.view(bytes).getInt(252));
      byte[] longer = Arrays.copyOf(bytes, bytes.length + section.length);
      System.arraycopy(bytes, bytes.length - 16, longer, longer.length - 16, 16);
      System.arraycopy(section, 0, longer, bytes.length - 16, section.length);
      return longer;
    };
  }

  /** Whether it is to be opened only if the key of the vectors signed it. */
  boolean isSigned() {
    return golden.equals(SIGNED);
  }

  static List<DamagedVectors> all() throws IOException {
    return List.of(
        refused("magic", BLOOM, "one bit of the magic", flip(1)),
        refused("header-seed", BLOOM, "one bit of the seed", flip(16)),
        refused("header-reserved", BLOOM, "one bit of a reserved byte", flip(240)),
        refused("version-1", BLOOM, "major version 1", header(8, 1)),
        refused("version-3", BLOOM, "major version 3", header(8, 3)),
        refused("layout", BLOOM, "an unknown layout", header(12, 63)),
        refused("feature", BLOOM, "a required feature that nobody knows", header(196, 4)),
        refused("journal", BLOOM, "keys are missing that are in journal 7", header(60, 7)),
        refused("page-size", BLOOM, "pages of 8192 bytes", header(56, 8192)),
        refused("cut", BLOOM, "the last byte is missing", b -> Arrays.copyOf(b, b.length - 1)),
        refused("long", BLOOM, "a byte too many", b -> Arrays.copyOf(b, b.length + 1)),
        refused("page-table", BLOOM, "one bit of the page table", flip(-20)),
        refused("end-mark", BLOOM, "one bit of the end mark", flip(-16)),
        refused("table-checksum", BLOOM, "one bit of the page table's checksum", flip(-8)),
        refused("footer-header", BLOOM, "the footer of another header", flip(-4)),
        refused("section-must", BLOOM, "an unknown section of the must kind", section(1, 0)),
        refused("section-head", BLOOM, "a section with a damaged head", section(0, 1)),
        of("section-may", "read", BLOOM, "an unknown section that may be skipped", section(0, 0)),
        of("minor", "read", BLOOM, "a later minor version", header(8, 2 | 9 << 16)),
        refused(
            "ribbon-table", "frozen/ribbon-strings.wbird", "one bit of the shard table", flip(260)),
        refused(
            "growing-table",
            "growing/growing-strings.wbird",
            "one bit of the shard table",
            flip(260)),
        refused("window-state", "window/window-strings.wbird", "one bit of the state", flip(-36)),
        refused("signed-none", SIGNED, "the signature is missing", Surgery::withoutSections),
        refused("signed-header", SIGNED, "another header, right checksums", header(24, 1499)),
        of("signed-page", "maybe", SIGNED, "another page, right checksums", forgedPage()),
        refused("signed-bit", SIGNED, "one bit of the signature", flip(-100)),
        refused("overlay-sum", PATCHED, "one bit of the overlay's checksum", overlayChecksum()),
        refused("overlay-base", PATCHED, "the overlay of another base", overlayOfAnotherBase()),
        refused("overlay-parts", PATCHED, "a part with another seed", overlayOfOtherParts()),
        refused("overlay-map", "lists/map-strings.wbird", "the base is a map", overlayOnAMap()),
        of("page", "maybe", PAGES, "no bit is set in the first page", fill(256, 4352, -1)),
        of("last-page", "maybe", PAGES, "none in the last page", fill(4352, 5440, -1)));
  }

  String line() {
    return String.format(
        Locale.ROOT,
        "{\"file\": \"%s\", \"must\": \"%s\", \"golden\": \"%s\", \"why\": \"%s\"}",
        name,
        must,
        golden,
        why);
  }

  static String index() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (DamagedVectors vector : all()) {
      lines.append(vector.line()).append('\n');
    }
    return lines.toString();
  }

  static void write() throws IOException {
    Files.createDirectories(folder());
    for (DamagedVectors vector : all()) {
      Files.write(folder().resolve(vector.name), vector.bytes);
    }
    Files.writeString(folder().resolve(GoldenFiles.INDEX), index(), StandardCharsets.US_ASCII);
  }
}
