package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LinesTest {
  private static final Source STDIN = Source.of("-");

  private static Format format(int end, boolean crlf, char separator, @Nullable String field) {
    return new Format(
        (byte) end, crlf, separator, separator == ',', field, null, null, false, true);
  }

  /** Reads all keys, each as a Latin-1 text. */
  static List<String> keys(InputStream in, Format format, int room) throws IOException {
    List<String> keys = new ArrayList<>();
    try (Lines lines = new Lines(STDIN, in, format, room, 1 << 24)) {
      for (int count = lines.next(); count > 0; count = lines.next()) {
        for (int i = 0; i < count; i++) {
          byte[] copy = new byte[lines.key(i).remaining()];
          lines.key(i).get(lines.key(i).position(), copy);
          keys.add(new String(copy, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return keys;
  }

  static List<String> keys(String text, Format format) throws IOException {
    return keys(new ByteArrayInputStream(latin(text)), format, 1 << 16);
  }

  /** A slow pipe that holds a text. */
  static InputStream dribble(String text, SplittableRandom random) {
    return new Dribble(latin(text), random);
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Gives a few bytes at a time and says that nothing is available, as a slow pipe does. */
  private static final class Dribble extends ByteArrayInputStream {
    private final SplittableRandom random;

    Dribble(byte[] bytes, SplittableRandom random) {
      super(bytes);
      this.random = random;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) {
      return super.read(into, offset, Math.min(length, 1 + random.nextInt(37)));
    }

    @Override
    public synchronized int available() {
      return 0;
    }
  }

  @Test
  void anInputThatCantBeRead_isNamed() {
    for (int readable = 0; readable < 3; readable++) {
      InputStream broken =
          new SequenceInputStream(
              new ByteArrayInputStream(latin("a\n".repeat(readable))),
              new InputStream() {
                @Override
                public int read() throws IOException {
                  throw new IOException("Input/output error");
                }
              });
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> keys(broken, format('\n', false, '\0', null), 1 << 16))
          .satisfies(
              failure -> {
                assertThat(failure.what()).isEqualTo("stdin can't be read.");
                assertThat(failure.problem()).isEqualTo(Problem.CANNOT_READ);
              });
    }
  }

  @Test
  void anyBytes_areSplitAtTheirEndsAndNowhereElse() {
    Trials.sized(
        "lines of any bytes",
        300,
        3000,
        (random, size) -> {
          byte end = (byte) (random.nextBoolean() ? '\n' : 0);
          byte[] bytes = new byte[size];
          random.nextBytes(bytes);
          int rare = 1 + random.nextInt(60);
          List<String> expected = new ArrayList<>();
          StringBuilder line = new StringBuilder();
          for (int i = 0; i < size; i++) {
            if (random.nextInt(rare) == 0) {
              bytes[i] = end;
            }
            if (i == 0 && bytes[i] == 0x1f) {
              bytes[i] = 'x'; // No gzip, please.
            }
            if (bytes[i] == end) {
              expected.add(line.toString());
              line.setLength(0);
            } else {
              line.append((char) (bytes[i] & 0xff));
            }
          }
          if (line.length() > 0) {
            expected.add(line.toString());
          }
          Format format = format(end, false, (char) 0, null);
          int room = 16 << random.nextInt(8);
          assertThat(keys(new Dribble(bytes, random), format, room)).isEqualTo(expected);
        });
  }

  @Test
  void emptyLines_areLines() throws IOException {
    assertThat(keys("", Format.PLAIN)).isEmpty();
    assertThat(keys("\n", Format.PLAIN)).containsExactly("");
    assertThat(keys("\n\na", Format.PLAIN)).containsExactly("", "", "a");
    assertThat(keys("a", Format.PLAIN)).containsExactly("a");
  }

  @Test
  void crLf_isCountedAndTakenOffOnlyIfAsked() throws IOException {
    assertThat(keys("a\r\nb\n\r\n", Format.PLAIN)).containsExactly("a\r", "b", "\r");
    assertThat(keys("a\r\nb\n\r\n", format('\n', true, (char) 0, null)))
        .containsExactly("a", "b", "");
    try (Lines lines =
        new Lines(STDIN, new ByteArrayInputStream(latin("a\r\nb\n")), Format.PLAIN)) {
      assertThat(lines.next()).isEqualTo(2);
      assertThat(lines.crLines()).isEqualTo(1);
    }
  }

  @Test
  void gzipAndZstd_areRecognisedInManyMembersAndOverSlowPipes() {
    Trials.run(
        "compressed input",
        30,
        random -> {
          ByteArrayOutputStream all = new ByteArrayOutputStream();
          List<String> expected = new ArrayList<>();
          boolean zstd = random.nextBoolean();
          int members = 1 + random.nextInt(4);
          for (int member = 0; member < members; member++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(2000); i >= 0; i--) {
              String line = "line " + random.nextInt(500);
              expected.add(line);
              text.append(line).append('\n');
            }
            if (zstd) {
              all.writeBytes(Zstd.compress(latin(text.toString()), 3));
            } else {
              all.writeBytes(gzip(latin(text.toString())));
            }
          }
          InputStream in = new Dribble(all.toByteArray(), random);
          assertThat(keys(in, Format.PLAIN, 1 << 12)).isEqualTo(expected);
        });
  }

  /** Counts how often it is asked, and fails if somebody waits for more than it has. */
  private static final class Counted extends ByteArrayInputStream {
    private final AtomicInteger reads = new AtomicInteger();

    Counted(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read() {
      reads.incrementAndGet();
      return super.read();
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) {
      reads.incrementAndGet();
      return super.read(into, offset, length);
    }
  }

  private static byte[] gzip(byte[] text) throws IOException {
    ByteArrayOutputStream gzipped = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(gzipped)) {
      gzip.write(text);
    }
    return gzipped.toByteArray();
  }

  @Test
  void compressedInput_isReadInLargePieces() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      text.append(Long.toString(random.nextLong(), 36)).append('\n');
    }
    byte[] plain = latin(text.toString());
    for (byte[] bytes : List.of(plain, gzip(plain), Zstd.compress(plain, 3))) {
      Counted in = new Counted(bytes);
      assertThat(keys(in, Format.PLAIN, 1 << 20)).hasSize(100_000);
      // A thousand bytes or more each time.
      assertThat(in.reads.get()).isLessThan(bytes.length / 1000);
    }
  }

  @Test
  void compressedLines_comeBeforeTheNextAreThere() throws IOException {
    byte[] text = latin("one\ntwo\n");
    for (byte[] bytes : List.of(gzip(text), Zstd.compress(text, 3))) {
      InputStream noMore =
          new InputStream() {
            @Override
            public int read() {
              throw new IllegalStateException("waited for more");
            }
          };
      InputStream in = new SequenceInputStream(new ByteArrayInputStream(bytes), noMore);
      try (Lines lines = new Lines(STDIN, in, Format.PLAIN)) {
        assertThat(lines.next()).isEqualTo(2);
      }
    }
  }

  @Test
  void compressedInputThatIsCut_isAnErrorAndNotAnEnd() throws IOException {
    byte[] text = latin("one\ntwo\nthree\n".repeat(1000));
    for (byte[] whole : List.of(gzip(text), Zstd.compress(text, 3))) {
      // From 5 on: a shorter beginning of zstd's is no beginning of anything.
      for (int length = 5; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThatExceptionOfType(Failure.class)
            .as("%d of %d bytes", length, whole.length)
            .isThrownBy(() -> keys(new ByteArrayInputStream(cut), Format.PLAIN, 1 << 16))
            .matches(failure -> failure.problem() == Problem.BAD_COMPRESSION);
      }
    }
  }

  @Test
  void aFurtherMemberThatIsCutOrDamaged_isAnErrorAndNotAnEnd() throws IOException {
    byte[] text = latin("one\ntwo\nthree\n".repeat(20));
    for (byte[] member : List.of(gzip(text), Zstd.compress(text, 3), withoutSum(text))) {
      byte[] whole = joined(member, member);
      assertThat(keys(new ByteArrayInputStream(whole), Format.PLAIN, 1 << 16)).hasSize(120);
      for (int length = member.length + 1; length < whole.length; length++) {
        requireDamaged(Arrays.copyOf(whole, length), length + " of " + whole.length + " bytes");
      }
      requireDamaged(joined(member, latin("x")), "a byte behind it");
      requireDamaged(joined(member, new byte[512]), "zeros behind it");
      byte[] noHead = whole.clone();
      noHead[member.length] ^= 1;
      requireDamaged(noHead, "a damaged head between two");
    }
  }

  private static byte[] withoutSum(byte[] text) {
    try (ZstdCompressCtx context = new ZstdCompressCtx().setChecksum(false).setContentSize(false)) {
      return context.compress(text);
    }
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void requireDamaged(byte[] bytes, String what) {
    assertThatExceptionOfType(Failure.class)
        .as(what)
        .isThrownBy(() -> keys(new ByteArrayInputStream(bytes), Format.PLAIN, 1 << 16))
        .matches(failure -> failure.problem() == Problem.BAD_COMPRESSION);
  }

  @Test
  void framesOfAnySize_areReadToTheirEnds() throws IOException {
    // Around 2^17, which is how much is unpacked at once: a frame may end just there.
    for (int size : new int[] {0, 1, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, 1 << 18, 300_000}) {
      byte[] text = new byte[size];
      Arrays.fill(text, (byte) 'x');
      for (byte[] member : List.of(gzip(text), Zstd.compress(text, 3))) {
        byte[] three = joined(member, member, member);
        List<String> read = keys(new ByteArrayInputStream(three), Format.PLAIN, 1 << 16);
        assertThat(read).hasSize(size == 0 ? 0 : 1);
        assertThat(String.join("", read)).hasSize(3 * size);
      }
    }
  }

  @Test
  void optionalPartsOfHeads_areSkipped() throws IOException {
    byte[] member = gzip(latin("one\n"));
    byte[] rest = Arrays.copyOfRange(member, 10, member.length);
    byte[] head = {0x1f, (byte) 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3};
    byte[] parts = joined(head, new byte[] {2, 0, 'B', 'C'}, latin("name\0a comment\0"));
    CRC32 crc = new CRC32();
    crc.update(parts);
    byte[] sum = {(byte) crc.getValue(), (byte) (crc.getValue() >>> 8)};
    byte[] whole = joined(member, parts, sum, rest, member);
    assertThat(keys(new ByteArrayInputStream(whole), Format.PLAIN, 64))
        .containsExactly("one", "one", "one");
    sum[0] ^= 1;
    requireDamaged(joined(parts, sum, rest), "the checksum of a head");
    byte[] skipped = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    byte[] frame = Zstd.compress(latin("one\n"), 3);
    assertThat(
            keys(
                new ByteArrayInputStream(joined(skipped, frame, skipped, frame)), Format.PLAIN, 64))
        .containsExactly("one", "one");
    requireDamaged(joined(frame, Arrays.copyOf(skipped, 9)), "what is to be skipped is cut");
  }

  @Test
  void otherPackings_areRefusedAndNotTakenForLines() throws IOException {
    Format asItIs = new Format((byte) '\n', false, (char) 0, false, null, null, null, false, false);
    for (String begin :
        List.of(
            "\u00fd7zXZ\0\0",
            "BZh91AY&SY\1",
            "\4\"M\30d",
            "PK\3\4\24",
            "7z\u00bc\u00af'\u001c\0",
            "\u001f\u009d\u0090")) {
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> keys(begin, Format.PLAIN))
          .withMessageContaining("which is not read here")
          .matches(failure -> failure.problem() == Problem.CANNOT_READ);
      assertThat(keys(begin, asItIs)).containsExactly(begin);
    }
    assertThat(keys("BZh91\nPKZ\n7z\n", Format.PLAIN)).containsExactly("BZh91", "PKZ", "7z");
  }

  @Test
  void utf16_isToldByItsMark() throws IOException {
    for (String text : List.of("\u00ff\u00fea\0\n\0", "\u00fe\u00ff\0a\0\n", "\u00ffa\n")) {
      try (Lines lines = new Lines(STDIN, new ByteArrayInputStream(latin(text)), Format.PLAIN)) {
        assertThat(lines.next()).isPositive();
        assertThat(lines.isWide()).isEqualTo(text.charAt(1) != 'a');
      }
    }
  }

  @Test
  void csv_takesTheFieldOutOfItsQuotes() throws IOException {
    Format third = format('\n', false, ',', "3");
    assertThat(keys("a,b,c,d\n", third)).containsExactly("c");
    assertThat(keys("a,b,c\r\n", third)).containsExactly("c");
    assertThat(keys("a,\"b,\nb\",\"c \"\"x\"\"\nd\"\r\n1,2,3\n", third))
        .containsExactly("c \"x\"\nd", "3");
    assertThat(keys(",,\n", third)).containsExactly("");
    assertThat(keys("id,e\tmail\n1,x\n2,y\n", format('\n', false, ',', "e\tmail")))
        .containsExactly("x", "y");
    assertThat(keys("a\t\"b\n", format('\n', false, '\t', "2"))).containsExactly("\"b");
    assertThat(keys("a:b\r\0", format(0, false, ':', "2"))).containsExactly("b\r");
  }

  @Test
  void json_takesTheMember() throws IOException {
    Format deep =
        new Format((byte) '\n', false, (char) 0, false, null, ".user.id", null, false, true);
    String line = "{\"x\":{\"user\":1},\"user\":{\"name\":[{\"id\":7}],\"id\":%s}}\n";
    assertThat(
            keys(
                line.formatted("\"a\\u0041\"") + line.formatted("42") + line.formatted("1.50"),
                deep))
        .containsExactly("aA", "42", "1.50");
    for (String wrong : List.of("null", "{}", "[1]")) {
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> keys(line.formatted(wrong), deep))
          .withMessageContaining("line 1: its member .user.id is no text");
    }
    String twice = "{\"user\":{\"id\":1}}{\"user\":{\"id\":2}}\n";
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys(twice, deep))
        .withMessageContaining("line 1: more follows behind its JSON object");
    for (String two :
        List.of("{\"user\":{\"id\":1,\"id\":2}}", "{\"user\":{\"id\":1},\"user\":{\"id\":2}}")) {
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> keys(two, deep))
          .withMessageContaining("it has a member of .user.id twice");
    }
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys("{\"user\":{\"id\":1},\"x\":[1", deep))
        .withMessageContaining("it is not JSON");
    Format lenient = new Format((byte) '\n', false, (char) 0, false, null, "id", null, true, true);
    assertThat(keys("{}\n{\"id\":1}\nnot json\n", lenient)).containsExactly("1");
  }

  @Test
  void badLines_areLeftOutAloneWhereverTheBufferEnds() {
    Format lenient = new Format((byte) '\n', false, (char) 0, false, null, "id", null, true, true);
    Trials.run(
        "lines of which some are left out",
        200,
        random -> {
          StringBuilder text = new StringBuilder();
          List<String> expected = new ArrayList<>();
          for (int i = random.nextInt(100); i >= 0; i--) {
            if (random.nextInt(10) < 7) {
              text.append("bad ".repeat(random.nextInt(20))).append('\n');
            } else {
              expected.add("" + i);
              text.append("{\"id\":" + i + "}\n");
            }
          }
          int room = 16 << random.nextInt(6);
          assertThat(keys(dribble(text.toString(), random), lenient, room)).isEqualTo(expected);
        });
  }

  @Test
  void aLineWithoutEnd_isRefusedBeforeMemoryEnds() {
    byte[] long1 = new byte[5000];
    Arrays.fill(long1, (byte) 'x');
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(
            () -> {
              try (Lines lines =
                  new Lines(STDIN, new ByteArrayInputStream(long1), Format.PLAIN, 64, 4096)) {
                lines.next();
              }
            })
        .matches(failure -> failure.problem() == Problem.LONG_LINE)
        .withMessage("stdin, line 1 is longer than 4,096 bytes.");
  }
}
