package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MergeableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.classic.Scheme;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The Filters tab says of each kind of file what it is, and nothing that is true of others only.
 */
final class FileKindsPageTest extends BrowserTest {
  private static final List<String> NAMES =
      IntStream.range(0, 3000).mapToObj(i -> "key " + i).toList();

  @Override
  void fill(Path target) throws IOException {
    MergeableFilter<String> deletable = Woodbird.deletable(Keys.strings(), 4000).seed(1).build();
    MergeableFilter<String> counting =
        Woodbird.deletable(Keys.strings(), 4000).counting().seed(1).build();
    MergeableFilter<String> growing = Woodbird.growing(Keys.strings()).seed(1).build();
    for (MergeableFilter<String> filter : List.of(deletable, counting, growing)) {
      NAMES.forEach(filter::put);
      filter.remove("key 0");
    }
    deletable.save(target.resolve("deletable.wbird"));
    counting.save(target.resolve("counting.wbird"));
    growing.save(target.resolve("growing.wbird"));
    MutableFilter<String> window =
        Woodbird.window(Keys.strings(), 4000, Duration.ofHours(24)).seed(1).build();
    NAMES.forEach(window::put);
    window.save(target.resolve("window.wbird"));
    MutableFilter<String> last = Woodbird.window(Keys.strings(), 4000).seed(1).build();
    NAMES.forEach(last::put);
    last.save(target.resolve("last.wbird"));
    Woodbird.frozen(Keys.strings()).seed(1).buildFrom(NAMES).save(target.resolve("fixed.wbird"));
    ClassicFilter scheme = Scheme.of("djb2-sdbm").filter(4000, 0.01);
    scheme.save(target.resolve("scheme.wbird"));
    Woodbird.frozenMap(Keys.strings())
        .valueBits(2)
        .buildFrom(Map.of("crow", 1L, "jay", 2L).entrySet())
        .save(target.resolve("map.wbird"));
    Woodbird.frozen(Keys.strings())
        .exactAgainst(List.of("owl"))
        .buildFrom(List.of("crow"))
        .save(target.resolve("exact.wbird"));
    ForeignFilter.build("dcso", 10, 0.01, List.of(new byte[] {1}))
        .save(target.resolve("foreign.wbird"));
    Path base = target.resolve("base.wbird");
    Woodbird.frozen(Keys.strings()).seed(1).buildFrom(NAMES).save(base);
    Woodbird.delta(base, Keys.strings())
        .buildTo(target.resolve("delta.wbird"), NAMES.subList(1, 3000), NAMES);
  }

  private String file(String name) {
    showFile(name + ".wbird");
    return browser.text("#file");
  }

  private String ask(String key) {
    browser.js("document.getElementById('file-answer').dataset.answer = ''");
    browser.type("#file-key", key);
    browser.click("#file-form button");
    browser.await("return document.getElementById('file-answer').dataset.answer !== ''");
    return browser.text("#file-answer");
  }

  private String fact(String name) {
    return browser.text("[data-fact='filters." + name + "']");
  }

  private boolean hasMeter() {
    return browser.js("return document.querySelector('#file .meter')") != null;
  }

  @Test
  void deletable_countsAndIsFullSomeDay() {
    String text = file("deletable");
    assertThat(browser.text("#file-kind")).contains("each remove undoes one put");
    assertThat(fact("keys")).isEqualTo("2,999 of at most 4,000");
    assertThat(text).contains("75.0 % of the keys it has room for").contains("slots in use");
    assertThat(text).doesNotContain("bits in use").doesNotContain("frozen");
    assertThat(browser.text(".heat-map")).contains("quotient").doesNotContain("frozen");
    assertThat(ask("key 0")).contains("Not here!").contains("never put in, or it was removed");
    assertThat(ask("key 1")).contains("Maybe here!");
  }

  @Test
  void counting_isABloomFilterOfCounters() {
    String text = file("counting");
    assertThat(browser.text("#file-kind")).contains("counting Bloom").contains("removed");
    assertThat(fact("keys")).startsWith("about ").endsWith(" of 4,000");
    assertThat(text).contains("counters in use").doesNotContain("frozen");
    assertThat(browser.text(".heat-map")).contains("four bits are one counter");
    assertThat(ask("nobody")).contains("it was removed");
  }

  @Test
  void growing_isNeverFull() {
    String text = file("growing");
    assertThat(browser.text("#file-kind")).contains("any number of keys");
    assertThat(fact("keys")).isEqualTo("2,999; the rate holds up to 1,099,511,627,776");
    assertThat(hasMeter()).isFalse();
    assertThat(text).doesNotContain("planned").doesNotContain("frozen").contains("slots in use");
    assertThat(browser.text(".heat-map")).contains("small tables");
  }

  @Test
  void window_saysWhatItRemembers() {
    String text = file("window");
    assertThat(browser.text("#file-kind")).contains("in the last 24 hours before the file was");
    assertThat(fact("keys")).contains("in the window, planned for 4,000");
    assertThat(text).doesNotContain("frozen");
    assertThat(browser.text(".heat-map")).contains("eight generations");
    assertThat(ask("nobody")).contains("Not here!").contains("as of when the file was written");
    file("last");
    assertThat(browser.text("#file-kind")).contains("the last 4,000 keys");
  }

  @Test
  void frozen_hasNoPlanToBeMeasuredBy() {
    String text = file("fixed");
    assertThat(browser.text("#file-kind")).contains("built once from all its keys");
    assertThat(fact("keys")).isEqualTo("3,000");
    assertThat(hasMeter()).isFalse();
    assertThat(text).doesNotContain("planned").doesNotContain("bits in use");
    assertThat(browser.text(".heat-map")).contains("solved, not filled");
    assertThat(ask("nobody")).contains("it was never put in");
  }

  @Test
  void scheme_isNotOfAnotherVersion() {
    String text = file("scheme");
    assertThat(browser.text("#file-kind")).contains("another library");
    assertThat(text).contains("ClassicFilter.load").doesNotContain("of another version");
    browser.takeProblems();
  }

  @Test
  void maps_areAskedLikeFrozenFilters() {
    String text = file("map");
    assertThat(browser.text("#file-kind")).contains("frozen map");
    assertThat(fact("keys")).isEqualTo("2");
    assertThat(hasMeter()).isFalse();
    assertThat(text).doesNotContain("planned").doesNotContain("filters.");
    assertThat(ask("crow")).contains("Maybe here!");
    file("exact");
    assertThat(browser.text("#file-kind")).contains("exact frozen filter");
    assertThat(ask("owl")).contains("Not here!");
  }

  /** What holds no filter of ours says so, and what to do with it. */
  @Test
  void whatIsNotAsked_saysWhy() {
    assertThat(file("foreign"))
        .contains("file of another program")
        .contains("ForeignFilter.load")
        .doesNotContain("of another version")
        .doesNotContain("filters.");
    assertThat(file("delta"))
        .contains("a delta is no filter")
        .contains("woodbird patch")
        .doesNotContain("of another version")
        .doesNotContain("filters.");
    assertThat(browser.text("#file-list"))
        .contains("a delta, no filter")
        .doesNotContain("filters.");
    browser.takeProblems();
  }
}
