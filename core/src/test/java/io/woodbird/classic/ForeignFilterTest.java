package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForeignFilterTest {
  @TempDir Path folder;

  static List<String> formats() {
    return ForeignFilter.formats();
  }

  @Test
  void dcso_answersAndWritesAsTheOriginal() throws IOException {
    int built = 0;
    for (Map<String, Object> vector : vectors("dcso-bloom")) {
      byte[] file = file(vector);
      ForeignFilter filter = read("dcso", file);
      assertAnswers(filter, vector);
      assertThat(bytes(filter)).as("%s", filter).isEqualTo(file);
      List<String> in = strings(vector, "in");
      if (in.size() == (long) vector.get("n")) { // Others name only some of their keys.
        ForeignFilter same =
            ForeignFilter.build("dcso", in.size(), (double) vector.get("p"), utf8(in));
        int data = ((String) vector.get("data")).length();
        assertThat(bytes(same)).isEqualTo(Arrays.copyOf(file, file.length - data));
        built++;
      }
    }
    assertThat(built).isGreaterThanOrEqualTo(6);
  }

  @Test
  void fuse_answersAsTheOriginal() throws IOException {
    int built = 0;
    for (Map<String, Object> vector : vectors("binary-fuse-go")) {
      byte[] file = file(vector);
      String format = "fuse" + vector.get("bits");
      ForeignFilter filter = read(format, file);
      assertAnswers(filter, vector);
      assertThat(bytes(filter)).as("%s", filter).isEqualTo(file);
      List<String> in = strings(vector, "in");
      if (in.size() == (long) vector.get("n")) {
        List<byte[]> keys =
            in.stream().map(s -> ClassicFilter.longKey(Long.parseUnsignedLong(s))).toList();
        byte[] same = bytes(ForeignFilter.build(format, 1, 0.004, keys));
        assertThat(Arrays.copyOf(same, 28)).isEqualTo(Arrays.copyOf(file, 28)); // Seed and sizes.
        assertThat(same).hasSameSizeAs(file);
        assertThat(in).allMatch(read(format, same)::mightContain);
        built++;
      }
    }
    assertThat(built).isGreaterThanOrEqualTo(6);
  }

  @Test
  void fuse_ofManyKeysHasThemAllAndTheFppOfItsBits() {
    List<byte[]> keys =
        IntStream.range(0, 100_000).mapToObj(i -> ClassicFilter.longKey(i)).toList();
    ForeignFilter filter = ForeignFilter.build("fuse8", 1, 0.01, keys);
    assertThat(keys).allMatch(filter::mightContain);
    int wrong = 0;
    for (int i = 0; i < 100_000; i++) {
      wrong += filter.mightContain("" + (1_000_000 + i)) ? 1 : 0;
    }
    double expected = 100_000 / 256.0;
    assertThat((double) wrong).isBetween(expected - 5 * 20, expected + 5 * 20); // sqrt(390) = 20
  }

  @Test
  void redisBloom_hasTheSizesOfTheOriginal() throws IOException {
    // BF.RESERVE f 0.01 100 and 1000 keys: links for 100 at 0.005, 200 at 0.0025, 400, 800.
    ForeignFilter filter = ForeignFilter.build("redisbloom", 100, 0.01, utf8(names(1000)));
    assertThat(names(1000)).allMatch(filter::mightContain);
    ByteBuffer header = ByteBuffer.wrap(bytes(filter)).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(header.getInt(8)).isEqualTo(4);
    assertThat(header.getInt(12)).isEqualTo(5);
    assertThat(header.getInt(16)).isEqualTo(2);
    // 100 x 11.03 = 1102 bits are 18 words; 200 x 12.47 = 2494 are 39; hashes are ceil(bits x ln
    // 2).
    assertThat(header.getLong(20)).isEqualTo(18 * 8);
    assertThat(header.getLong(28)).isEqualTo(18 * 64);
    assertThat(header.getLong(36)).isEqualTo(100);
    assertThat(header.getDouble(44)).isEqualTo(0.005);
    assertThat(header.getInt(60)).isEqualTo(8);
    assertThat(header.getLong(64)).isEqualTo(100);
    assertThat(header.getLong(73)).isEqualTo(39 * 8);
    assertThat(header.getInt(73 + 40)).isEqualTo(9);
  }

  @Test
  void redisBloom_isLoadedInChunksThatEndWithTheirLink() throws IOException {
    ForeignFilter filter = ForeignFilter.build("redisbloom", 13_000_000, 0.01, utf8(names(10)));
    List<Long> iterators = new ArrayList<>();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ForeignFilter.loadRedisBloom(
        filter,
        (iterator, chunk) -> {
          iterators.add(iterator);
          all.writeBytes(chunk);
          assertThat(iterator == 1 || iterator == 1 + all.size() - 73).isTrue();
        });
    assertThat(iterators).hasSize(3).startsWith(1L, 1L + (16 << 20));
    assertThat(all.toByteArray()).isEqualTo(bytes(filter));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ForeignFilter.loadRedisBloom(
                    ForeignFilter.build("dcso", 1, 0.1, List.of()), (i, c) -> {}))
        .withMessageContaining("dcso");
  }

  @Test
  void murmur64A_hasTheValuesOfItsAuthorsCode() {
    // Made with the C code of the hash's author, tails of 0 to 9 bytes.
    assertThat(RedisBloomChain.murmur(new byte[0], 0)).isZero();
    assertThat(RedisBloomChain.murmur("".getBytes(UTF_8), 1)).isEqualTo(0xc6a4a7935bd064dcL);
    assertThat(RedisBloomChain.murmur("abcdefg".getBytes(UTF_8), 0xc6a4a7935bd1e995L))
        .isEqualTo(0x9fa0b24601c1e9a9L);
    assertThat(RedisBloomChain.murmur("abcdefgh".getBytes(UTF_8), 0xc6a4a7935bd1e995L))
        .isEqualTo(0xd435df7a565a8af1L);
    assertThat(RedisBloomChain.murmur("abcdefghi".getBytes(UTF_8), 0xc6a4a7935bd1e995L))
        .isEqualTo(0xa2c004e44bd0a465L);
  }

  @Test
  void xxh64_hasTheValuesOfItsAuthorsCode() {
    assertThat(Xxh64.hash(new byte[0])).isEqualTo(0xef46db3751d8e999L);
    assertThat(Xxh64.hash("a".getBytes(UTF_8))).isEqualTo(0xd24ec4f1a98c6e5bL);
    assertThat(Xxh64.hash("abc".getBytes(UTF_8))).isEqualTo(0x44bc2cf5ad770999L);
    assertThat(Xxh64.hash("Nobody inspects the spammish repetition".getBytes(UTF_8)))
        .isEqualTo(0xfbcea83c8a378bf1L);
  }

  @Test
  void parquet_hasTheHeaderOfAParquetFile() throws IOException {
    // ParquetOracleTest of woodbird-spark compares all bytes with Parquet's own.
    byte[] bytes = bytes(ForeignFilter.build("parquet", 1000, 0.01, utf8(names(1000))));
    assertThat(HexFormat.of().formatHex(bytes, 0, 16))
        .isEqualTo("15" + "8020" + "1c1c0000".repeat(3) + "00");
    assertThat(bytes).hasSize(16 + 2048);
    assertThat(names(1000)).allMatch(read("parquet", bytes)::mightContain);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void save_keepsTheBytesAndAddsChecksums(String format) throws IOException {
    ForeignFilter filter = small(format);
    Path path = folder.resolve("f.wbird");
    filter.save(path);
    byte[] saved = Files.readAllBytes(path);
    ForeignFilter back = ForeignFilter.load(new ByteArrayInputStream(saved));
    assertThat(back.format()).isEqualTo(format);
    assertThat(bytes(back)).isEqualTo(bytes(filter));
    for (int at = 0; at < saved.length; at += 7) {
      saved[at] ^= 0x10;
      assertThatExceptionOfType(CorruptFilterException.class)
          .as("byte %d", at)
          .isThrownBy(() -> ForeignFilter.load(new ByteArrayInputStream(saved)));
      saved[at] ^= 0x10;
    }
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> Woodbird.open(path, Keys.strings()))
        .withMessageContaining("ForeignFilter");
  }

  @ParameterizedTest
  @MethodSource("formats")
  void read_refusesWhatIsCutShortOrGoesOn(String format) throws IOException {
    byte[] whole = bytes(small(format));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(CorruptFilterException.class)
          .as("%d of %d bytes", length, whole.length)
          .isThrownBy(() -> read(format, cut))
          .withMessageContaining("ends at byte");
    }
    if (!format.equals("dcso")) { // Its end is free data.
      assertThatExceptionOfType(CorruptFilterException.class)
          .isThrownBy(() -> read(format, Arrays.copyOf(whole, whole.length + 1)))
          .withMessageContaining("goes on");
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void read_refusesImpossibleHeadersAtOnce(String format) throws IOException {
    byte[] whole = bytes(small(format));
    for (int at = 0; at < 70 && at < whole.length; at++) {
      for (int value : new int[] {0x00, 0x7f, 0x80, 0xff}) {
        byte[] forged = whole.clone();
        forged[at] = (byte) value;
        try {
          bytes(read(format, forged)); // A count or a seed may be anything.
        } catch (CorruptFilterException e) {
          assertThat(e).hasMessageNotContaining("null");
        }
      }
    }
  }

  @Test
  void build_refusesWhatTheOriginalCantHave() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("bloom", 1, 0.1, List.of()))
        .withMessageContainingAll("dcso", ": bloom");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("dcso", 0, 0.1, List.of()))
        .withMessageContaining(": 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("dcso", Long.MAX_VALUE, 0.1, List.of()))
        .withMessageContaining("bits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("redisbloom", 1L << 40, 0.1, List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("fuse8", 1, 0.001, List.of()))
        .withMessageContaining("2^-8");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ForeignFilter.build("fuse8", 1, 0.1, List.of(new byte[7])))
        .withMessageContaining("7 bytes");
    ForeignFilter fuse = ForeignFilter.build("fuse16", 1, 0.1, List.of());
    for (String key : List.of("owl", "-1", "18446744073709551616", "")) {
      assertThatIllegalArgumentException().isThrownBy(() -> fuse.mightContain(key));
    }
    String zeros = "0".repeat(1000); // As many digits as a line may have take hours to convert.
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fuse.mightContain(zeros + "7"))
        .withMessageContainingAll("up to 20 digits", "1001 characters")
        .withMessageNotContaining(zeros);
  }

  private static ForeignFilter small(String format) {
    List<byte[]> keys =
        format.startsWith("fuse")
            ? IntStream.range(0, 5).mapToObj(i -> ClassicFilter.longKey(i)).toList()
            : utf8(names(5));
    return ForeignFilter.build(format, 5, 0.1, keys);
  }

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "name " + i).toList();
  }

  private static List<byte[]> utf8(List<String> keys) {
    return keys.stream().map(key -> key.getBytes(UTF_8)).toList();
  }

  private static void assertAnswers(ForeignFilter filter, Map<String, Object> vector) {
    assertThat(strings(vector, "in")).allMatch(filter::mightContain);
    assertThat(strings(vector, "saysYes")).allMatch(filter::mightContain);
    assertThat(strings(vector, "saysNo")).noneMatch(filter::mightContain);
  }

  private static List<String> strings(Map<String, Object> vector, String field) {
    return ((List<?>) vector.get(field)).stream().map(String.class::cast).toList();
  }

  private static byte[] file(Map<String, Object> vector) {
    return Base64.getDecoder().decode((String) vector.get("file"));
  }

  private static ForeignFilter read(String format, byte[] bytes) throws IOException {
    return ForeignFilter.read(format, new ByteArrayInputStream(bytes));
  }

  private static byte[] bytes(ForeignFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static List<Map<String, Object>> vectors(String name) throws IOException {
    try (InputStream in = ForeignFilterTest.class.getResourceAsStream(name + ".jsonl")) {
      return new String(in.readAllBytes(), UTF_8).lines().map(JsonLine::parse).toList();
    }
  }
}
