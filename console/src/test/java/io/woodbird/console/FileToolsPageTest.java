package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The list of files says how each is; many keys at once; two files side by side. */
final class FileToolsPageTest extends BrowserTest {
  @Override
  void fill(Path target) throws IOException {
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), 10_000).fpp(1e-6).seed(3).build();
    IntStream.range(0, 5_000).forEach(i -> filter.put("key, " + i));
    filter.save(target.resolve("names.wbird"));
    byte[] bytes = Files.readAllBytes(target.resolve("names.wbird"));
    bytes[256 + 4096] ^= 1;
    Files.write(target.resolve("damaged.wbird"), bytes);
    Instant then = Instant.now().minus(Duration.ofDays(3));
    Files.setLastModifiedTime(target.resolve("names.wbird"), FileTime.from(then));
    Files.write(target.resolve("torn.wbird"), new byte[50]);
    Woodbird.frozen(Keys.longs())
        .seed(3)
        .buildFrom(LongStream.range(0, 1000).boxed().toList())
        .save(target.resolve("ids.wbird"));
  }

  private void askAll(String keys) {
    browser.js(
        """
        const text = document.getElementById('many-keys');
        text.closest('details').open = true;
        text.value = arguments[0];
        text.dispatchEvent(new Event('input'));
        document.getElementById('many-said').textContent = '';
        """,
        keys);
    browser.click("#many-ask");
    browser.await(
        "return document.getElementById('many-said').textContent !== ''"
            + " && !document.getElementById('many-ask').disabled");
  }

  @Test
  void list_saysKindHealthAndAge() {
    showFile("names.wbird");
    assertThat(browser.text("#file-list li:nth-child(1)")).contains("damaged.wbird", "damaged");
    assertThat(browser.text("#file-list li:nth-child(2)")).contains("ids.wbird", "ribbon", "whole");
    assertThat(browser.text("#file-list li:nth-child(3)"))
        .contains("names.wbird", "bloom", "3 days ago", "whole");
    assertThat(browser.text("#file-list li:nth-child(4)")).contains("not a whole filter");
    assertThat(browser.js("return document.querySelectorAll('.health.whole').length"))
        .isEqualTo(2L);
  }

  @Test
  void manyKeys_becomeATableAndACsv() {
    showFile("names.wbird");
    StringBuilder keys = new StringBuilder();
    IntStream.range(0, 10_000).forEach(i -> keys.append("key, ").append(i).append('\n'));
    askAll(keys.toString());
    assertThat(browser.text("#many-said")).contains("maybe here").contains("not here");
    long maybe =
        Long.parseLong(browser.text("#many-said").replaceFirst(" .*", "").replace(",", ""));
    // 5,000 were put in; of the others at most a few at an fpp of 1e-6.
    assertThat(maybe).isBetween(5_000L, 5_003L);
    assertThat(browser.js("return document.querySelectorAll('.many tbody tr').length"))
        .isEqualTo(200L);
    Object csv =
        browser.jsLater(
            "const done = arguments[0]; import('./many-keys.js').then(({ csv }) =>"
                + " done(csv([['key, 1', 'M'], ['a\"b', 'N'], ['c', 'X']]).split('\\r\\n')))");
    assertThat(csv)
        .isEqualTo(
            List.of("key,answer", "\"key, 1\",MAYBE_HERE", "\"a\"\"b\",NOT_HERE", "c,NO_KEY", ""));
    askAll("x\n".repeat(10_001));
    assertThat(browser.text("#many-said")).contains("10,001").contains("at most 10,000");
    showFile("damaged.wbird");
    askAll("key, 1\nkey, 2");
    assertThat(browser.text("#many-result")).doesNotContain("not here");
    showFile("ids.wbird");
    askAll("7\nseven");
    assertThat(browser.text("#many-said"))
        .isEqualTo("1 maybe here, 1 that are no keys of this file");
  }

  @Test
  void compare_saysWhatTwoFilesHaveInCommon() {
    showFile("names.wbird");
    String choose =
        "const box = document.getElementById('compare'); box.value = arguments[0];"
            + " box.dispatchEvent(new Event('change'))";
    browser.js(choose, "ids.wbird");
    browser.await("return document.querySelector('#compare-result') !== null");
    assertThat(browser.text("#compare-verdict")).contains("different kinds");
    assertThat(browser.text(".compare")).contains("names.wbird", "ids.wbird", "ribbon", "1,000");
    browser.js(choose, "damaged.wbird");
    browser.await(
        "return document.querySelector('#compare-result').textContent.includes('damaged')");
    assertThat(browser.text("#compare-verdict")).contains("same seed");
  }
}
