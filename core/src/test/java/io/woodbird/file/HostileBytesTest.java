package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.DeletableBuilder;
import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that strangers made: refused with the right exception, in little memory, at once. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileBytesTest {
  private static final long SEED = 0xbad_5eed;
  private static final List<Victim> SAMPLES = victims();
  private static final byte[] MAGIC = {(byte) 0x89, 'W', 'B', 'I', 'R', 'D', '\r', '\n'};

  /** Values at which sums, products and casts go wrong. */
  static final long[] EDGES = {
    0,
    1,
    -1,
    2,
    7,
    8,
    63,
    64,
    255,
    256,
    4095,
    4096,
    4097,
    1L << 20,
    1L << 30,
    (1L << 31) - 1,
    1L << 31,
    (1L << 32) - 1,
    1L << 32,
    1L << 37,
    1L << 47,
    1L << 48,
    (1L << 48) + 1,
    (1L << 53) + 1,
    1L << 55,
    (1L << 56) - 8,
    1L << 56,
    (1L << 56) + 8,
    1L << 57,
    1L << 58,
    1L << 60,
    1L << 61,
    1L << 62,
    Long.MAX_VALUE - 7,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MIN_VALUE + 64
  };

  /** Where the header has numbers of eight bytes. */
  private static final int[] LONGS = {16, 24, 32, 40, 48, 64, 72, 80, 120};

  @TempDir private Path folder;

  /** A small file, to be changed. */
  private record Victim(byte[] bytes, int dataBytes) {}

  /** Small files of every layout. */
  private static List<Victim> victims() {
    List<Victim> victims = new ArrayList<>();
    for (Sample sample : Sample.small()) {
      victims.add(new Victim(sample.bytes(), sample.dataBytes()));
    }
    for (boolean counting : new boolean[] {false, true}) {
      for (int keys : new int[] {3, 300}) {
        DeletableBuilder<Long> builder = Woodbird.deletable(Keys.longs(), keys).seed(SEED);
        DeletableFilter<Long> filter = (counting ? builder.counting() : builder).build();
        for (long key = 0; key < keys; key++) {
          filter.putLong(key);
        }
        victims.add(new Victim(GoldenFiles.bytes(filter), (int) (filter.stats().bits() / 8)));
      }
    }
    for (int keys : new int[] {3, 300}) {
      MutableFilter<Long> growing = Woodbird.growing(Keys.longs()).seed(SEED).build();
      // Only the last keys count: time would go on while files are compared.
      MutableFilter<Long> window = Woodbird.window(Keys.longs(), keys).seed(SEED).build();
      for (MutableFilter<Long> filter : List.of(growing, window)) {
        for (long key = 0; key < keys; key++) {
          filter.putLong(key);
        }
        victims.add(new Victim(GoldenFiles.bytes(filter), (int) (filter.stats().bits() / 8)));
      }
    }
    for (int keys : new int[] {3, 300}) {
      List<Long> some = LongStream.range(0, keys).boxed().toList();
      Filter<Long> map =
          Woodbird.frozenMap(Keys.longs())
              .seed(SEED)
              .buildFrom(some.stream().map(key -> Map.entry(key, key & 255)).toList());
      Filter<Long> exact =
          Woodbird.frozen(Keys.longs())
              .seed(SEED)
              .exactAgainst(LongStream.range(1000, 3000).boxed().toList())
              .buildFrom(some);
      Filter<Long> ribbon = Woodbird.frozen(Keys.longs()).seed(SEED).buildFrom(some);
      for (Filter<Long> filter : List.of(map, exact, ribbon)) {
        victims.add(new Victim(GoldenFiles.bytes(filter), (int) (filter.stats().bits() / 8)));
      }
    }
    return victims;
  }

  @Test
  void randomBytes_areRefused() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    // Half begin as a file does, half of those that are long enough have a header with the right
    // checksum; about 2,000 have both. A fault that one in 400 of them shows is missed once in 150
    // runs (e^-5); what is nearer to a file is tried below.
    for (int i = 0; i < 15_000; i++) {
      byte[] bytes = new byte[random.nextInt(random.nextInt(16) == 0 ? 20_000 : 600)];
      random.nextBytes(bytes);
      if (random.nextBoolean()) {
        System.arraycopy(MAGIC, 0, bytes, 0, Math.min(bytes.length, MAGIC.length));
      }
      if (random.nextBoolean() && bytes.length >= Header.BYTES) {
        Surgery.sealHeader(bytes);
      }
      String where = "seed " + SEED + ", round " + i;
      if (Parsers.wrap(bytes) || Parsers.read(bytes)) {
        throw new AssertionError("taken: " + where);
      }
      if (i % 100 == 0) {
        assertThat(Parsers.open(bytes, folder.resolve("random"))).as(where).isFalse();
      }
    }
  }

  @Test
  void everyEdgeInEveryNumber_isRefused_orAnswers() throws IOException {
    int taken = 0;
    for (Victim sample : SAMPLES) {
      for (int at : LONGS) {
        for (long edge : EDGES) {
          byte[] bytes = sample.bytes().clone();
          Surgery.view(bytes).putLong(at, edge);
          taken += parse(Surgery.seal(bytes, sample.dataBytes()));
          // The same number, and data bytes to go with it.
          long bytesOfBlocks = edge << (Surgery.view(bytes).getInt(12) == 1 ? 6 : -3);
          Surgery.view(bytes).putLong(48, bytesOfBlocks);
          taken += parse(Surgery.seal(bytes, bytesOfBlocks));
        }
      }
    }
    // Any seed is right, and so is nearly any number of expected keys.
    assertThat(taken).isPositive();
  }

  @Test
  void mutatedHeaders_withRightChecksums_areRefused_orAnswer() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    int taken = 0;
    // 480 for each of 25 files: a fault of one kind of file that one header in 96 shows is missed
    // once in 150 runs (e^-5), and so is one that all share and one in 2,400 shows.
    for (int i = 0; i < 12_000; i++) {
      Victim sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
      byte[] bytes = sample.bytes().clone();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        mutate(bytes, random);
      }
      Surgery.seal(bytes, Surgery.view(bytes).getLong(48));
      try {
        taken += i % 50 == 0 && Parsers.open(bytes, folder.resolve("mutated")) ? 1 : 0;
        taken += Parsers.wrap(bytes) ? 1 : 0;
        taken += Parsers.read(bytes) ? 1 : 0;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + SEED + ", round " + i, e);
      }
    }
    assertThat(taken).isPositive();
  }

  private static void mutate(byte[] bytes, SplittableRandom random) {
    ByteBuffer view = Surgery.view(bytes);
    switch (random.nextInt(4)) {
      case 0 ->
          view.putLong(LONGS[random.nextInt(LONGS.length)], EDGES[random.nextInt(EDGES.length)]);
      case 1 -> view.putLong(LONGS[random.nextInt(LONGS.length)], random.nextLong());
      case 2 -> bytes[random.nextInt(8, 252)] = (byte) random.nextInt();
      default -> view.putLong(8 * random.nextInt(1, 31), random.nextLong() >>> random.nextInt(64));
    }
  }

  private static int parse(byte[] bytes) {
    return (Parsers.wrap(bytes) ? 1 : 0) + (Parsers.read(bytes) ? 1 : 0);
  }

  @Test
  void aKeyIdThatIsNotUtf8_isRefused() {
    byte[] bytes = SAMPLES.get(0).bytes().clone();
    bytes[128] = 64;
    Arrays.fill(bytes, 129, 129 + 64, (byte) 0xff);
    assertThat(parse(Surgery.seal(bytes, SAMPLES.get(0).dataBytes()))).isZero();
  }

  @Test
  void aHeaderThatClaimsMuchAndAStreamThatEnds_costLittle() {
    byte[] bytes = Arrays.copyOf(SAMPLES.get(0).bytes(), 300);
    for (long blocks = 1; blocks <= 1L << 48; blocks *= 2) {
      Surgery.view(bytes).putLong(64, blocks).putLong(48, blocks * 64);
      assertThat(Parsers.read(Surgery.sealHeader(bytes))).isFalse();
    }
  }

  @Test
  void aStreamThatGivesLittleAtATime_isReadWhole() throws IOException {
    for (Victim sample : SAMPLES) {
      InputStream drip =
          new FilterInputStream(new ByteArrayInputStream(sample.bytes())) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
              return super.read(target, from, Math.min(length, 7));
            }
          };
      assertThat(GoldenFiles.bytes(Woodbird.readFrom(drip, Keys.longs())))
          .isEqualTo(sample.bytes());
    }
  }

  @Test
  void aStreamThatFails_failsWithItsOwnException() {
    InputStream failing =
        new InputStream() {
          private int given;

          @Override
          public int read() throws IOException {
            if (given == 400) {
              throw new IOException("the line is dead");
            }
            return SAMPLES.get(0).bytes()[given++] & 0xff;
          }
        };
    assertThatThrownBy(() -> Woodbird.readFrom(failing, Keys.longs()))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFilterException.class)
        .hasMessage("the line is dead");
  }
}
