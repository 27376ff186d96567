package io.woodbird.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scheme with the int shift against the program that the article prints, line by line. */
class IntShiftOracleTest {
  private static final Scheme INT_SHIFT = Scheme.of("hashcode-shift16-int");

  /** The article's filter: an int shifted, and stored in a long. */
  private static final class Article {
    final int bitSize;
    final int hashSize;
    final long[] bits;

    Article(int n, double p) {
      double ln2 = Math.log(2);
      bitSize = (int) (-(n * Math.log(p)) / (ln2 * ln2));
      hashSize = (int) (bitSize * ln2 / n);
      bits = new long[(bitSize + Long.SIZE - 1) / Long.SIZE];
    }

    int index(String value, int i) {
      int hash1 = value.hashCode();
      int hash2 = hash1 >>> 16;
      int combined = hash1 + (i * hash2);
      return (combined < 0 ? ~combined : combined) % bitSize;
    }

    @SuppressWarnings("NarrowCalculation") // That it is an int is what this is about.
    void put(String value) {
      for (int i = 1; i <= hashSize; i++) {
        int index = index(value, i);
        int bit = 1 << (index % Long.SIZE);
        bits[index / Long.SIZE] |= bit;
      }
    }

    @SuppressWarnings("NarrowCalculation")
    boolean contains(String value) {
      for (int i = 1; i <= hashSize; i++) {
        int index = index(value, i);
        if ((bits[index / Long.SIZE] & (1 << (index % Long.SIZE))) == 0) {
          return false;
        }
      }
      return true;
    }
  }

  private static String key(SplittableRandom random) {
    return Long.toString(random.nextLong() >>> random.nextInt(64), 36);
  }

  @Test
  void wordsAndAnswers_areThoseOfTheArticle(@TempDir Path folder) throws Exception {
    long seed = 0x5eed_2027;
    SplittableRandom random = new SplittableRandom(seed);
    for (int trial = 0; trial < 300; trial++) {
      int n = 1 + random.nextInt(500);
      double p = 0.001 + 0.2 * random.nextDouble();
      Article article = new Article(n, p);
      ClassicFilter filter = INT_SHIFT.filter(n, p);
      assertThat(filter.bits()).isEqualTo(article.bitSize);
      assertThat(filter.hashes()).isEqualTo(article.hashSize);
      for (int i = 0; i < n; i++) {
        String key = key(random);
        article.put(key);
        filter.put(key);
      }
      String what = "seed " + seed + ", trial " + trial;
      assertThat(filter.toLongArray()).as(what).isEqualTo(article.bits);
      ClassicFilter read =
          ClassicFilter.ofLongArray(INT_SHIFT, filter.bits(), filter.hashes(), article.bits);
      Path file = folder.resolve("article.wbird");
      read.save(file);
      ClassicFilter stored = ClassicFilter.load(Files.newInputStream(file));
      for (int i = 0; i < 200; i++) {
        String key = key(random);
        boolean expected = article.contains(key);
        assertThat(filter.mightContain(key)).as(what).isEqualTo(expected);
        assertThat(stored.mightContain(key)).as(what).isEqualTo(expected);
      }
    }
  }

  @Test
  void wordsThatTheArticleCannotHave_areRefused() {
    for (long word : new long[] {1L << 32, 1L << 31, -1L >>> 1, 0xffff_fffe_8000_0000L}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ClassicFilter.ofLongArray(INT_SHIFT, 64, 3, new long[] {word}))
          .withMessageContaining(Long.toHexString(word));
    }
    ClassicFilter.ofLongArray(INT_SHIFT, 64, 3, new long[] {-1L << 31});
  }

  @Test
  void fill_isThatOfTheBitsThatCanBeSet() {
    ClassicFilter full = ClassicFilter.ofLongArray(INT_SHIFT, 104, 3, new long[] {-1L, -1L});
    assertThat(full.fill()).isEqualTo(1);
  }
}
