package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The Guards tab in a real browser: the attack, with the guard off and on. */
final class GuardsPageTest extends BrowserTest {
  private long queriesPerSecond() {
    return (Long) browser.js("return Number(document.getElementById('demo-queries').dataset.rate)");
  }

  private long count(String name) {
    return Long.parseLong(browser.text(".guard [data-count=" + name + "]").replaceAll("\\D", ""));
  }

  @Test
  void guard_letsTheLoadOfTheDatabaseFall() {
    browser.open(address("guards"));
    browser.await("return document.getElementById('attack') !== null");
    assertThat(browser.text("#guards-list")).contains("No guards in this process yet");
    browser.click("#attack");
    browser.await("return Number(document.getElementById('demo-queries').dataset.rate) > 1500");
    assertThat(browser.text("#demo-state")).contains("nobody guards");
    assertThat(count("asked")).isZero();

    browser.click("#guard");
    browser.await("return Number(document.getElementById('demo-queries').dataset.rate) < 500");
    browser.await(
        "return Number(document.querySelector('[data-count=asked]').textContent"
            + ".replace(/\\D/g, '')) > 2000");
    assertThat(browser.text("#demo-state")).contains("the guard stops it");
    assertThat(queriesPerSecond()).isBetween(1L, 500L);
    assertThat(browser.text("#demo-lost")).isEqualTo("0");
    assertThat(count("stopped") + count("loaded")).isEqualTo(count("asked"));
    assertThat(count("stopped")).isGreaterThan(count("asked") * 9 / 10);

    browser.click("#rebuild");
    browser.await(
        "return document.querySelectorAll('.span.serving').length === 1"
            + " && document.querySelectorAll('.span.retired').length === 1");
    browser.click("#attack");
    browser.await("return document.getElementById('demo-state').dataset.state === 'idle'");
    assertThat(browser.js("return document.querySelectorAll('.area.stopped').length"))
        .isEqualTo(1L);
  }
}
