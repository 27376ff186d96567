package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("jdk")
final class HeaderTest {
  private static final Header SAMPLE =
      new Header(
          LayoutId.BLOCKED_BLOOM,
          0x0102030405060708L,
          "bytes:rapidhash3",
          1000,
          0.01,
          0,
          8192,
          List.of(128L, 3L));

  /** Changes a header and signs it again, as if it had been written so. */
  private static ByteBuffer forged(Consumer<ByteBuffer> change) {
    ByteBuffer bytes = SAMPLE.encode().order(ByteOrder.LITTLE_ENDIAN);
    change.accept(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(252));
    return bytes.putInt(252, (int) crc.getValue());
  }

  @Test
  void theFieldsLieWhereTheFormatSays() {
    ByteBuffer bytes = SAMPLE.encode().order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.remaining()).isEqualTo(Header.BYTES).isEqualTo(256);
    byte[] magic = new byte[8];
    bytes.get(0, magic);
    assertThat(magic).containsExactly(0x89, 'W', 'B', 'I', 'R', 'D', 0x0d, 0x0a);
    assertThat(bytes.getShort(8)).isEqualTo((short) 2);
    assertThat(bytes.getShort(10)).isEqualTo((short) 0);
    assertThat(bytes.getInt(12)).isEqualTo(1);
    assertThat(bytes.getLong(16)).isEqualTo(0x0102030405060708L);
    assertThat(bytes.getLong(24)).isEqualTo(1000);
    assertThat(bytes.getDouble(32)).isEqualTo(0.01);
    assertThat(bytes.getLong(40)).isZero();
    assertThat(bytes.getLong(48)).isEqualTo(8192);
    assertThat(bytes.getInt(56)).isEqualTo(4096);
    assertThat(bytes.getInt(60)).isZero();
    assertThat(bytes.getLong(64)).isEqualTo(128);
    assertThat(bytes.getLong(72)).isEqualTo(3);
    assertThat(bytes.getLong(80)).isZero();
    assertThat(bytes.get(128)).isEqualTo((byte) 16);
    byte[] id = new byte[17];
    bytes.get(129, id);
    assertThat(new String(id, StandardCharsets.US_ASCII)).isEqualTo("bytes:rapidhash3\0");
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(0).limit(252));
    assertThat(bytes.getInt(252)).isEqualTo((int) crc.getValue()).isEqualTo(SAMPLE.crc());
  }

  @Test
  void decode_undoesEncode() throws CorruptFilterException {
    SplittableRandom random = new SplittableRandom(0x4ead);
    for (int round = 0; round < 1000; round++) {
      LayoutId[] layouts = LayoutId.values();
      Header header =
          new Header(
              layouts[random.nextInt(layouts.length)],
              random.nextLong(),
              "\u00e9".repeat(random.nextInt(33)),
              random.nextLong() >>> 1,
              1 - random.nextDouble(),
              random.nextLong() >>> 1,
              random.nextLong(1L << 53) * 8,
              random.longs(8).boxed().toList());
      Header again = Header.decode(header.encode());
      assertThat(again).isEqualTo(header);
      assertThat(again.crc()).isEqualTo(header.crc());
    }
  }

  @Test
  void parameter_thatIsNotGivenIsZero() throws CorruptFilterException {
    assertThat(SAMPLE.parameter(1)).isEqualTo(3);
    assertThat(SAMPLE.parameter(7)).isZero();
    assertThat(Header.decode(SAMPLE.encode()).parameters())
        .containsExactly(128L, 3L, 0L, 0L, 0L, 0L, 0L, 0L);
  }

  @Test
  void everyFlippedBitIsNoticed() {
    for (int bit = 0; bit < 8 * Header.BYTES; bit++) {
      ByteBuffer bytes = SAMPLE.encode();
      bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ 1 << bit % 8));
      assertThatExceptionOfType(CorruptFilterException.class)
          .as("bit %d", bit)
          .isThrownBy(() -> Header.decode(bytes));
    }
  }

  private static Arguments impossible(String field, Object value, Consumer<ByteBuffer> change) {
    return Arguments.of(field, value, change);
  }

  static Stream<Arguments> impossible() {
    return Stream.of(
        impossible("page size", 8192, bytes -> bytes.putInt(56, 8192)),
        impossible("page size", 0, bytes -> bytes.putInt(56, 0)),
        impossible("expected keys", -1L, bytes -> bytes.putLong(24, -1)),
        impossible("promised fpp", 0.0, bytes -> bytes.putDouble(32, 0)),
        impossible("promised fpp", -0.5, bytes -> bytes.putDouble(32, -0.5)),
        impossible("promised fpp", 1.5, bytes -> bytes.putDouble(32, 1.5)),
        impossible("promised fpp", Double.NaN, bytes -> bytes.putDouble(32, Double.NaN)),
        impossible("key count", -5L, bytes -> bytes.putLong(40, -5)),
        impossible("data bytes", -8L, bytes -> bytes.putLong(48, -8)),
        impossible("data bytes", 12L, bytes -> bytes.putLong(48, 12)),
        impossible(
            "data bytes", Long.MAX_VALUE - 7, bytes -> bytes.putLong(48, Long.MAX_VALUE - 7)),
        impossible("length of the key id", 65, bytes -> bytes.put(128, (byte) 65)),
        impossible("length of the key id", 255, bytes -> bytes.put(128, (byte) -1)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("impossible")
  void anImpossibleFieldIsRefusedThoughTheChecksumFits(
      String field, Object value, Consumer<ByteBuffer> change) {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> Header.decode(forged(change)))
        .withMessageContaining(field)
        .withMessageContaining(value.toString());
  }

  @Test
  void anotherMajorVersionIsRefusedAndAnotherMinorOneIsNot() throws CorruptFilterException {
    for (int major : new int[] {0, 1, 65535}) {
      assertThatExceptionOfType(IncompatibleFilterException.class)
          .isThrownBy(() -> Header.decode(forged(bytes -> bytes.putShort(8, (short) major))))
          .withMessageContaining(" " + major + ".0")
          .withMessageContaining("newer");
    }
    assertThat(Header.decode(forged(bytes -> bytes.putShort(10, (short) 7))))
        .isEqualTo(Header.decode(SAMPLE.encode()));
  }

  @Test
  void anUnknownLayoutIsRefused() {
    for (int layout : new int[] {0, -1, 9999}) {
      assertThatExceptionOfType(IncompatibleFilterException.class)
          .isThrownBy(() -> Header.decode(forged(bytes -> bytes.putInt(12, layout))))
          .withMessageContaining("layout " + layout);
    }
  }

  @Test
  void theNumbersOfLayoutsAreForEver() {
    assertThat(LayoutId.BLOCKED_BLOOM.number()).isEqualTo(1);
    assertThat(LayoutId.CLASSIC_BLOOM.number()).isEqualTo(2);
    assertThat(LayoutId.values()).extracting(LayoutId::number).doesNotHaveDuplicates();
    for (LayoutId layout : LayoutId.values()) {
      assertThat(LayoutId.of(layout.number())).isEqualTo(layout);
    }
  }

  @Test
  void whatDoesNotFitIsNotWritten() {
    Header longId =
        new Header(LayoutId.BLOCKED_BLOOM, 1, "\u00e9".repeat(33), 1, 0.01, 0, 64, List.of());
    assertThatIllegalArgumentException()
        .isThrownBy(longId::encode)
        .withMessageContaining("64")
        .withMessageContaining(longId.keyId());
    List<Long> nine = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Header(LayoutId.BLOCKED_BLOOM, 1, "x", 1, 0.01, 0, 64, nine))
        .withMessageContaining("9");
  }

  @Test
  void dataWords_isTheMostThatFits() {
    SplittableRandom random = new SplittableRandom(0x4eae);
    for (int round = 0; round < 20_000; round++) {
      long fileBytes = round < 10_000 ? round : random.nextLong(1L << 1 + random.nextInt(55));
      long words = FileWriter.dataWords(fileBytes);
      assertThat(words).isNotNegative();
      if (words > 0) {
        assertThat(FileWriter.sizeInBytes(8 * words)).isLessThanOrEqualTo(fileBytes);
      }
      assertThat(FileWriter.sizeInBytes(8 * (words + 1))).isGreaterThan(fileBytes);
    }
    assertThat(FileWriter.dataWords(Long.MAX_VALUE)).isBetween(1L << 52, 1L << 53);
  }
}
