package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.luben.zstd.Zstd;
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
    Format lenient = new Format((byte) '\n', false, (char) 0, false, null, "id", null, true, true);
    assertThat(keys("{}\n{\"id\":1}\nnot json\n", lenient)).containsExactly("1");
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
