package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The Plan tab gives the answer to what was asked, warns where it is a bad one, and says abilities.
 */
final class PlanAnswerPageTest extends BrowserTest {
  private void plan(String query) {
    browser.open(address("plan?" + query));
    browser.await("return document.querySelector('#plan-table') !== null");
  }

  @Test
  void budget_isAnsweredByTheRate() {
    plan("n=2e9&budget=500MB");
    double fpp = Woodbird.plan(2_000_000_000L).maxBytes(500_000_000).plans().get(0).fpp();
    assertThat(browser.text("#plan-big strong")).isEqualTo(String.format("%.1f %%", 100 * fpp));
    assertThat(browser.text("#plan-big")).contains("wrong \u201cmaybe\u201d as ribbon");
    assertThat(browser.text("#plan-status")).isEqualTo(browser.text("#plan-big"));
    assertThat(browser.text(".verdict")).contains(Math.round(100 * fpp) + " of 100 strangers");
    plan("n=10M&p=0.1%25");
    assertThat(browser.text("#plan-big strong")).contains("MB");
    assertThat(browser.text(".verdict")).contains("in about 1,000 strangers");
  }

  @Test
  void rateAboveTenPercent_isWarnedOf() {
    String warning = "return document.querySelector('#plan-warning') !== null";
    plan("n=2e9&budget=500MB");
    assertThat(browser.text("#plan-warning")).contains("More than one stranger in ten");
    plan("n=10M&p=20%25");
    assertThat(browser.js(warning)).isEqualTo(true);
    plan("n=10M&p=10%25");
    assertThat(browser.js(warning)).isEqualTo(false);
    plan("n=2e9&budget=2GB");
    assertThat(browser.js(warning)).isEqualTo(false);
  }

  @Test
  void everyFamily_showsWhatItCanDoAndHowToBuildIt() {
    plan("n=1M&p=1%25");
    assertThat(browser.text("[data-family=growing] .can"))
        .isEqualTo("takes keys later, deletes keys, grows, merges, answers from a mapped file");
    assertThat(browser.text("[data-family=ribbon] .can")).startsWith("is built once");
    for (String family :
        List.of(
            "bloom",
            "bloom-classic",
            "ribbon",
            "fuse",
            "deletable",
            "counting",
            "growing",
            "window")) {
      browser.click("[data-family=" + family + "] .pick");
      browser.await(
          "return document.querySelector('#plan-big').textContent.includes(' as ' + arguments[0])",
          family);
      assertThat(browser.text("#plan-can")).startsWith(family + " ").endsWith("mapped file.");
      assertThat(browser.text("#snippet")).as(family).contains("Woodbird.").contains("build");
      assertThat(browser.text("#plan-answer")).doesNotContain("can't build");
    }
    browser.click("[data-kind=yaml]");
    assertThat(browser.text("#snippet")).contains("starter are bloom filters");
  }

  @Test
  void familyThatDoesNotServe_isSaidToBeLeftOut() {
    plan("n=1M&p=1%25&needs=delete&family=ribbon");
    assertThat(browser.text(".verdict")).contains("ribbon is not among those that serve");
  }
}
