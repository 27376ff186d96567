package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.StoredFile;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What answers from the bytes of a file, of each family: it agrees with what was written. */
final class StoredFormsTest {
  /** Every family has some pages then. */
  private static final int KEYS = 10_000;

  private static final int PAGE = 4096;

  enum Family {
    /** Two words of four bits in a block, two words of three, four words, and two blocks. */
    BLOCKED_LOOSE(0.05),
    BLOCKED(0.01),
    BLOCKED_TIGHT(0.002),
    BLOCKED_PAIR(1e-5),
    CLASSIC(0.01),
    COUNTING(0.01),
    COUNTING_PAIR(1e-5),
    QUOTIENT(0.01),
    GROWING(0.01),
    WINDOW(0.01),
    WINDOW_PAIR(1e-5),
    RIBBON(0.01),
    FUSE(0.01),
    FUSE_OF_BYTES(1.0 / 256);

    private final double fpp;

    Family(double fpp) {
      this.fpp = fpp;
    }

    private MutableFilter<Long> empty() {
      return switch (this) {
        case CLASSIC -> Woodbird.bloom(Keys.longs(), KEYS).fpp(fpp).seed(3).classic().build();
        case COUNTING, COUNTING_PAIR ->
            Woodbird.deletable(Keys.longs(), KEYS).fpp(fpp).seed(3).counting().build();
        case QUOTIENT -> Woodbird.deletable(Keys.longs(), KEYS).fpp(fpp).seed(3).build();
        case GROWING -> Woodbird.growing(Keys.longs()).fpp(fpp).seed(3).build();
        case WINDOW, WINDOW_PAIR -> Woodbird.window(Keys.longs(), KEYS).fpp(fpp).seed(3).build();
        default -> Woodbird.bloom(Keys.longs(), KEYS).fpp(fpp).seed(3).build();
      };
    }

    Filter<Long> filter() {
      switch (this) {
        case RIBBON -> {
          return Woodbird.frozen(Keys.longs()).fpp(fpp).seed(3).buildFrom(keys(0, KEYS));
        }
        case FUSE, FUSE_OF_BYTES -> {
          return Woodbird.frozen(Keys.longs())
              .fpp(fpp)
              .seed(3)
              .fastToAsk()
              .buildFrom(keys(0, KEYS));
        }
        default -> {
          MutableFilter<Long> filter = empty();
          filter.putAll(keys(0, KEYS));
          return filter;
        }
      }
    }
  }

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static byte[] bytes(Filter<Long> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  /** Bytes that others may change, as a mapping: each "not here" is proved once more. */
  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private static void assertSame(Filter<Long> read, Filter<Long> written) {
    List<Long> asked = keys(0, 3 * KEYS);
    List<Long> maybe = written.candidates(asked);
    assertThat(maybe).hasSizeBetween(KEYS, KEYS + KEYS / 3);
    assertThat(maybe.subList(0, KEYS)).isEqualTo(keys(0, KEYS));
    assertThat(read.candidates(asked)).isEqualTo(maybe);
    List<Long> single = new ArrayList<>();
    List<Long> answered = new ArrayList<>();
    for (long key : asked) {
      if (read.mightContain(key)) {
        single.add(key);
      }
      if (read.ask(key) == Answer.MAYBE_HERE) {
        answered.add(key);
      } else if (read.ask(key) != Answer.NOT_HERE) {
        throw new AssertionError("unknown: " + key);
      }
    }
    assertThat(single).isEqualTo(maybe);
    assertThat(answered).isEqualTo(maybe);
    FilterStats stats = read.stats();
    assertThat(stats.doubts()).isEmpty();
    assertThat(stats).isEqualTo(written.stats());
  }

  @ParameterizedTest
  @EnumSource(Family.class)
  void whatWasWritten_answersFromItsBytes_andOnTheHeap(Family family) throws IOException {
    Filter<Long> written = family.filter();
    byte[] bytes = bytes(written);
    Filter<Long> wrapped = Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
    Filter<Long> mayVanish = Woodbird.wrap(direct(bytes), Keys.longs());
    Filter<Long> onHeap = Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs());
    assertSame(wrapped, written);
    assertSame(mayVanish, written);
    assertSame(onHeap, written);
    assertThat(bytes(wrapped)).isEqualTo(bytes);
    assertThat(bytes(onHeap)).isEqualTo(bytes);
  }

  /** One bit of a page is wrong: first, middle or last. */
  @ParameterizedTest
  @EnumSource(Family.class)
  void aDamagedPage_deniesNoKey_andFewerOthers(Family family) throws IOException {
    byte[] bytes = bytes(family.filter());
    int pages = (int) ((FileReader.of(ByteBuffer.wrap(bytes)).header().dataBytes() - 1) / PAGE);
    assertThat(pages).isPositive();
    int answered = 0;
    for (int page : new int[] {0, pages / 2, pages}) {
      byte[] damaged = bytes.clone();
      damaged[256 + PAGE * page + 7] ^= 16;
      for (ByteBuffer buffer : List.of(ByteBuffer.wrap(damaged), direct(damaged))) {
        Filter<Long> filter;
        try {
          filter = Woodbird.wrap(buffer, Keys.longs());
        } catch (CorruptFilterException e) {
          continue; // The page has what the layout must know.
        }
        answered++;
        assertThat(filter.candidates(keys(0, KEYS))).hasSize(KEYS);
        for (long key = 0; key < KEYS; key++) {
          if (filter.ask(key) == Answer.NOT_HERE || !filter.mightContain(key)) {
            throw new AssertionError("page " + page + ", denied: " + key);
          }
        }
        assertThat(filter.candidates(keys(KEYS, 3 * KEYS)).size())
            .as("page %d", page)
            .isGreaterThan((int) (2 * KEYS * family.fpp / 2));
        assertThat(filter.stats().doubts()).hasSize(1);
      }
    }
    assertThat(answered).isPositive();
  }

  /** A header that no writer made, under right checksums. */
  @ParameterizedTest
  @EnumSource(Family.class)
  void aForgedHeader_isRefused_orDeniesNoKey(Family family) throws IOException {
    StoredFile file = FileReader.of(ByteBuffer.wrap(bytes(family.filter())));
    Header header = file.header();
    int refused = 0;
    for (int index = 0; index < 3; index++) {
      for (long value : new long[] {-1, 0, 1L << 58, Long.MAX_VALUE, header.parameter(index)}) {
        List<Long> parameters = new ArrayList<>(header.parameters());
        parameters.set(index, value);
        long expected = value == header.parameter(index) ? 0 : header.expectedKeys();
        Header forged =
            new Header(
                header.layout(),
                header.seed(),
                header.keyId(),
                expected,
                header.promisedFpp(),
                header.keyCount(),
                header.dataBytes(),
                parameters);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FileWriter.writeTo(forged, file::copyData, out);
        byte[] bytes = out.toByteArray();
        try {
          Filter<Long> wrapped = Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
          assertThat(wrapped.candidates(keys(0, KEYS))).hasSize(KEYS);
          Filter<Long> read = Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs());
          assertThat(read.candidates(keys(0, KEYS))).hasSize(KEYS);
        } catch (CorruptFilterException e) {
          refused++;
          assertThat(e.getMessage()).contains("impossible");
        }
      }
    }
    assertThat(refused).isGreaterThanOrEqualTo(3);
  }
}
