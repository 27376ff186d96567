package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FrozenBuilder;
import io.woodbird.FrozenMap;
import io.woodbird.FrozenMapBuilder;
import io.woodbird.Woodbird;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damaged and hostile frozen files: an exception or "maybe", but no present key is lost. */
final class FrozenDamageTest {
  private static final long SEED = 84;

  /** A small file of each kind: the ribbon has two layers. */
  enum Sample {
    RIBBON(1200, 0.3),
    RIBBON_OF_FEW(20, 0.01),
    FUSE(150, 0.02),
    EMPTY(0, 0.01),
    MAP(150, 0.1),
    MAP_WITHOUT_CHECK(400, 1),
    EXACT(150, 1),
    EXACT_OF_FEW(20, 0.1);

    private final long[] hashes;
    private final byte[] bytes;
    private final LayoutId layout;

    Sample(int keys, double fpp) {
      hashes = LongStream.range(0, keys).map(key -> Keys.longs().hash(key, SEED)).toArray();
      Filter<Long> filter = name().startsWith("MAP") ? map(keys, fpp) : set(keys, fpp);
      bytes = written(filter);
      layout =
          name().startsWith("MAP")
              ? LayoutId.RIBBON_MAP
              : name().startsWith("EXACT")
                  ? LayoutId.EXACT
                  : name().equals("FUSE") ? LayoutId.FUSE : LayoutId.RIBBON;
    }

    private static Filter<Long> map(int keys, double fpp) {
      FrozenMapBuilder<Long> builder = Woodbird.frozenMap(Keys.longs()).valueBits(3).seed(SEED);
      builder = fpp == 1 ? builder.withoutCheck() : builder.fpp(fpp);
      return builder.buildFrom(
          LongStream.range(0, keys).mapToObj(key -> Map.entry(key, mapped(key))).toList());
    }

    private Filter<Long> set(int keys, double fpp) {
      FrozenBuilder<Long> builder = Woodbird.frozen(Keys.longs()).seed(SEED);
      builder = fpp == 1 ? builder : builder.fpp(fpp);
      if (name().startsWith("EXACT")) {
        builder.exactAgainst(LongStream.range(1000, 1000 + 10 * keys).boxed().toList());
      }
      builder = name().equals("FUSE") ? builder.fastToAsk() : builder.smallest();
      return builder.buildFrom(LongStream.range(0, keys).boxed());
    }

    private static byte[] written(Filter<?> filter) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try {
        filter.writeTo(out);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      return out.toByteArray();
    }
  }

  private static long mapped(long key) {
    return key * 5 & 7;
  }

  /** Fails if a value of a map is wrong. That nothing is known of it is said by an exception. */
  private static void requireRightValues(Filter<Long> filter, long[] hashes, String where) {
    if (!(filter instanceof FrozenMap<Long> map)) {
      return;
    }
    for (int key = 0; key < hashes.length; key++) {
      try {
        if (!map.getByHash(hashes[key]).equals(OptionalLong.of(mapped(key)))) {
          throw new AssertionError(where + ": key " + key + " has " + map.getByHash(hashes[key]));
        }
      } catch (UncheckedIOException e) {
        assertThat(e).as(where).hasCauseInstanceOf(CorruptFilterException.class);
      }
    }
  }

  /** How many present hashes are said to be "not here", one by one and all at once. */
  private static int denied(Filter<?> filter, long[] hashes) {
    int denied = 0;
    for (long hash : hashes) {
      denied += filter.mightContainHash(hash) ? 0 : 1;
    }
    return denied
        + hashes.length
        - filter.candidates(hashes, hashes.length, new int[hashes.length]);
  }

  @ParameterizedTest
  @EnumSource
  void everySingleBitFlip_isFound_andLosesNoKey(Sample sample) {
    byte[] damaged = sample.bytes.clone();
    for (int bit = 0; bit < 8 * damaged.length; bit++) {
      damaged[bit >>> 3] ^= (byte) (1 << (bit & 7));
      assertThatThrownBy(() -> Woodbird.readFrom(new ByteArrayInputStream(damaged), Keys.longs()))
          .as("bit %d", bit)
          .isInstanceOf(CorruptFilterException.class);
      try {
        Filter<Long> filter = Woodbird.wrap(ByteBuffer.wrap(damaged), Keys.longs());
        assertThat(denied(filter, sample.hashes)).as("bit %d", bit).isZero();
        requireRightValues(filter, sample.hashes, "bit " + bit);
      } catch (CorruptFilterException e) {
        assertThat(e.getMessage()).as("bit %d", bit).isNotBlank();
      }
      damaged[bit >>> 3] ^= (byte) (1 << (bit & 7));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTruncation_isRefused(Sample sample) {
    for (int length = 0; length < sample.bytes.length; length++) {
      byte[] cut = Arrays.copyOf(sample.bytes, length);
      assertThatThrownBy(() -> Woodbird.wrap(ByteBuffer.wrap(cut), Keys.longs()))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("cut short");
    }
  }

  /** A file as a hostile hand would write it: all checksums are right. */
  private static byte[] sealed(Header header, long[] words) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileWriter.writeTo(
        header,
        (offset, target) -> {
          for (int word = (int) (offset / 8); target.hasRemaining(); word++) {
            target.putLong(words[word]);
          }
        },
        out);
    return out.toByteArray();
  }

  private static long[] words(byte[] file) {
    ByteBuffer view = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    long[] words = new long[(int) (view.getLong(48) / 8)];
    view.position(Header.BYTES).asLongBuffer();
    view.slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
    return words;
  }

  private static Header header(LayoutId layout, long dataBytes, long shardBits, long width) {
    long valueBits = layout == LayoutId.RIBBON_MAP ? 3 : 0;
    List<Long> parameters = List.of(shardBits, width, valueBits);
    return new Header(layout, SEED, Keys.longs().id(), 100, 0.01, 100, dataBytes, parameters);
  }

  /** Takes bytes and asks them: right or wrong, but nothing except the one exception. */
  private static boolean survives(byte[] file, SplittableRandom random) throws IOException {
    try {
      Filter<Long> wrapped = Woodbird.wrap(ByteBuffer.wrap(file), Keys.longs());
      Filter<Long> read = Woodbird.readFrom(new ByteArrayInputStream(file), Keys.longs());
      long[] hashes = random.longs(200).toArray();
      hashes[0] = 0;
      hashes[1] = -1;
      hashes[2] = Long.MAX_VALUE;
      hashes[3] = Long.MIN_VALUE;
      int[] selected = new int[hashes.length];
      int kept = 0;
      for (long hash : hashes) {
        assertThat(read.mightContainHash(hash)).isEqualTo(wrapped.mightContainHash(hash));
        if (read instanceof FrozenMap<Long> one && wrapped instanceof FrozenMap<Long> two) {
          assertThat(one.getByHash(hash)).isEqualTo(two.getByHash(hash));
        }
        kept += wrapped.mightContainHash(hash) ? 1 : 0;
      }
      assertThat(wrapped.candidates(hashes, hashes.length, selected)).isEqualTo(kept);
      assertThat(read.candidates(hashes, hashes.length, selected)).isEqualTo(kept);
      assertThat(wrapped.toString()).isEqualTo(read.toString());
      return true;
    } catch (CorruptFilterException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource
  void hostileShardTables_areRefused_orHarmless(Sample sample) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    LayoutId layout = sample.layout;
    int entryWords = ShardTable.ENTRY_WORDS * (layout == LayoutId.EXACT ? 2 : 1);
    long[] good = words(sample.bytes);
    long width = ByteBuffer.wrap(sample.bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(72);
    assertThat(survives(sealed(header(layout, 8L * good.length, 0, width), good), random)).isTrue();
    long[] odd = {0, 1, 2, 3, -1, 1L << 31, 1L << 32, 1L << 24, 1L << 56, Long.MIN_VALUE, 63, 64};
    int taken = 0;
    for (int round = 0; round < 5000; round++) {
      long[] bad = good.clone();
      int changes = 1 + random.nextInt(3);
      for (int i = 0; i < changes; i++) {
        int at = random.nextInt(entryWords);
        int half = random.nextBoolean() ? 32 : 0;
        bad[at] =
            switch (random.nextInt(5)) {
              case 0 -> odd[random.nextInt(odd.length)];
              case 1 -> bad[at] + (random.nextInt(-4, 5) * (1L << half));
              case 2 -> bad[at] ^ (1L << random.nextInt(64));
              case 3 -> ShardTable.pack(random.nextInt(64), random.nextInt(64));
              default -> random.nextLong();
            };
      }
      long shardBits = random.nextInt(10) == 0 ? random.nextInt(-1, 25) : 0;
      long newWidth = random.nextInt(10) == 0 ? random.nextInt(-1, 40) : width;
      byte[] file = sealed(header(layout, 8L * bad.length, shardBits, newWidth), bad);
      try {
        taken += survives(file, random) ? 1 : 0;
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "seed " + SEED + ", round " + round + ": " + Arrays.toString(Arrays.copyOf(bad, 16)),
            e);
      }
    }
    assertThat(taken).as("some changes do no harm, such as another salt").isPositive();
  }

  /** As many slots in all, but segments that do not end where the slots end. */
  @Test
  void fuseSegmentsThatDoNotFit_areRefused() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int segment = 2; segment <= 64; segment *= 2) {
      for (int first = 1; first <= 200; first++) {
        int slots = first + 2 * segment;
        long[] bad = new long[ShardTable.ENTRY_WORDS + (slots * 8 + 63) / 64];
        bad[ShardTable.START] = ShardTable.ENTRY_WORDS;
        bad[ShardTable.DIMENSIONS] = ShardTable.pack(segment, first);
        bad[ShardTable.SHAPE] = ShardTable.pack(8, 0);
        byte[] file = sealed(header(LayoutId.FUSE, 8L * bad.length, 0, 8), bad);
        assertThat(survives(file, random))
            .as("segments of %d, first slots %d", segment, first)
            .isEqualTo(first % segment == 0);
      }
    }
  }

  @Test
  void aTableThatIsNotThere_isRefusedBeforeItIsAllocated() throws IOException {
    for (LayoutId layout :
        List.of(LayoutId.RIBBON, LayoutId.FUSE, LayoutId.RIBBON_MAP, LayoutId.EXACT)) {
      for (int shardBits = 1; shardBits <= 64; shardBits++) {
        byte[] file = sealed(header(layout, 64, shardBits, 8), new long[8]);
        assertThatThrownBy(() -> Woodbird.wrap(ByteBuffer.wrap(file), Keys.longs()))
            .isInstanceOf(CorruptFilterException.class);
      }
    }
  }
}
