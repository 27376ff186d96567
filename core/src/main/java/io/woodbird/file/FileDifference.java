package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;

/** Writes the bytes in which a file differs from an older one, as a delta. */
public final class FileDifference {
  /*
   *    0  the SHA-256 of the old file
   *   32  the SHA-256 of the new file
   *   64  edits, and zeros up to a multiple of eight
   *
   * An edit has two numbers and some bytes: how many bytes of the new file are those of the old one
   * at the same place, how many follow that are not, and the latter. Numbers are LEB128. Behind the
   * last edit the new file is as the old one.
   *
   * A put changes a few bytes of a Bloom, counting or quotient filter, and one page hash of the
   * signature. A frozen filter is solved again for each list, and shares bytes with its successor
   * only by chance: such a pair is refused (see MOST_OF_NEW), and gets an Overlay.
   */
  static final int EDITS_AT = 64;

  /** This many equal bytes end an edit: to begin another takes three bytes or more. */
  private static final int GAP = 4;

  private static final int LONGEST_EDIT = 1 << 16;

  /** A delta has at most half the bytes of the new file, or 512. A larger one saves too little. */
  private static final int MOST_OF_NEW = 2;

  private static final int ALWAYS_ENOUGH = 512;

  private FileDifference() {}

  /**
   * Writes a delta from one file, with its path, to another, completely or not at all, and returns
   * its header. Throws if the files have too little in common.
   */
  public static Header write(
      StoredFile oldFile, Path old, StoredFile newFile, Path now, Path target) throws IOException {
    requireSound(oldFile, old);
    requireSound(newFile, now);
    long oldBytes = oldFile.frame().length();
    long newBytes = newFile.frame().length();
    try (FileBuilder builder = new FileBuilder(target);
        InputStream oldIn = new FileInputStream(old.toFile()); // Ignores interrupts.
        InputStream newIn = new FileInputStream(now.toFile())) {
      Edits edits = new Edits(builder, Math.max(ALWAYS_ENOUGH, newBytes / MOST_OF_NEW));
      long editBytes = compare(oldIn, newIn, edits);
      Header about = newFile.header();
      Header header =
          new Header(
              LayoutId.DIFFERENCE,
              about.seed(),
              about.keyId(),
              about.expectedKeys(),
              about.promisedFpp(),
              about.keyCount(),
              EDITS_AT + (editBytes + 7 & -8),
              List.of(oldBytes, newBytes, editBytes, newFile.signature() == null ? 0L : 1L));
      builder.finish(header);
      return header;
    }
  }

  /** Checks all of a file, so that no damage is shipped. */
  private static void requireSound(StoredFile file, Path path) throws IOException {
    if (file.header().layout().isDelta()) {
      throw new IncompatibleFilterException(path + " is a delta, and no filter");
    }
    try {
      file.verify();
    } catch (CorruptFilterException e) {
      throw new CorruptFilterException(path + ": " + e.getMessage());
    }
  }

  /** Finds the edits; returns how many bytes they have. */
  private static long compare(InputStream old, InputStream now, Edits edits) throws IOException {
    MessageDigest oldHash = FileSignature.sha256();
    MessageDigest newHash = FileSignature.sha256();
    byte[] before = new byte[FileWriter.BUFFER_BYTES];
    byte[] after = new byte[FileWriter.BUFFER_BYTES];
    int had;
    int has;
    do {
      had = old.readNBytes(before, 0, before.length);
      has = now.readNBytes(after, 0, after.length);
      oldHash.update(before, 0, had);
      newHash.update(after, 0, has);
      for (int i = 0; i < has; i++) {
        edits.add(after[i], i < had && before[i] == after[i]);
      }
    } while (had + has > 0);
    return edits.finish(oldHash.digest(), newHash.digest());
  }

  /** Edits on their way into a file. */
  private static final class Edits {
    private final FileBuilder builder;
    private final long most;
    private final ByteArrayOutputStream edit = new ByteArrayOutputStream();
    private final ByteBuffer buffer = Bytes.allocate(FileWriter.BUFFER_BYTES);

    /** Bytes since the last edit that both files have, before those of the next one. */
    private long same;

    /** Bytes at the end of the edit that both files have too. */
    private int equal;

    private long words = EDITS_AT / 8;
    private long bytes;

    Edits(FileBuilder builder, long most) {
      this.builder = builder;
      this.most = most;
    }

    void add(byte value, boolean unchanged) throws IOException {
      if (unchanged && edit.size() == 0) {
        same++;
        return;
      }
      edit.write(value);
      equal = unchanged ? equal + 1 : 0;
      if (equal == GAP || edit.size() == LONGEST_EDIT) {
        flush();
      }
    }

    private void flush() throws IOException {
      int count = edit.size() - equal;
      if (count > 0) {
        number(same);
        number(count);
        byte[] all = edit.toByteArray();
        for (int i = 0; i < count; i++) {
          put(all[i]);
        }
        same = 0;
      }
      same += equal;
      equal = 0;
      edit.reset();
    }

    private void number(long value) throws IOException {
      long rest = value;
      for (; rest >>> 7 != 0; rest >>>= 7) {
        put((byte) (rest | 0x80));
      }
      put((byte) rest);
    }

    private void put(byte value) throws IOException {
      if (++bytes > most) {
        throw new IncompatibleFilterException(
            "the files have too little in common: a delta would be about as large as the new one."
                + " A frozen filter changes as a whole; its delta is made from the keys");
      }
      buffer.put(value);
      if (!buffer.hasRemaining()) {
        write();
      }
    }

    private void write() throws IOException {
      buffer.flip();
      long[] some = new long[buffer.limit() / 8];
      buffer.asLongBuffer().get(some);
      builder.write(words, some);
      words += some.length;
      buffer.clear();
    }

    /** Writes what is left, and the two hashes; returns how many bytes the edits have. */
    long finish(byte[] oldHash, byte[] newHash) throws IOException {
      flush();
      while (buffer.position() % 8 != 0) {
        buffer.put((byte) 0);
      }
      write();
      words = 0;
      buffer.put(oldHash).put(newHash);
      write();
      return bytes;
    }
  }
}
