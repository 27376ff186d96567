package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The Filters tab in a real browser. */
final class FiltersPageTest extends BrowserTest {
  private static final String HOSTILE =
      "<img src=x onerror=\"window.hacked=1\">\u202e&amp;\n'.wbird";

  @Override
  void fill(Path target) throws IOException {
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), 200_000).seed(3).build();
    IntStream.range(0, 250_000).forEach(i -> filter.put("key " + i));
    filter.save(target.resolve("names.wbird"));
    filter.save(target.resolve(HOSTILE));
    byte[] bytes = Files.readAllBytes(target.resolve("names.wbird"));
    bytes[256 + 2 * 4096] ^= 1;
    Files.write(target.resolve("damaged.wbird"), bytes);
    Files.write(target.resolve("torn.wbird"), java.util.Arrays.copyOf(bytes, 100_000));
    Files.write(target.resolve("notes.txt"), bytes);
  }

  private String ask(String key) {
    browser.js("document.getElementById('file-answer').dataset.answer = ''");
    browser.type("#file-key", key);
    browser.click("#file-form button");
    browser.await("return document.getElementById('file-answer').dataset.answer !== ''");
    return browser.text("#file-answer");
  }

  @Test
  void info_saysWhatTheFilterSays() throws IOException {
    showFile("names.wbird");
    try (OpenFilter<String> filter = Woodbird.open(folder.resolve("names.wbird"), Keys.strings())) {
      FilterStats stats = filter.stats();
      String facts = browser.text("#file .facts");
      assertThat(facts)
          .contains(stats.layout())
          .contains(String.format("%,d of 200,000", stats.estimatedKeys()))
          .contains(String.format("%.2f %%", 100 * stats.currentFpp()))
          .contains(String.format("%,d bytes", filter.sizeInBytes()))
          .contains("0000000000000003");
    }
    assertThat(browser.text("#file")).contains("more keys than planned");
    assertThat(browser.text("#file-state")).contains("every page has its right checksum");
    browser.await("return document.querySelector('#heat-verdict') !== null");
    assertThat(browser.text("#heat-verdict")).contains("Looks random");
    browser.await("return document.querySelectorAll('.tile').length === 2048");
    assertThat(browser.text("#file-list")).doesNotContain("notes.txt");
  }

  @Test
  void ask_answers() {
    showFile("names.wbird");
    assertThat(ask("key 77")).contains("Maybe here!");
    assertThat(ask("\ud83e\udd89 <b>\"' & nobody")).contains("Not here!").contains("Certain");
  }

  @Test
  void damage_isShownPlainly() {
    showFile("damaged.wbird");
    browser.await("return document.querySelector('#heat-verdict') !== null");
    assertThat(browser.text("#file-state"))
        .contains("Damaged")
        .contains("1 of")
        .contains("bytes 8,448")
        .contains("never \u201cnot here\u201d");
    assertThat(browser.text("#heat-verdict")).contains("Damaged pages").contains("1 of");
    // Drawn as soon as the page knows how wide it may be.
    browser.await("return document.querySelectorAll('.tile.torn').length > 0");
    // Among so many strangers some fall onto the damaged page: those are unknown.
    Object unknown =
        browser.jsLater(
            """
            const done = arguments[arguments.length - 1];
            const token = sessionStorage.getItem('woodbird.token');
            (async () => {
              for (let i = 0; i < 300; i++) {
                const response = await fetch('api/ask', {
                  method: 'POST',
                  headers: {'X-Woodbird-Token': token},
                  body: new URLSearchParams({name: 'damaged.wbird', key: 'stranger ' + i}),
                });
                const {answer} = await response.json();
                if (answer === 'UNKNOWN') return done(answer);
              }
              done('none is unknown');
            })();
            """);
    assertThat(unknown).isEqualTo("UNKNOWN");
  }

  @Test
  void torn_isRefused() {
    showFile("torn.wbird");
    assertThat(browser.text("#file-state")).contains("Refused").contains("cut short");
    assertThat(browser.js("return document.querySelector('#file-key')")).isNull();
    assertThat(browser.takeProblems()).allMatch(text -> text.contains("400"));
  }

  @Test
  void hostileName_staysText() {
    showFile(HOSTILE);
    assertThat(browser.text("#file h2"))
        .contains("<img src=x")
        .contains("\\u{202e}")
        .contains("\\u{a}")
        .contains("&amp;");
    assertThat(ask("key 1")).contains("Maybe here!");
    assertThat(browser.js("return document.querySelectorAll('img[src=x]').length")).isEqualTo(0L);
    assertThat(browser.js("return window.hacked === undefined")).isEqualTo(true);
  }
}
