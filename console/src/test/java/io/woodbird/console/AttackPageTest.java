package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The attack on the Guards tab: what the page says of it, and how often it asks. */
final class AttackPageTest extends BrowserTest {
  private void openGuards() {
    show("guards");
    browser.await("return document.getElementById('attack') !== null");
  }

  @Test
  void start_isShownAtOnce() {
    openGuards();
    assertThat(browser.text("#guards-demo")).contains("ends a minute after the last look");
    Object state =
        browser.js(
            "document.getElementById('attack').click();"
                + " const state = document.getElementById('demo-state');"
                + " return state.dataset.state + ': ' + state.textContent");
    assertThat((String) state).startsWith("starting: Starting: the database is being filled");
    browser.await("return document.getElementById('demo-state').dataset.state === 'off'");
    browser.click("#attack");
    browser.await("return document.getElementById('demo-state').dataset.state === 'idle'");
  }

  /** What is found while the filter can't tell was drawn twice. */
  @Test
  void partsOfTheChart_addUpToWhatWasAsked() {
    // Of 10 questions 3 are stopped; of the others 4 are found, and 1 is a wrong "maybe".
    Object parts =
        browser.jsLater(
            "const done = arguments[0]; import('./guards.js').then(({ parts }) =>"
                + " done([parts([10, 3, 7, 4, 1, 5, 0]), parts([])].join(';')))");
    assertThat(parts).isEqualTo("3,4,1,2;0,0,0,0");
  }

  /** Who is quicker than the server loses none of what they asked for. */
  @Test
  void quickCommands_areAllSent() {
    openGuards();
    Object checked =
        browser.js(
            "document.getElementById('attack').click(); document.getElementById('guard').click();"
                + " return document.getElementById('guard').checked");
    assertThat(checked).isEqualTo(true);
    browser.await("return document.getElementById('demo-state').dataset.state === 'on'");
    browser.click("#attack");
    browser.await("return document.getElementById('demo-state').dataset.state === 'idle'");
    browser.click("#guard");
    browser.await("return !document.getElementById('guard').checked");
  }

  /** A tab that comes back goes on asking once a second, however often it was hidden. */
  @Test
  void hiddenAndShown_asksNoMoreOften() {
    openGuards();
    // Each of the 30 asks once, and all must be answered before those that follow are counted.
    Object more =
        browser.jsLater(
            """
            const done = arguments[arguments.length - 1];
            const asked = () => performance.getEntriesByType('resource')
                .filter((entry) => entry.name.includes('api/guards')).length;
            const soon = () => new Promise((resolve) => setTimeout(resolve, 100));
            (async () => {
              performance.clearResourceTimings();
              for (let i = 0; i < 30; i++) document.dispatchEvent(new Event('visibilitychange'));
              while (asked() < 30) await soon();
              performance.clearResourceTimings();
              const begun = performance.now();
              while (performance.now() - begun < 3000 || asked() === 0) await soon();
              done(asked() - Math.floor((performance.now() - begun) / 1000));
            })();
            """);
    assertThat((Long) more).isLessThanOrEqualTo(2L);
  }
}
