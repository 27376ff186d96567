package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in the address: a link is the whole state, whatever the page showed before. */
final class LinksPageTest extends BrowserTest {
  @Override
  void fill(Path target) throws IOException {
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), 1000).seed(3).build();
    for (String name : new String[] {"a", "b", "c"}) {
      filter.save(target.resolve(name + ".wbird"));
    }
  }

  private String said() {
    return browser.text("#link-said");
  }

  private Object value(String id) {
    return browser.js("return document.getElementById(arguments[0]).value", id);
  }

  @Test
  void plan_resetsWhatALinkLeavesOut() {
    showPlan("n=2e9&p=1%25&budget=5GB&needs=put,delete&family=counting&copy=cli");
    assertThat(browser.text("#plan-big")).contains("counting");
    showPlan("n=1000");
    assertThat(value("plan-keys")).isEqualTo("1000");
    assertThat(value("plan-fpp")).isEqualTo("0.1%");
    assertThat(value("plan-budget")).isEqualTo("");
    assertThat(browser.js("return document.querySelectorAll('[name=need]:checked').length"))
        .isEqualTo(0L);
    assertThat(browser.text("#plan-big")).contains("ribbon");
    assertThat(browser.text("#snippet")).contains("Woodbird.frozen(");
    showPlan("p=5%25");
    assertThat(value("plan-keys")).isEqualTo("10M");
  }

  @Test
  void play_resetsWhatALinkLeavesOut() {
    show("play?m=96&k=5&hash=djb2-sdbm&counters=1&name=Ada&name=Bob&from=3");
    assertThat(browser.text("#fact-names")).isEqualTo("2");
    browser.go("#play?k=4");
    browser.await("return document.getElementById('k-value').textContent === '4'");
    assertThat(browser.text("#m-value")).isEqualTo("64");
    assertThat(value("scheme")).isEqualTo("woodbird");
    assertThat(browser.js("return document.getElementById('counting').checked")).isEqualTo(false);
    assertThat(browser.text("#fact-names")).isEqualTo("0");
    assertThat(browser.js("return document.querySelector('.chip[aria-current]')")).isNull();
  }

  /** Links, and what is refused of each. */
  private static final String[][] REFUSED = {
    {"play?m=64&k=3&hash=toString", "hash=toString"},
    {"play?hash=__proto__", "hash=__proto__"},
    {"play?hash=constructor&name=Ada", "hash=constructor"},
    {"play?m=65", "m=65"},
    {"play?m=__proto__", "m=__proto__"},
    {"play?k=9", "k=9"},
    {"play?k=-1", "k=-1"},
    {"play?k=1e1", "k=1e1"},
    {"play?hash=polynomial-seeds&m=24", "m=24"},
    {"play?lesson=10", "lesson=10"},
    {"play?lesson=toString", "lesson=toString"},
    {"play?counters=yes", "counters=yes"},
    {"play?fill=1000000", "fill=1000000"},
    {"play?m=64&from=valueOf", "from=valueOf"},
    {"plan?family=toString", "family=toString"},
    {"plan?family=__proto__", "family=__proto__"},
    {"plan?needs=put%2Cfly", "needs=fly"},
    {"plan?copy=hasOwnProperty", "copy=hasOwnProperty"},
  };

  /** On one page, one after the other. */
  @Test
  void unknownValues_areRefusedInWords() {
    show("play?lesson=2");
    for (String[] link : REFUSED) {
      browser.go("#" + link[0]);
      browser.await("return document.getElementById('link-said').textContent !== ''");
      assertRefused(link[0], link[1]);
    }
  }

  static Stream<Arguments> refused() {
    return Stream.of(REFUSED).map(link -> Arguments.of((Object[]) link));
  }

  @ParameterizedTest
  @CsvSource("play?m=64&k=3&hash=toString, hash=toString")
  void unknownValues_areRefusedByANewPage(String hash, String refused) {
    browser.open(address(hash));
    assertRefused(hash, refused);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("refused")
  void everyUnknownValue_isRefusedByANewPage(String hash, String refused) {
    unknownValues_areRefusedByANewPage(hash, refused);
  }

  private void assertRefused(String hash, String refused) {
    assertThat(said()).contains("This link says " + refused + ", which is not known here");
    assertThat((String) browser.js("return decodeURIComponent(location.hash)"))
        .doesNotContain(refused);
    if (hash.startsWith("play")) {
      // The page works all the same.
      browser.type("#name", "Eve");
      browser.click("#put");
      browser.click("#ask");
      assertThat(browser.text("#say")).contains("Maybe here!");
    } else {
      browser.await("return document.querySelector('#plan-table') !== null");
    }
    browser.go("#play?lesson=2");
    browser.await("return document.getElementById('link-said').textContent === ''");
  }

  @Test
  void unknownTab_isSaidToBe() {
    browser.open(address("__proto__?m=32"));
    assertThat(said()).contains("There is no \u201c__proto__\u201d on this page");
    assertThat(browser.js("return document.getElementById('play').hidden")).isEqualTo(false);
    browser.go("#plan");
    browser.await("return document.getElementById('link-said').textContent === ''");
  }

  private void awaitFile(String name) {
    browser.await(
        "return document.querySelector('#file h2')?.textContent === arguments[0]"
            + " && document.querySelector('#file-state') !== null",
        name);
  }

  @Test
  void back_walksFiles() {
    browser.open(address("plan?n=1000"));
    browser.click("nav a[data-tab=filters]");
    awaitFile("a.wbird");
    browser.click("#file-list li:nth-child(2) button");
    awaitFile("b.wbird");
    browser.click("#file-list li:nth-child(3) button");
    awaitFile("c.wbird");
    browser.js("history.back()");
    awaitFile("b.wbird");
    assertThat(browser.text("#file-list [aria-pressed=true]")).contains("b.wbird");
    assertThat((String) browser.js("return location.hash")).isEqualTo("#filters?f=b.wbird");
    browser.js("history.back()");
    awaitFile("a.wbird");
    browser.js("history.forward()");
    awaitFile("b.wbird");
    browser.js("history.go(-2)");
    browser.await("return !document.getElementById('plan').hidden");
  }

  @Test
  void missingFile_isSaidToBe() throws IOException {
    browser.open(address("filters?f=gone.wbird"));
    awaitFile("gone.wbird");
    assertThat(browser.text("#file-state")).contains("There is no such file").contains("renamed");
    assertThat(browser.js("return document.querySelector('#file-list [aria-pressed=true]')"))
        .isNull();
    assertThat((String) browser.js("return location.hash")).isEqualTo("#filters?f=gone.wbird");
    // One that goes while the list is shown.
    Files.delete(folder.resolve("b.wbird"));
    browser.click("#file-list li:nth-child(2) button");
    awaitFile("b.wbird");
    assertThat(browser.text("#file-state")).contains("There is no such file");
    assertThat(browser.takeProblems()).allMatch(text -> text.contains("400"));
    // And one in a folder that has none at all.
    Files.delete(folder.resolve("a.wbird"));
    Files.delete(folder.resolve("c.wbird"));
    browser.open(address("filters?f=c.wbird"));
    awaitFile("c.wbird");
    assertThat(browser.text("#file-state")).contains("There is no such file");
    fill(folder);
  }

  /**
   * An answer that comes late changes neither the address nor the file of what is shown by then.
   */
  @Test
  void leaving_isNotUndoneByLateAnswers() {
    show("play?lesson=2");
    browser.js("location.hash = '#filters'; location.hash = '#play?lesson=3'");
    browser.await("return document.querySelector('.chip[aria-current]').textContent === '3'");
    Object hash =
        browser.jsLater(
            "const done = arguments[arguments.length - 1];"
                + " setTimeout(() => done(location.hash), 1000)");
    assertThat(hash).isEqualTo("#play?lesson=3");
  }
}
