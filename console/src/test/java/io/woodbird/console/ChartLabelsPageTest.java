package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The texts of the charts touch no line and no other text, and stay inside of their picture. */
final class ChartLabelsPageTest extends BrowserTest {
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"390, zh", "1280, en"})
  void labels_touchNothingInTheOtherLanguage(int width, String language) throws IOException {
    labels_touchNothing(width, language);
  }

  @ParameterizedTest
  @CsvSource({"390, en", "1280, zh"})
  void labels_touchNothing(int width, String language) throws IOException {
    browser.prefer(width, 900, "light", true);
    speak(language);
    List<String> complaints = new ArrayList<>();
    // Rates from a few bits to 10^-9, and a budget, where the promise is what the filter reaches.
    for (String query :
        List.of(
            "n=1M&p=20%25&family=bloom",
            "n=10M&p=1%25&family=bloom",
            "n=10M&p=0.1%25&family=bloom",
            "n=1e9&p=3e-6&family=bloom",
            "n=1e9&p=1e-9&family=bloom-classic",
            "n=2e9&budget=500MB&family=bloom")) {
      showPlan(query);
      browser.await("return document.querySelector('#plan-charts .mark') !== null");
      for (Object complaint : (List<?>) browser.js(script(), "#plan-charts")) {
        complaints.add(query + ": " + complaint);
      }
    }
    for (String query : List.of("m=16&k=2", "m=64&k=8&name=Ada", "m=256&k=5&name=Ada&name=Bob")) {
      browser.go("#play?" + query);
      browser.await("return document.querySelector('#play-charts .mark') !== null");
      for (Object complaint : (List<?>) browser.js(script(), "#play-charts")) {
        complaints.add(query + ": " + complaint);
      }
    }
    speak("en");
    assertThat(complaints).isEmpty();
  }

  /** The control: a label over a line, over another, and outside is each found. */
  @Test
  void script_findsEachFault() throws IOException {
    browser.prefer(390, 900, "light", true);
    browser.open(address("plan?n=10M&p=0.1%25&family=bloom"));
    browser.await("return document.querySelector('#plan-charts .mark') !== null");
    browser.js(
        """
        const [last, first] = document.querySelectorAll('#plan-charts .mark');
        const line = document.querySelector('#plan-charts line.here');
        first.setAttribute('x', line.getAttribute('x1') - 5);
        first.setAttribute('y', 100);
        last.setAttribute('x', -20);
        const bits = document.querySelector('#plan-charts .value');
        bits.setAttribute('x', bits.previousSibling.previousSibling.getAttribute('x') - 20);
        """);
    assertThat(browser.js(script(), "#plan-charts").toString())
        .contains("over a line")
        .contains("outside")
        .contains("over the text");
  }

  @Test
  void mark_saysThePromiseAsItIs() {
    showPlan("n=1e9&p=3e-6&family=bloom");
    assertThat(browser.text("#plan-charts")).contains("3.0 \u00d7 10\u207b\u2076");
    showPlan("n=1e9&p=1e-6&family=bloom");
    assertThat(
            (String)
                browser.js("return [...document.querySelectorAll('.mark')].at(-1).textContent"))
        .isEqualTo("10\u207b\u2076");
  }

  private void speak(String language) {
    browser.open(address("plan?n=10M&p=0.1%25"));
    browser.await("return document.querySelector('#plan-charts svg') !== null");
    if (!((String) browser.js("return document.documentElement.lang")).startsWith(language)) {
      browser.click("#language");
      browser.await("return document.documentElement.lang.startsWith(arguments[0])", language);
    }
  }

  private static String script() throws IOException {
    try (InputStream in = ChartLabelsPageTest.class.getResourceAsStream("labels.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
