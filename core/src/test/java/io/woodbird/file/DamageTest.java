package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Damaged bytes: an exception, or "maybe" for the damaged page, but no present key is lost. */
class DamageTest {
  private static final long SEED = 0x5eed;
  private static final int LARGE = 1 << 20;

  /**
   * 64 pages. Every round checks all of them, so that a larger file gives fewer rounds a second.
   */
  private static final int MEDIUM = 1 << 18;

  private static final int BLOCK = 64;
  private static final Pattern ANYTHING = Pattern.compile("\\w");
  private static final Pattern IN_A_PAGE = Pattern.compile("damaged,( the first)? at bytes");
  private static final Pattern NOT_IN_A_PAGE = Pattern.compile("header|footer|page table|magic");

  @TempDir private Path folder;

  static Stream<Sample> small() {
    return Sample.small().stream();
  }

  static Stream<Sample> medium() {
    return Sample.ofBytes(MEDIUM).stream();
  }

  static Stream<Sample> large() {
    return Sample.ofBytes(LARGE).stream();
  }

  /**
   * Of the pages one bit of each byte, another in each of eight neighbours: a checksum does not
   * care which it is. Of the header, the table and the footer every bit.
   */
  @ParameterizedTest
  @MethodSource("small")
  void everySingleBitFlip_isFound_andLosesNoKey(Sample sample) {
    flipEveryBit(sample, false);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("small")
  void everySingleBitFlip_isFound_andLosesNoKey_ofAllBitsOfPages(Sample sample) {
    flipEveryBit(sample, true);
  }

  private static void flipEveryBit(Sample sample, boolean allOfPages) {
    List<long[]> byBlock = sample.hashesBy(BLOCK);
    for (long bit = 0; bit < 8L * sample.bytes().length; bit++) {
      boolean inPages = bit / 8 >= Header.BYTES && bit / 8 < Header.BYTES + sample.dataBytes();
      if (inPages && !allOfPages && bit % 8 != bit / 8 % 8) {
        continue;
      }
      byte[] damaged = Surgery.flipBit(sample.bytes(), bit);
      String where = "bit " + bit;
      // Those that own the bit, and now and then all.
      checkDamaged(damaged, bit % 61 == 0 ? sample.hashes() : near(byBlock, bit / 8), where);
      requireRefused(damaged, where);
    }
  }

  /** Here and below, AssertJ would take longer than the file: this happens 100,000 times. */
  private static void requireRefused(byte[] damaged, String where) {
    try {
      Woodbird.readFrom(new ByteArrayInputStream(damaged), Keys.longs());
      throw new AssertionError("no damage found: " + where);
    } catch (CorruptFilterException e) {
      requireMessage(e, ANYTHING, where);
    } catch (IOException e) {
      throw new AssertionError(where, e);
    }
  }

  @ParameterizedTest
  @MethodSource("medium")
  void randomFlips_areFound_andLoseNoKey(Sample sample) {
    flipAtRandom(sample, 500); // A fault that one in 100 shows is missed once in 150 runs (e^-5).
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("large")
  void aMillionRandomFlips_areFound_andLoseNoKey(Sample sample) {
    flipAtRandom(sample, 1_000_000 / 7 + 1);
  }

  /** Flips one to eight bits near each other, the way memory and disks fail. */
  private static void flipAtRandom(Sample sample, int rounds) {
    SplittableRandom random = new SplittableRandom(SEED);
    List<long[]> byBlock = sample.hashesBy(BLOCK);
    byte[] damaged = sample.bytes().clone();
    for (int i = 0; i < rounds; i++) {
      int count = random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 1;
      int at = random.nextInt(damaged.length / 8) * 8;
      int[] bits = random.ints(count, 0, 64).distinct().toArray();
      flip(damaged, at, bits);
      checkDamaged(damaged, near(byBlock, at), "seed " + SEED + ", round " + i + ", byte " + at);
      flip(damaged, at, bits);
    }
  }

  private static void flip(byte[] bytes, int at, int[] bits) {
    for (int bit : bits) {
      bytes[at + bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  /** The hashes that own bits near a byte of the file. */
  private static long[] near(List<long[]> byBlock, long at) {
    long block = (at - Header.BYTES) / BLOCK;
    return byBlock.get((int) Math.max(0, Math.min(byBlock.size() - 1, block)));
  }

  /** Opens damaged bytes: refused, or no hash is denied and {@code verify} finds the damage. */
  private static void checkDamaged(byte[] damaged, long[] hashes, String where) {
    StoredFile file;
    try {
      file = FileReader.of(ByteBuffer.wrap(damaged));
      Filter<Long> filter = Woodbird.wrap(ByteBuffer.wrap(damaged), Keys.longs());
      if (denied(filter, hashes) > 0) {
        throw new AssertionError("a key was lost: " + where);
      }
    } catch (CorruptFilterException e) {
      requireMessage(e, NOT_IN_A_PAGE, where);
      return;
    } catch (IncompatibleFilterException e) {
      throw new AssertionError("damage taken for another version: " + where, e);
    }
    try {
      file.verify();
      throw new AssertionError("no damage found: " + where);
    } catch (CorruptFilterException e) {
      requireMessage(e, IN_A_PAGE, where);
    }
  }

  private static void requireMessage(CorruptFilterException e, Pattern expected, String where) {
    if (!expected.matcher(e.getMessage()).find()) {
      throw new AssertionError(where, e);
    }
  }

  /** How many hashes are said to be "not here", asked one by one and all at once. */
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
  @MethodSource("small")
  void everyTruncation_isRefused(Sample sample) throws IOException {
    Path path = folder.resolve("cut.wbird");
    for (int length = 0; length < sample.bytes().length; length++) {
      byte[] cut = Arrays.copyOf(sample.bytes(), length);
      String expected = length < 256 ? "cut short" : "cut short.*%,d.*%,d";
      Pattern message =
          Pattern.compile(String.format(expected, length, sample.bytes().length), Pattern.DOTALL);
      String where = "length " + length;
      requireCut(() -> Woodbird.wrap(ByteBuffer.wrap(cut), Keys.longs()), message, where);
      requireCut(
          () -> Woodbird.readFrom(new ByteArrayInputStream(cut), Keys.longs()), message, where);
      // No field is shorter than four bytes, so that each is cut at least once.
      if (length % 4 == 0 && (Parsers.wrap(cut) || Parsers.read(cut))) {
        throw new AssertionError("in little memory: " + where);
      }
      if (length % 16 == 0 || length < 32 || length > sample.bytes().length - 32) {
        Files.write(path, cut);
        assertThatThrownBy(() -> Woodbird.open(path, Keys.longs()))
            .isInstanceOf(CorruptFilterException.class)
            .message()
            .containsPattern(message)
            .contains(path.toString());
      }
    }
  }

  private interface Opening {
    Filter<Long> open() throws IOException;
  }

  private static void requireCut(Opening opening, Pattern message, String where) {
    try {
      opening.open();
      throw new AssertionError("taken: " + where);
    } catch (CorruptFilterException e) {
      requireMessage(e, message, where);
    } catch (IOException e) {
      throw new AssertionError(where, e);
    }
  }

  @ParameterizedTest
  @MethodSource("small")
  void everyExtension_isRefused_andLeftInAStream(Sample sample) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    Path path = folder.resolve("long.wbird");
    for (int more = 1; more <= 64; more++) {
      byte[] extended = Arrays.copyOf(sample.bytes(), sample.bytes().length + more);
      for (int i = sample.bytes().length; i < extended.length && more % 2 == 0; i++) {
        extended[i] = (byte) random.nextInt();
      }
      Files.write(path, extended);
      assertThatThrownBy(() -> Woodbird.wrap(ByteBuffer.wrap(extended), Keys.longs()))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("too long");
      assertThatThrownBy(() -> Woodbird.open(path, Keys.longs()))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("too long");
      ByteArrayInputStream in = new ByteArrayInputStream(extended);
      Filter<Long> filter = Woodbird.readFrom(in, Keys.longs());
      assertThat(filter.mightContainHash(sample.hashes()[0])).isTrue();
      assertThat(in.available()).isEqualTo(more);
    }
  }

  @ParameterizedTest
  @MethodSource("medium")
  void swappedPages_areFound_withinAndAcrossFiles(Sample sample) {
    SplittableRandom random = new SplittableRandom(SEED);
    Sample other = Sample.of(sample.name(), sample.shape(), sample.hashes().length, 43);
    List<long[]> byPage = sample.hashesBy(Header.PAGE_BYTES);
    for (int round = 0; round < 30; round++) {
      int page = random.nextInt(sample.pages() - 1);
      int from = (page + 1 + random.nextInt(sample.pages() - 2)) % (sample.pages() - 1);
      String where = "seed " + SEED + ", page " + from + " in the place of " + page;
      byte[] within = Surgery.withPage(sample.bytes(), page, sample.bytes(), from);
      checkDamaged(within, byPage.get(page), where);
      // A hand that also moves the checksums does not help: they cover the number of the page.
      checkDamaged(
          Surgery.withTableEntry(within, page, sample.bytes(), from), byPage.get(page), where);
      byte[] across = Surgery.withPage(sample.bytes(), page, other.bytes(), page);
      checkDamaged(across, byPage.get(page), where + " of another file");
    }
  }

  @Test
  void aPageOfAFilterWithAnotherSeed_isFound_evenWithItsChecksum() throws IOException {
    byte[] one = GoldenFiles.bytes(Woodbird.bloom(Keys.longs(), 10_000).seed(1).build());
    byte[] two = GoldenFiles.bytes(Woodbird.bloom(Keys.longs(), 10_000).seed(2).build());
    byte[] spliced = Surgery.withPage(one, 1, two, 1);
    Surgery.withTableEntry(spliced, 1, two, 1);
    StoredFile file = FileReader.of(ByteBuffer.wrap(spliced));
    assertThatThrownBy(file::verify)
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("1 of 4 pages is damaged, at bytes 4,352 to 8,447");
  }

  @Test
  void aDamagedPage_answersUnknown_isNamed_andTheOthersStillAnswer() throws IOException {
    Sample sample = Sample.ofBytes(64 << 10).get(2);
    byte[] bytes = sample.bytes().clone();
    int page = 3;
    Arrays.fill(bytes, 256 + page * 4096, 256 + page * 4096 + 64, (byte) -1);
    Path path = folder.resolve("damaged.wbird");
    Files.write(path, bytes);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      long denied = 0;
      long unknown = 0;
      for (long key = 0; key < 100_000; key++) {
        switch (filter.ask(key)) {
          case NOT_HERE -> denied++;
          case UNKNOWN -> unknown++;
          case MAYBE_HERE -> {}
        }
      }
      // One page of sixteen is in doubt.
      assertThat(denied).isBetween(90_000L, 95_000L);
      assertThat(unknown).isBetween(5_500L, 7_000L);
      assertThat(filter.stats().doubts())
          .containsExactly("1 of 16 pages is damaged, at bytes 12,544 to 16,639");
      assertThatThrownBy(filter::verify)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("12,544");
      assertThatThrownBy(() -> filter.save(folder.resolve("copy.wbird")))
          .isInstanceOf(CorruptFilterException.class);
      assertThat(denied(filter, sample.hashes())).isZero();
    }
    assertThat(folder.resolve("copy.wbird")).doesNotExist();
  }
}
