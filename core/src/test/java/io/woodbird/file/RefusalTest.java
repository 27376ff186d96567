package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not ours, or not for these keys, is refused at once, each with its own message. */
class RefusalTest {
  @TempDir private Path folder;

  private final Sample sample = Sample.small().get(0);

  /** Refused by each way to read. */
  private void refused(byte[] bytes, KeyHasher<?> keys, Class<?> type, String... parts)
      throws IOException {
    Path path = folder.resolve("refused.wbird");
    Files.write(path, bytes);
    ThrowingCallable[] ways = {
      () -> Woodbird.open(path, keys),
      () -> Woodbird.wrap(ByteBuffer.wrap(bytes), keys),
      () -> Woodbird.readFrom(new ByteArrayInputStream(bytes), keys)
    };
    for (ThrowingCallable way : ways) {
      assertThatThrownBy(way).isInstanceOf(type).message().contains(parts);
    }
  }

  @Test
  void anotherKeyEncoding_isRefused_showingBoth() throws IOException {
    refused(
        sample.bytes(),
        Keys.strings(),
        IncompatibleFilterException.class,
        "its keys:   int64:splitmix64",
        "your keys:  bytes:rapidhash3");
  }

  @Test
  void anotherSecret_isRefused() throws IOException {
    byte[] bytes = GoldenFiles.bytes(Woodbird.bloom(Keys.keyed(new byte[16]).longs(), 10).build());
    byte[] other = new byte[16];
    other[15] = 1;
    refused(
        bytes,
        Keys.keyed(other).longs(),
        IncompatibleFilterException.class,
        "its keys:   int64:siphash13:",
        "your keys:  int64:siphash13:");
    refused(bytes, Keys.longs(), IncompatibleFilterException.class, "your keys:  int64:splitmix64");
  }

  @Test
  void anotherMajorVersion_isRefused_sayingWhatToDo() throws IOException {
    byte[] bytes = sample.bytes().clone();
    Surgery.view(bytes).putShort(8, (short) 3).putShort(10, (short) 4);
    refused(
        Surgery.seal(bytes, sample.dataBytes()),
        Keys.longs(),
        IncompatibleFilterException.class,
        "version 3.4",
        "reads version 2.x",
        "newer Woodbird");
  }

  @Test
  void aDamagedVersion_isDamage_notAnotherVersion() throws IOException {
    byte[] bytes = sample.bytes().clone();
    bytes[8] = 3;
    refused(bytes, Keys.longs(), CorruptFilterException.class, "header", "checksum");
  }

  @Test
  void anUnknownLayout_isRefused() throws IOException {
    byte[] bytes = sample.bytes().clone();
    Surgery.view(bytes).putInt(12, 77);
    refused(
        Surgery.seal(bytes, sample.dataBytes()),
        Keys.longs(),
        IncompatibleFilterException.class,
        "layout 77",
        "newer");
  }

  @Test
  void aForeignFile_isRefused() throws IOException {
    byte[] text = "#!/bin/sh\necho hello\n".repeat(20).getBytes(StandardCharsets.UTF_8);
    refused(text, Keys.longs(), CorruptFilterException.class, "not a .wbird file");
    refused(new byte[1000], Keys.longs(), CorruptFilterException.class, "not a .wbird file");
    refused(new byte[0], Keys.longs(), CorruptFilterException.class, "cut short");
  }

  @Test
  void aFileThatWentThroughATextTransfer_isRefused() throws IOException {
    String text = new String(sample.bytes(), StandardCharsets.ISO_8859_1);
    byte[] unix = text.replace("\r\n", "\n").getBytes(StandardCharsets.ISO_8859_1);
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    refused(unix, Keys.longs(), CorruptFilterException.class, "not a .wbird file");
    refused(utf8, Keys.longs(), CorruptFilterException.class, "not a .wbird file");
  }

  @Test
  void aFileThatNeedsItsJournal_isRefused_byAllWhoHaveNone() throws IOException {
    byte[] bytes = sample.bytes().clone();
    Surgery.view(bytes).putInt(60, 12345);
    Surgery.seal(bytes, sample.dataBytes());
    Path path = Files.write(folder.resolve("journal.wbird"), bytes);
    assertThatThrownBy(() -> Woodbird.open(path, Keys.longs())).hasMessageContaining("not whole");
    assertThatThrownBy(() -> Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()))
        .hasMessageContaining("not whole");
  }

  @Test
  void aNewerMinorVersion_isRead_whateverTheReservedBytesHold() throws IOException {
    byte[] bytes = sample.bytes().clone();
    Surgery.view(bytes)
        .putShort(10, (short) 9)
        .putLong(120, -1) // A parameter that the layout does not have.
        .putLong(200, -1);
    Surgery.seal(bytes, sample.dataBytes());
    Filter<Long> wrapped = Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
    Filter<Long> read = Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs());
    Path path = Files.write(folder.resolve("newer.wbird"), bytes);
    try (OpenFilter<Long> mapped = Woodbird.open(path, Keys.longs())) {
      mapped.verify();
      for (long hash : sample.hashes()) {
        assertThat(wrapped.mightContainHash(hash)).isTrue();
        assertThat(read.mightContainHash(hash)).isTrue();
        assertThat(mapped.mightContainHash(hash)).isTrue();
      }
      // Written again, it is a file of this version.
      byte[] again = GoldenFiles.bytes(mapped);
      assertThat(again[10]).isZero();
      Woodbird.readFrom(new ByteArrayInputStream(again), Keys.longs());
    }
  }

  @Test
  void aMissingFile_andAFolder_areIoErrors() {
    assertThatThrownBy(() -> Woodbird.open(folder.resolve("none"), Keys.longs()))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("none");
    assertThatThrownBy(() -> Woodbird.open(folder, Keys.longs())).isInstanceOf(IOException.class);
  }
}
