package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The Plan tab gives the answer to what was asked, warns where it is a bad one, and says abilities.
 */
final class PlanAnswerPageTest extends BrowserTest {
  @Test
  void budget_isAnsweredByTheRate() {
    showPlan("n=2e9&budget=500MB");
    double fpp = Woodbird.plan(2_000_000_000L).maxBytes(500_000_000).plans().get(0).fpp();
    assertThat(browser.text("#plan-big strong")).isEqualTo(String.format("%.1f %%", 100 * fpp));
    assertThat(browser.text("#plan-big")).contains("wrong \u201cmaybe\u201d as ribbon");
    assertThat(browser.text("#plan-status")).isEqualTo(browser.text("#plan-big"));
    assertThat(browser.text(".verdict")).contains(Math.round(100 * fpp) + " of 100 strangers");
    showPlan("n=10M&p=0.1%25");
    assertThat(browser.text("#plan-big strong")).contains("MB");
    assertThat(browser.text(".verdict")).contains("in about 1,000 strangers");
  }

  @Test
  void rateAboveTenPercent_isWarnedOf() {
    String warning = "return document.querySelector('#plan-warning') !== null";
    showPlan("n=2e9&budget=500MB");
    assertThat(browser.text("#plan-warning")).contains("More than one stranger in ten");
    showPlan("n=10M&p=20%25");
    assertThat(browser.js(warning)).isEqualTo(true);
    showPlan("n=10M&p=10%25");
    assertThat(browser.js(warning)).isEqualTo(false);
    showPlan("n=2e9&budget=2GB");
    assertThat(browser.js(warning)).isEqualTo(false);
  }

  @Test
  void everyFamily_showsWhatItCanDoAndHowToBuildIt() {
    showPlan("n=1M&p=1%25");
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
    showPlan("n=1M&p=1%25&needs=delete&family=ribbon");
    assertThat(browser.text(".verdict")).contains("ribbon can\u2019t do what you ask for");
  }

  @Test
  void sliders_driveTheSentence() {
    showPlan("n=10M&p=0.1%25");
    assertThat(browser.text("#plan-big"))
        .startsWith("10,000,000 keys, and one wrong \u201cmaybe\u201d in about 1,000 strangers:");
    assertThat(browser.attribute("#plan-n", "aria-valuetext")).isEqualTo("10,000,000");
    browser.press("#plan-n", Key.ARROW_RIGHT);
    browser.await(
        "return document.querySelector('#plan-big').textContent.startsWith('20,000,000')");
    browser.press("#plan-p", Key.ARROW_LEFT);
    browser.await("return document.querySelector('#plan-big').textContent.includes(' 500 ')");
    assertThat((String) browser.js("return location.hash")).contains("n=20M").contains("p=0.2%25");
    assertThat(browser.accessibleName("#plan-p")).isEqualTo("Wrong \u201cmaybe\u201d, by slider");
  }

  @Test
  void doubledKeys_areAnswered() {
    showPlan("n=10M&p=0.1%25&family=bloom");
    long twice =
        Woodbird.plan(20_000_000).fpp(0.001).plans().stream()
            .filter(one -> one.family().equals("bloom"))
            .findAny()
            .orElseThrow()
            .bytes();
    assertThat(browser.text("#plan-doubled"))
        .contains("Planned for 20,000,000 keys it takes " + Math.round(twice / 1e5) / 10.0 + " MB")
        .containsPattern("wrong for [0-9.]+ % of the strangers");
    assertThat(browser.text("#plan-charts")).contains("doubled: ");
    showPlan("n=10M&p=0.1%25&family=ribbon");
    assertThat(browser.text("#plan-doubled")).doesNotContain("strangers");
  }

  @Test
  void keptPlan_standsBesideAnother() {
    showPlan("n=10M&p=0.1%25&family=bloom");
    browser.click("#plan-keep");
    browser.await("return document.querySelector('#plan-versus') !== null");
    browser.type("#plan-keys", "20M");
    browser.await(
        "return document.querySelector('#plan-versus').textContent.includes('20,000,000')");
    assertThat(browser.text("#plan-versus")).contains("10,000,000").contains("\u00d7 2.00");
    browser.open((String) browser.js("return location.href"));
    browser.await("return document.querySelector('#plan-versus') !== null");
    assertThat(browser.text("#plan-versus")).contains("10,000,000").contains("20,000,000");
    browser.click("#plan-drop");
    browser.await("return document.querySelector('#plan-versus') === null");
    assertThat((String) browser.js("return location.hash")).doesNotContain("beside");
  }
}
