package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileEdit;
import io.woodbird.file.FileReader;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is checked before a file of any family answers, with and without a delta over it. */
final class StoredFiltersTest {
  /** Where the second page of a small file begins: header and first page are before it. */
  private static final int SECOND_PAGE = 256 + 4096;

  @TempDir private Path folder;
  private Path base;
  private Path patched;
  private byte[] delta;

  @BeforeEach
  void make() throws IOException {
    base = folder.resolve("base.wbird");
    patched = folder.resolve("patched.wbird");
    Path file = folder.resolve("today.wdelta");
    Woodbird.frozen(Keys.longs()).seed(3).buildTo(base, range(0, 300));
    Woodbird.delta(base, Keys.longs()).buildTo(file, range(30, 330), range(0, 300));
    delta = Files.readAllBytes(file);
    Woodbird.patch(base, file, patched);
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** A filter with several pages, the second of which is damaged. */
  private static byte[] damaged() throws IOException {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 10_000).seed(3).build();
    filter.putAll(range(0, 10_000));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    byte[] bytes = out.toByteArray();
    bytes[SECOND_PAGE + 10] ^= 1;
    return bytes;
  }

  @Test
  void verify_checksADelta_andWhetherItIsForItsFile() throws IOException {
    Woodbird.verify(base);
    Woodbird.verify(patched);
    Woodbird.frozen(Keys.longs()).seed(3).buildTo(base, range(1, 301));
    try (StoredFile other = FileReader.open(base, OpenRules.ANY)) {
      FileEdit.patch(other, delta, FileEdit.Replaced.of(base, patched));
    }
    assertThatThrownBy(() -> Woodbird.verify(patched))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("another base");
    assertThatThrownBy(() -> Woodbird.open(patched, Keys.longs()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("another base");
  }

  @Test
  void verify_namesAFileOnce() throws IOException {
    Files.write(base, damaged());
    assertThatThrownBy(() -> Woodbird.verify(base))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageMatching("\\Q" + base + "\\E: 1 of \\d+ pages is damaged.*");
    Files.write(base, new byte[300]);
    assertThatThrownBy(() -> Woodbird.verify(base))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessage(base + ": not a .wbird file: the first eight bytes are not its magic");
  }

  @Test
  void aFileWithADamagedPage_answersFromTheOthers_andAStreamIsRefused() throws IOException {
    Files.write(base, damaged());
    try (OpenFilter<Long> opened = Woodbird.open(base, Keys.longs())) {
      assertThat(opened.candidates(range(0, 10_000))).hasSize(10_000);
      long denied =
          LongStream.range(20_000, 30_000).filter(key -> !opened.mightContain(key)).count();
      assertThat(denied).isBetween(1000L, 9600L); // Not those of the damaged page.
      assertThatThrownBy(opened::verify).isInstanceOf(CorruptFilterException.class);
      assertThat(opened.stats().doubts()).hasSize(1);
    }
    byte[] bytes = damaged();
    assertThatThrownBy(() -> Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))
        .isInstanceOf(CorruptFilterException.class);
  }

  @Test
  void aWordOfADamagedPage_provesNothing() throws IOException {
    StoredFile file = FileReader.of(ByteBuffer.wrap(damaged()));
    GoodWords words = new GoodWords(file);
    long bad = (SECOND_PAGE - 256) / 8;
    assertThat(words.get(bad - 1)).isEqualTo(file.word(bad - 1)).isNotZero();
    assertThat(words.get(bad + 512)).isEqualTo(file.word(bad + 512)).isNotZero();
    for (long word = bad; word < bad + 512; word++) {
      long asked = word;
      assertThatThrownBy(() -> words.get(asked)).isInstanceOf(GoodWords.Unproven.class);
    }
  }

  @Test
  void aDurableFilterInUse_isReadByNobodyElse() throws IOException {
    Path used = folder.resolve("used.wbird");
    try (DurableFilter<Long> durable = Woodbird.bloom(Keys.longs(), 100).seed(3).file(used)) {
      durable.put(1L);
      byte[] bytes = Files.readAllBytes(used);
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> Woodbird.open(used, Keys.longs()),
              () -> Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()),
              () -> Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()),
              () ->
                  Woodbird.delta(used, Keys.longs()).buildTo(patched, range(0, 1), range(0, 1)))) {
        assertThatThrownBy(call)
            .isInstanceOf(CorruptFilterException.class)
            .hasMessageContaining("not whole");
      }
    }
  }
}
