package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The Guards tab in a real browser: the attack, with the guard off and on. */
final class GuardsPageTest extends BrowserTest {
  /** Waits until the attack runs, and what reaches the database is so large a part of it. */
  private void awaitShare(double least, double most) {
    browser.await(
        "const rate = (id) =>"
            + " Number(document.getElementById(id).textContent.replace(/\\D/g, ''));"
            + " const [asked, seen] = [rate('demo-requests'), rate('demo-queries')];"
            + " return asked > 100 && seen >= asked * arguments[0] && seen <= asked * arguments[1]",
        least,
        most);
  }

  /** A part of a script: a count of the guard, as the page shows it. */
  private static String count(String name) {
    return "Number(document.querySelector('.guard [data-count="
        + name
        + "]').textContent.replace(/\\D/g, ''))";
  }

  @Test
  void guard_letsTheLoadOfTheDatabaseFall() {
    browser.open(address("guards"));
    browser.await("return document.getElementById('attack') !== null");
    assertThat(browser.text("#guards-list")).contains("No guards in this process yet");
    browser.click("#attack");
    awaitShare(0.9, 1.1);
    assertThat(browser.text("#demo-state")).contains("without a guard");
    assertThat(browser.js("return " + count("asked"))).isEqualTo(0L);

    browser.click("#guard");
    browser.await("return " + count("asked") + " > 2000");
    awaitShare(0.001, 1.0 / 6); // One request of twenty is for a product.
    assertThat(browser.text("#demo-state")).contains("the guard stops it");
    assertThat(browser.text("#demo-lost")).isEqualTo("0");
    browser.await("return " + count("stopped") + " > " + count("asked") + " * 0.9");

    browser.click("#rebuild");
    browser.await(
        "return document.querySelectorAll('.span.serving').length === 1"
            + " && document.querySelectorAll('.span.retired').length === 1");
    browser.click("#attack");
    browser.await("return document.getElementById('demo-state').dataset.state === 'idle'");
    // Counted one after the other: while requests go on, the sum may be off by those on their way.
    browser.await(
        "return " + count("stopped") + " + " + count("loaded") + " === " + count("asked"));
    assertThat(browser.js("return document.querySelectorAll('.area.stopped').length"))
        .isEqualTo(1L);
  }
}
