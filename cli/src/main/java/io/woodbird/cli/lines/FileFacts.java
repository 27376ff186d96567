package io.woodbird.cli.lines;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the first bytes of a filter file say, see spec/. Only to know how to open it: whoever opens
 * it checks them.
 *
 * @param major the version of the format
 * @param minor its minor version
 * @param layout the number of the layout
 * @param seed of the hash function
 * @param expectedKeys how many keys were planned
 * @param promisedFpp the promise
 * @param keyCount how many keys are in, 0 where the layout does not count
 * @param keyId the key encoding
 */
public record FileFacts(
    int major,
    int minor,
    int layout,
    long seed,
    long expectedKeys,
    double promisedFpp,
    long keyCount,
    String keyId) {
  private static final int HEADER = 256;
  private static final long MAGIC = 0x0a0d_4452_4942_5789L;
  private static final int MAJOR = 1;
  private static final int KEY_ID_AT = 128;

  /** Layouts of the Bloom filters that take keys and unite. */
  public boolean isBloom() {
    return layout == 1 || layout == 2;
  }

  /** Whether it holds the bits of a well-known scheme, which is asked in another way. */
  public boolean isScheme() {
    return layout == 64;
  }

  /** The name of the family, as {@code --family} takes it. */
  public String family() {
    return switch (layout) {
      case 1 -> "bloom";
      case 2 -> "bloom-classic";
      case 3 -> "ribbon";
      case 4 -> "fuse";
      case 64 -> keyId.startsWith("scheme:") ? keyId.substring(7) : keyId;
      default -> "layout " + layout;
    };
  }

  /** Reads the header of a file. */
  public static FileFacts read(Path path) throws IOException {
    byte[] bytes;
    if (Files.isDirectory(path)) {
      throw notAFilter(path, "It is a folder.");
    }
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(HEADER);
    } catch (IOException e) {
      throw Source.unreadable(path, e);
    }
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < 8 || header.getLong(0) != MAGIC) {
      throw notAFilter(path, "Its first bytes are not those of a .wbird file.");
    }
    if (bytes.length < HEADER) {
      throw new Failure(
          Problem.DAMAGED,
          path + " is damaged: it has only " + bytes.length + " bytes.",
          "The header of a filter alone has 256.",
          "copy it again");
    }
    int major = header.getShort(8) & 0xffff;
    if (major > MAJOR) {
      throw new Failure(
          Problem.TOO_NEW,
          path + " was written in format " + major + "; this woodbird reads format " + MAJOR + ".",
          "The file is not damaged.",
          "a newer woodbird");
    }
    int length = Math.min(64, header.get(KEY_ID_AT) & 0xff);
    return new FileFacts(
        major,
        header.getShort(10) & 0xffff,
        header.getInt(12),
        header.getLong(16),
        header.getLong(24),
        header.getDouble(32),
        header.getLong(40),
        new String(bytes, KEY_ID_AT + 1, length, StandardCharsets.UTF_8));
  }

  private static Failure notAFilter(Path path, String why) {
    return new Failure(
        Problem.NOT_A_FILTER,
        path + " is not a filter file.",
        why,
        "woodbird build " + path + " (if it holds lines)",
        "woodbird convert (if it is Guava's)");
  }
}
