package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.FilterPlan;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Numbers inside sentences are what the results say, or what the library computes. */
final class SentencesTest {
  private static final Pattern DELTA =
      Pattern.compile("(?m)^delta +today\\.wdelta +([0-9]+) bytes");

  /** Both languages must have these numbers, in words that stand around them. */
  private static void says(String page, String english, String chinese, Object... numbers)
      throws IOException {
    for (String name : new String[] {"docs/" + page, "docs/zh/" + page}) {
      String words = name.startsWith("docs/zh/") ? chinese : english;
      assertThat(Files.readString(Page.root().resolve(name)))
          .as(name)
          .contains(String.format(Locale.ROOT, words, numbers));
    }
  }

  private static double measured(String section, String metric) throws IOException {
    Map<?, ?> document =
        new Yaml()
            .load(Files.readString(Page.root().resolve("docs/benchmarks/" + section + ".json")));
    assertThat(document.get("quick")).isEqualTo(false);
    return Numbers.rows(document).stream()
        .filter(row -> metric.equals(row.get("metric")))
        .mapToDouble(row -> ((Number) row.get("value")).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  private static double bits(String family, double fpp) {
    return Woodbird.plan(10_000_000).fpp(fpp).plans().stream()
        .filter(plan -> plan.family().equals(family))
        .mapToDouble(FilterPlan::bitsPerKey)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aBillionKeysInSpark() throws IOException {
    says(
        "howto/spark.md",
        "%.0f minutes, and neither process took more than %.0f MB",
        "\u7528\u4e86 %.0f \u5206\u949f\uff0c\u6bcf\u4e2a\u8fdb\u7a0b\u5360\u7528\u7684\u5185\u5b58"
            + "\u90fd\u4e0d\u8d85\u8fc7 %.0f MB",
        measured("spark-billion", "buildSeconds") / 60,
        100 * Math.ceil(measured("spark-billion", "peakResidentBytes") / 1e8));
  }

  @Test
  void anExactFilter() throws IOException {
    double bits = measured("exact-world", "bitsPerKey");
    double bound = measured("exact-world", "boundBitsPerKey");
    says("howto/blocklist.md", "[%.2f bits a key]", "[%.2f \u4f4d]", bits);
    says("howto/blocklist.md", "%.2f times what", "%.2f \u500d", bits / bound);
  }

  /** 100 lines are removed and 150 added in the example. */
  @Test
  void aDelta() throws IOException {
    says("howto/blocklist.md", "about 1 KB and 13 bits", "1 KB\uff0c\u5916\u52a0");
    String readme = Files.readString(Page.root().resolve("examples/blocklist/README.md"));
    Matcher delta = DELTA.matcher(readme);
    assertThat(delta.find()).isTrue();
    double expected = 1024 + 250 * 13 / 8.0;
    assertThat(Double.parseDouble(delta.group(1))).isBetween(0.8 * expected, 1.2 * expected);
  }

  @Test
  void sizesOfFamilies() throws IOException {
    double last = Woodbird.window(Keys.longs(), 1_000_000).plan().bytes();
    double timed = Woodbird.window(Keys.longs(), 1_000_000, Duration.ofDays(1)).plan().bytes();
    says("howto/choose.md", "%.2f times the memory", "%.2f \u500d", last / timed);
    says(
        "howto/several-instances.md",
        "about %.0f bytes a key at 0.1 %%",
        "\u7ea6 %.0f \u5b57\u8282",
        1.5 * bits("bloom", 0.001) / 8);
    says(
        "howto/billion-lines.md",
        "ribbon` is a third smaller",
        "ribbon` \u5c0f\u4e09\u5206\u4e4b\u4e00");
    assertThat(bits("ribbon", 0.001) / bits("bloom", 0.001)).isBetween(0.63, 0.70);
  }

  /**
   * A filter of a million keys loses the same share as one of a billion, as it has as many bits a
   * key.
   */
  @Test
  void keysThatACrawlLoses() throws IOException {
    var million = Woodbird.bloom(Keys.longs(), 1_000_000).fpp(1e-6).seed(1);
    says(
        "howto/crawl.md",
        "you lose about\n%.0f, and with `classic()` about %.0f",
        "\u5927\u7ea6\u4f1a\u6f0f\u6389 %.0f \u4e2a",
        1e9 * lost(million.build()),
        1e9 * lost(million.classic().build()));
    says("howto/crawl.md", "more than two billion", "\u4e8c\u5341\u591a\u4ebf");
    BloomFilter<Long> half = Woodbird.bloom(Keys.longs(), 1_000_000).fpp(1e-6).seed(1).build();
    for (long key = 0; key < 500_000; key++) {
      half.put(key);
    }
    assertThat(1 / half.stats().currentFpp()).isBetween(2e9, 3.2e9);
  }

  /** Share of a million new keys that are taken for old ones, if they are put one after another. */
  private static double lost(BloomFilter<Long> filter) {
    double lost = 0;
    double before = 0;
    int steps = 50;
    for (int step = 0; step < steps; step++) {
      for (long key = 0; key < 1_000_000 / steps; key++) {
        filter.put(step * 1_000_000L / steps + key);
      }
      double now = filter.stats().currentFpp();
      lost += (before + now) / 2 / steps;
      before = now;
    }
    return lost;
  }
}
