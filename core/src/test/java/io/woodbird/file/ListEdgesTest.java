package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deltas and sections with numbers at which sums and casts go wrong, and files that change. */
class ListEdgesTest {
  @TempDir private Path folder;
  private Path base;
  private Path delta;
  private Path target;
  private PrivateKey key;

  @BeforeEach
  void make() throws IOException {
    base = folder.resolve("base.wbird");
    delta = folder.resolve("today.wdelta");
    target = folder.resolve("patched.wbird");
    Files.writeString(folder.resolve("key.pem"), SignatureTest.PRIVATE);
    key = SignedFilters.readPrivateKey(folder.resolve("key.pem"));
    Woodbird.frozen(Keys.longs()).seed(3).buildTo(base, range(0, 300));
    Woodbird.delta(base, Keys.longs()).buildTo(delta, range(30, 330), range(0, 300));
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @Test
  void sectionsOfAnyLength_areRefused_orAnswer() throws IOException {
    Woodbird.patch(base, delta, target);
    Woodbird.sign(target, key, target);
    byte[] bytes = Files.readAllBytes(target);
    int sections = 0;
    int refused = 0;
    long at = FileWriter.sizeInBytes(Surgery.view(bytes).getLong(48)) - FileWriter.FOOTER_BYTES;
    while (Surgery.view(bytes).getLong((int) at) == Sections.MAGIC) {
      long length = Surgery.view(bytes).getLong((int) at + 16);
      for (long edge : HostileBytesTest.EDGES) {
        byte[] changed = bytes.clone();
        Surgery.view(changed).putLong((int) at + 16, edge);
        sealHead(changed, (int) at);
        refused += Parsers.wrap(changed) ? 0 : 1;
        refused += Parsers.read(changed) ? 0 : 1;
      }
      at += Sections.HEAD_BYTES + (length + 7 & -8);
      sections++;
    }
    assertThat(sections).isEqualTo(2);
    assertThat(refused).isEqualTo(2 * 2 * HostileBytesTest.EDGES.length);
  }

  /** Makes the checksum of a section's head right, so that its length is believed. */
  private static void sealHead(byte[] file, int at) {
    CRC32C crc = new CRC32C();
    crc.update(file, 252, 4);
    crc.update(file, at, 28);
    Surgery.view(file).putInt(at + 28, (int) crc.getValue());
  }

  @Test
  void deltasWithAnyNumbers_areRefused_orDenyNothing() throws IOException {
    byte[] bytes = Files.readAllBytes(delta);
    Path forged = folder.resolve("forged.wdelta");
    int refused = 0;
    int taken = 0;
    for (int at : new int[] {16, 24, 32, 40, 48, 64, 72, 80, 88, 120}) {
      for (long edge : HostileBytesTest.EDGES) {
        byte[] changed = bytes.clone();
        Surgery.view(changed).putLong(at, edge);
        Surgery.seal(changed, Surgery.view(changed).getLong(48));
        Files.write(forged, changed);
        try {
          Woodbird.patch(base, forged, target);
        } catch (CorruptFilterException | IncompatibleFilterException e) {
          assertThat(e.getMessage()).hasSizeGreaterThan(20);
          refused++;
          continue;
        }
        try (OpenFilter<Long> opened = Woodbird.open(target, Keys.longs())) {
          for (long number = 30; number < 330; number++) {
            if (!opened.mightContain(number)) {
              throw new AssertionError("byte " + at + ", " + edge + ": lost " + number);
            }
          }
        }
        taken++;
      }
    }
    assertThat(refused).isGreaterThan(100);
    assertThat(taken).as("any number of keys is right").isPositive();
  }

  @Test
  void aFileThatIsTooLargeForADelta_isRefusedBeforeItIsRead() throws IOException {
    Path large = folder.resolve("large.wdelta");
    for (long length : new long[] {(1L << 30) + 8, (1L << 31) + 8, 1L << 33}) {
      try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
        file.setLength(length); // A hole.
      }
      assertThatThrownBy(() -> Woodbird.patch(base, large, target))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("where none has more than 1,073,741,824");
    }
    assertThat(target).doesNotExist();
  }

  /** Somebody builds the list anew while it is patched or signed: the new list must stay. */
  @Test
  void aFileThatIsReplacedWhileItIsEdited_stays() throws IOException {
    FileEdit.Replaced replaced = FileEdit.Replaced.of(base, base);
    byte[] newer;
    try (StoredFile file = FileReader.open(base, OpenRules.ANY)) {
      Woodbird.frozen(Keys.longs()).seed(4).buildTo(base, range(0, 999));
      newer = Files.readAllBytes(base);
      byte[] overlay = Files.readAllBytes(delta);
      assertThatThrownBy(() -> FileEdit.patch(file, overlay, replaced))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("replaced meanwhile");
      assertThat(base).hasBinaryContent(newer);
      FileEdit.patch(file, overlay, FileEdit.Replaced.of(folder.resolve("key.pem"), target));
    }
    try (var files = Files.list(folder)) {
      assertThat(files).noneMatch(path -> path.toString().endsWith(".tmp"));
    }
    Woodbird.sign(base, key, base); // Nobody is in the way.
    assertThat(Files.size(base)).isGreaterThan(newer.length);
  }

  /** A delta is for the filter that was built, also if it was made from the patched one. */
  @Test
  void aDeltaOfAPatchedFile_isOneOfItsBase() throws IOException {
    Woodbird.patch(base, delta, target);
    Path next = folder.resolve("next.wdelta");
    Woodbird.delta(target, Keys.longs()).buildTo(next, range(60, 360), range(30, 330));
    Woodbird.patch(target, next, target);
    byte[] twice = Files.readAllBytes(target);
    Woodbird.patch(target, next, target);
    assertThat(target).hasBinaryContent(twice);
    Woodbird.patch(base, next, target);
    assertThat(target).hasBinaryContent(twice);
    try (OpenFilter<Long> opened = Woodbird.open(target, Keys.longs())) {
      for (long number = 60; number < 360; number++) {
        assertThat(opened.mightContain(number)).isTrue();
      }
    }
    ByteBuffer bytes = ByteBuffer.wrap(twice);
    assertThat(Woodbird.wrap(bytes, Keys.longs()).stats().layout()).contains("removed");
  }
}
