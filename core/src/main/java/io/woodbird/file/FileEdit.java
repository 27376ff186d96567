package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Copies a file with other sections. Header, data and page table stay as they are. */
public final class FileEdit {
  /** The most bytes of a delta that can be laid over a file. */
  public static final int MAX_OVERLAY_BYTES = Sections.MAX_OVERLAY_BYTES;

  private FileEdit() {}

  /**
   * Signs a file, in place of a signature that it may have; also the delta in its overlay. The
   * target may be the file itself. Throws if the keys are not a pair of Ed25519.
   */
  public static void sign(Path path, PrivateKey key, PublicKey publicKey, Path target)
      throws IOException, GeneralSecurityException {
    Replaced replaced = Replaced.of(path, target);
    try (StoredFile file = FileReader.open(path, OpenRules.ANY)) {
      file.requireWhole(path + ": ");
      byte[] overlay = file.overlay();
      if (overlay != null) {
        StoredFile delta = FileReader.of(ByteBuffer.wrap(overlay));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] section =
            Sections.encode(
                Sections.SIGNATURE, signature(delta, key, publicKey), delta.frame().headerCrc());
        copy(delta, List.of(section), Channels.newChannel(out));
        overlay = out.toByteArray();
      }
      save(file, signature(file, key, publicKey), overlay, replaced);
    }
  }

  private static byte[] signature(StoredFile file, PrivateKey key, PublicKey publicKey)
      throws CorruptFilterException, GeneralSecurityException {
    byte[] buffer = new byte[Header.PAGE_BYTES];
    return FileSignature.sign(
        key,
        publicKey,
        file.frame().head(),
        file.frame().pages(),
        page -> {
          ByteBuffer content = ByteBuffer.wrap(buffer, 0, file.frame().pageBytes(page));
          file.copyData((long) page * Header.PAGE_BYTES, content);
          return content.flip();
        });
  }

  private static void copy(StoredFile file, List<byte[]> sections, WritableByteChannel out)
      throws IOException {
    ByteBuffer head = Bytes.wrap(file.frame().head());
    FileWriter.write(head, file.header().dataBytes(), file::copyData, sections, out);
  }

  /** Writes a file with another overlay; a signature stays, as it does not cover the overlay. */
  public static void patch(StoredFile base, byte[] delta, Replaced target) throws IOException {
    save(base, base.signature(), delta, target);
  }

  /** A file that an edited copy replaces, perhaps the one that is copied. */
  public static final class Replaced {
    private final Path path;
    private final @Nullable BasicFileAttributes before;

    private Replaced(Path path, @Nullable BasicFileAttributes before) {
      this.path = path;
      this.before = before;
    }

    /** Looks at the target, before the source is opened. */
    public static Replaced of(Path source, Path target) throws IOException {
      boolean itself = Files.exists(target) && Files.isSameFile(source, target);
      return new Replaced(target, itself ? look(target) : null);
    }

    private static BasicFileAttributes look(Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class);
    }

    Path path() {
      return path;
    }

    /** Throws if another file took the place of the one that was copied: it would be lost. */
    void requireSame() throws IOException {
      if (before == null) {
        return;
      }
      BasicFileAttributes now = look(path);
      if (!Objects.equals(now.fileKey(), before.fileKey())
          || !now.lastModifiedTime().equals(before.lastModifiedTime())
          || now.size() != before.size()) {
        throw new FileSystemException(path.toString(), null, "it was replaced meanwhile");
      }
    }
  }

  private static void save(
      StoredFile file, byte @Nullable [] signature, byte @Nullable [] overlay, Replaced target)
      throws IOException {
    int headerCrc = file.frame().headerCrc();
    List<byte[]> sections = new ArrayList<>();
    if (signature != null) {
      sections.add(Sections.encode(Sections.SIGNATURE, signature, headerCrc));
    }
    if (overlay != null) {
      sections.add(Sections.encode(Sections.OVERLAY, overlay, headerCrc));
    }
    file.verify();
    TemporaryFile.save(target.path, out -> copy(file, sections, out), target::requireSame);
  }
}
