package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.Keys;
import io.woodbird.layout.ClassicBloom;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a person did on the Play tab is there after a reload and after another tab. */
final class StatePageTest extends BrowserTest {
  private static final long SEED = 7;

  private void put(String name) {
    browser.type("#name", name);
    browser.click("#put");
  }

  private String ask(String name) {
    browser.type("#name", name);
    browser.click("#ask");
    return String.valueOf(browser.js("return document.getElementById('say').dataset.answer"));
  }

  private void reload() {
    browser.open((String) browser.js("return location.href"));
  }

  private List<?> full() {
    return (List<?>)
        browser.js(
            "return [...document.querySelectorAll('.drawer[data-full=\"1\"]')].map(one =>"
                + " Number(one.dataset.drawer))");
  }

  private static Set<Long> drawers(String name) {
    Set<Long> drawers = new TreeSet<>();
    long state = ClassicBloom.first(Keys.strings().hash(name, SEED));
    for (int i = 0; i < 3; i++) {
      drawers.add(ClassicBloom.position(state, 64));
      state = ClassicBloom.next(state);
    }
    return drawers;
  }

  @Test
  void cabinet_survivesOtherTabs() {
    show("play?m=96&k=5");
    for (String tab : List.of("plan", "filters", "guards")) {
      browser.click("nav a[data-tab=" + tab + "]");
      browser.click("nav a[data-tab=play]");
      browser.await("return !document.getElementById('play').hidden");
      assertThat(browser.text("#m-value")).as("empty, after " + tab).isEqualTo("96");
      assertThat((String) browser.js("return location.hash")).isEqualTo("#play?m=96&k=5");
    }
    put("Ada");
    browser.click("nav a[data-tab=guards]");
    browser.click("nav a[data-tab=play]");
    browser.await("return location.hash === '#play?m=96&k=5&name=Ada'");
    assertThat(browser.text("#say")).contains("Ada");
  }

  /** Also what was taken out without counters, with what that broke. */
  @Test
  void takingOut_survivesReload() {
    show("play?lesson=6");
    browser.click("#remove");
    List<?> before = full();
    List<String> lost =
        List.of("Bob", "Lin", "Mia", "Tom", "Eve").stream()
            .filter(name -> ask(name).equals("not"))
            .toList();
    assertThat(lost).isNotEmpty();
    reload();
    assertThat(full()).isEqualTo(before);
    assertThat(browser.text("#fact-names")).isEqualTo("5");
    for (String name : lost) {
      assertThat(ask(name)).isEqualTo("not");
      assertThat(browser.text("#say")).contains("Wrong!");
    }
  }

  @Test
  void namesAfterAFill_surviveReload() {
    show("play?lesson=4");
    browser.click("#fill-10");
    put("somebody else");
    browser.click("#fill-1");
    String names = browser.text("#fact-names");
    List<?> before = full();
    reload();
    assertThat(browser.text("#fact-names")).isEqualTo(names).isEqualTo("28");
    assertThat(full()).isEqualTo(before);
    assertThat(browser.js("return document.getElementById('link-limit').hidden")).isEqualTo(true);
  }

  @Test
  void limits_areSaid() {
    StringBuilder link = new StringBuilder("play?m=256&k=3");
    for (int i = 0; i < 120; i++) {
      link.append("&name=").append(String.format("%03d", i)).append("x".repeat(190));
    }
    show(link.toString());
    assertThat(browser.text("#fact-names")).isEqualTo("120");
    assertThat(browser.text("#link-limit")).contains("the first 100 of 120 steps");
    reload();
    assertThat(browser.text("#fact-names")).isEqualTo("100");
    assertThat(browser.js("return document.getElementById('link-limit').hidden")).isEqualTo(true);
    show("play?fill=1995");
    browser.click("#fill-10");
    assertThat(browser.text("#fact-names")).isEqualTo("2,000");
    put("one more");
    assertThat(browser.text("#say")).contains("No more").contains("2,000");
    browser.click("#fill-1");
    assertThat(browser.text("#say")).contains("No more");
    assertThat(browser.text("#fact-names")).isEqualTo("2,000");
    reload();
    assertThat(browser.text("#fact-names")).isEqualTo("2,000");
  }

  @ParameterizedTest
  @CsvSource("W, 390")
  void longName_breaksNothing(String letter, int width) throws java.io.IOException {
    String looks;
    try (var in = StatePageTest.class.getResourceAsStream("looks.js")) {
      looks = new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
    String name = letter.repeat(200);
    browser.prefer(width, 6500, "light", true);
    browser.open(address("play?m=64&k=3"));
    put(name);
    assertThat(new TreeSet<>(full())).isEqualTo(drawers(name));
    assertThat((List<?>) browser.js(looks)).as("put").isEmpty();
    assertThat(ask(name)).isEqualTo("maybe");
    browser.js("document.querySelector('.drawer[data-full=\"1\"]').focus()");
    assertThat((List<?>) browser.js(looks)).as("asked").isEmpty();
    reload();
    assertThat(new TreeSet<>(full())).isEqualTo(drawers(name));
    browser.type("#name", name);
    browser.click("#remove");
    assertThat(full()).isEmpty();
    assertThat((List<?>) browser.js(looks)).as("removed").isEmpty();
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"W, 1280", "\u540d, 390", "\u540d, 1280"})
  void longName_breaksNothingEither(String letter, int width) throws java.io.IOException {
    longName_breaksNothing(letter, width);
  }

  @Test
  void nameThatIsTooLong_isRefused() {
    show("play?name=" + "x".repeat(201));
    assertThat(browser.text("#link-said")).contains("name=xxx");
  }

  /** Lesson 5 says: fill up, then ask about somebody who was never put in, or anybody. */
  @Test
  void lessonFive_worksAsTold() {
    show("play?lesson=5");
    assertThat(browser.text("#fact-names")).isEqualTo("15");
    assertThat(browser.text(".try")).contains("Fill up").contains("Quinn");
    assertThat(browser.js("return document.getElementById('name').value")).isEqualTo("Quinn");
    browser.click("#ask");
    assertThat(browser.text("#say")).contains("Not here!");
    browser.click("#fill-all");
    assertThat(full()).hasSize(64);
    browser.click("#ask");
    assertThat(browser.text("#say"))
        .contains("Maybe here!")
        .contains("nobody put \u201cQuinn\u201d");
    assertThat(ask("anybody")).isEqualTo("maybe");
  }

  /** Lesson 6 says: do it, choose the lesson again, switch the counters on, and do the same. */
  @Test
  void lessonSix_worksAsTold() {
    show("play?lesson=6");
    browser.click("#remove");
    browser.click(".chip:nth-of-type(6)");
    browser.await("return location.hash === '#play?lesson=6'");
    browser.click("#counting");
    browser.click("#remove");
    assertThat(browser.text("#say")).contains("each counter went down by one");
    for (String name : List.of("Bob", "Lin", "Mia", "Tom", "Eve")) {
      assertThat(ask(name)).isEqualTo("maybe");
    }
    assertThat(ask("Ada")).isNotEqualTo("hush");
  }

  @Test
  void plan_survivesReloadAndOtherTabs() {
    showPlan("n=5M&p=1%25");
    browser.type("#plan-budget", "20MB");
    browser.click("[name=need][value=put]");
    browser.await("return location.hash.includes('needs=put')");
    browser.click("[data-family=bloom] .pick");
    browser.click("[data-kind=yaml]");
    browser.await("return location.hash.includes('copy=yaml')");
    String hash = (String) browser.js("return location.hash");
    reload();
    browser.await("return document.querySelector('#snippet') !== null");
    assertThat(browser.text("#snippet")).contains("expected-keys: 5000000");
    assertThat(browser.js("return document.getElementById('plan-fpp').value")).isEqualTo("1%");
    browser.click("nav a[data-tab=play]");
    browser.click("nav a[data-tab=plan]");
    browser.await("return location.hash === arguments[0]", hash);
  }
}
