package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FilterPlan;
import io.woodbird.Planner;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The Plan tab in a real browser: its numbers are those of {@link Planner}. */
final class PlanPageTest extends BrowserTest {
  /** What the table shows, and what it was made from. */
  private void assertShows(Planner planner) {
    List<List<Object>> expected = new ArrayList<>();
    for (FilterPlan plan : planner.plans()) {
      expected.add(
          List.of(
              plan.family(),
              String.valueOf(plan.bytes()),
              plan.bitsPerKey(),
              plan.fpp(),
              String.format("%,.2f", plan.bitsPerKey())));
    }
    Object shown =
        browser.js(
            "return [...document.querySelectorAll('.family')].map(card => {"
                + " const size = card.querySelector('[data-bytes]').dataset.bytes;"
                + " const { bitsPerKey, fpp } = card.querySelector('[data-fpp]').dataset;"
                + " return [card.dataset.family, size, Number(bitsPerKey) + 1e-300, Number(fpp),"
                + " card.querySelector('[data-fpp]').textContent.split(' ')[0]]; })");
    List<List<?>> rows = new ArrayList<>();
    ((List<?>) shown).forEach(row -> rows.add((List<?>) row));
    assertThat(rows).hasSameSizeAs(expected);
    // The page has the families by ability, the planner by size.
    Comparator<List<?>> byFamily = Comparator.comparing(row -> (String) row.get(0));
    rows.sort(byFamily);
    expected.sort(byFamily);
    for (int i = 0; i < rows.size(); i++) {
      List<?> row = rows.get(i);
      assertThat(row.get(0)).isEqualTo(expected.get(i).get(0));
      assertThat(row.get(1)).isEqualTo(expected.get(i).get(1));
      assertThat(((Number) row.get(2)).doubleValue()).isEqualTo(expected.get(i).get(2));
      assertThat(((Number) row.get(3)).doubleValue()).isEqualTo(expected.get(i).get(3));
      assertThat(row.get(4)).isEqualTo(expected.get(i).get(4));
    }
  }

  @Test
  void numbers_areThePlanners() {
    showPlan("n=10M&p=0.1%25");
    assertShows(Woodbird.plan(10_000_000).fpp(0.001));
    assertThat(browser.text("#plan-limit")).contains("9.97 bits per key");
    browser.type("#plan-keys", "1e9");
    browser.type("#plan-fpp", "1/1000000");
    browser.await("return location.hash.includes('1000000')");
    browser.await("return document.querySelector('#plan-limit').textContent.includes('19.93')");
    assertShows(Woodbird.plan(1_000_000_000L).fpp(1e-6));
    browser.click("[name=need][value=delete]");
    browser.await("return document.querySelectorAll('.family').length === 3");
    assertShows(Woodbird.plan(1_000_000_000L).fpp(1e-6).needs(Need.DELETE));
  }

  /** The questions that {@code PlanNumbersTest} asks the command line, one after the other. */
  @Test
  void amounts_areThoseOfTheCommandLine() {
    Map<String, Planner> questions = new LinkedHashMap<>();
    questions.put("n=1&p=0.5", Woodbird.plan(1).fpp(0.5));
    questions.put("n=1_234_567&p=1e-9", Woodbird.plan(1_234_567).fpp(1e-9));
    questions.put("n=1e9&p=1/1000000", Woodbird.plan(1_000_000_000).fpp(1e-6));
    questions.put("n=2e9&budget=500MB", Woodbird.plan(2_000_000_000).maxBytes(500_000_000));
    questions.put("n=10k&budget=1MiB", Woodbird.plan(10_000).maxBytes(1_048_576));
    questions.put("n=10M&p=0.1%25", Woodbird.plan(10_000_000).fpp(0.001));
    questions.forEach(
        (query, planner) -> {
          showPlan(query);
          assertShows(planner);
        });
  }

  @Test
  void budget_saysWhatNobodyCanPass() {
    showPlan("n=2e9&budget=500MB");
    assertShows(Woodbird.plan(2_000_000_000L).maxBytes(500_000_000));
    assertThat(browser.text("#plan-limit")).contains("2.00 bits").contains("25.0 %");
    assertThat(browser.text(".ways")).contains("1 %: 1.67 GB").contains("0.1 %: 2.50 GB");
    assertThat(browser.js("return document.getElementById('plan-fpp').disabled")).isEqualTo(true);
  }

  @Test
  void charts_haveTablesBehindThem() {
    showPlan("n=10M&p=0.1%25");
    browser.js(
        "document.querySelectorAll('#plan-charts details').forEach(d => { d.open = true; })");
    browser.await("return document.querySelectorAll('#plan-charts .numbers table').length === 2");
    assertThat(browser.text("#plan-charts .numbers table")).contains("ribbon");
    assertThat(browser.js("return document.querySelectorAll('.map td.here').length")).isEqualTo(1L);
    String bytes =
        String.valueOf(Woodbird.plan(10_000_000).fpp(0.001).plans().get(0).bytes() / 100_000);
    assertThat(browser.text(".map td.here").replace(".", "")).startsWith(bytes);
  }

  @Test
  void copy_offersJavaYamlAndTheCommandLine() {
    showPlan("n=10M&p=0.1%25");
    browser.click("[data-family=bloom] .pick");
    browser.await("return document.querySelector('#snippet').textContent.includes('.bloom(')");
    assertThat(browser.text("#snippet"))
        .contains("Woodbird.bloom(Keys.strings(), 10_000_000).fpp(0.001).build()");
    browser.click("[data-kind=yaml]");
    assertThat(browser.text("#snippet")).contains("expected-keys: 10000000");
    browser.click("[data-kind=cli]");
    assertThat(browser.text("#snippet")).isEqualTo("woodbird plan -n 10000000 --fpp 0.001\n");
    browser.click("#copy");
    browser.await("return document.querySelector('.copy [role=status]').textContent !== ''");
    assertThat((String) browser.js("return location.hash")).contains("family=bloom");
  }

  @Test
  void nonsense_isSaidToBe() {
    browser.open(address("plan?n=%3Cb%3Emany&p=0.1%25"));
    browser.await("return document.querySelector('#plan-answer .problem') !== null");
    assertThat(browser.text("#plan-answer")).contains("<b>many");
    assertThat(browser.takeProblems()).allMatch(text -> text.contains("400"));
  }
}
