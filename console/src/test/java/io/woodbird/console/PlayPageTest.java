package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.Keys;
import io.woodbird.layout.ClassicBloom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The Play tab in a real browser. */
final class PlayPageTest extends BrowserTest {
  private static final long SEED = 7;

  private static Set<Long> drawers(int m, int k, String... names) {
    Set<Long> drawers = new TreeSet<>();
    for (String name : names) {
      long state = ClassicBloom.first(Keys.strings().hash(name, SEED));
      for (int i = 0; i < k; i++) {
        drawers.add(ClassicBloom.position(state, m));
        state = ClassicBloom.next(state);
      }
    }
    return drawers;
  }

  private Set<Long> full() {
    Set<Long> full = new TreeSet<>();
    for (Object index :
        (List<?>)
            browser.js(
                "return [...document.querySelectorAll('.drawer[data-full=\"1\"]')].map(one =>"
                    + " Number(one.dataset.drawer))")) {
      full.add((Long) index);
    }
    return full;
  }

  private String answer() {
    return String.valueOf(browser.js("return document.getElementById('say').dataset.answer"));
  }

  private void put(String name) {
    browser.type("#name", name);
    browser.click("#put");
  }

  private String ask(String name) {
    browser.type("#name", name);
    browser.click("#ask");
    return answer();
  }

  @Test
  void putAndAsk_useTheDrawersThatJavaUses() {
    show("play?m=64&k=3");
    put("Ada");
    assertThat(full()).isEqualTo(drawers(64, 3, "Ada"));
    put("\u674e\u96f7");
    put("\ud83d\udc26 <b>&amp;");
    assertThat(full()).isEqualTo(drawers(64, 3, "Ada", "\u674e\u96f7", "\ud83d\udc26 <b>&amp;"));
    assertThat(ask("Ada")).isEqualTo("maybe");
    assertThat(browser.text("#say")).contains("Maybe here!").contains("really put in");
    assertThat(ask("Bob")).isEqualTo("not");
    long empty =
        drawers(64, 3, "Bob").stream().filter(one -> !full().contains(one)).findAny().orElseThrow();
    assertThat(browser.text("#say")).contains("Not here!").contains("certain");
    assertThat(browser.attribute(".drawer[data-drawer='" + empty + "']", "class"))
        .contains("proof");
    browser.click("#clear");
    assertThat(full()).isEmpty();
  }

  @Test
  void sliders_moveTheRateToTheFormula() {
    show("play?m=64&k=3");
    browser.click("#fill-10");
    assertRate(64, 3, 10);
    browser.press("#m", Key.ARROW_RIGHT);
    assertThat(browser.text("#m-value")).isEqualTo("96");
    assertRate(96, 3, 10);
    browser.press("#k", Key.ARROW_RIGHT);
    assertRate(96, 4, 10);
    assertThat((String) browser.js("return location.hash")).contains("m=96").contains("k=4");
    assertThat(full())
        .isEqualTo(drawers(96, 4, "Ada Lin Bob Mia Tom Eve Max Zoe Kai Ivy".split(" ")));
  }

  private void assertRate(int m, int k, int n) {
    double rate = Math.pow(1 - Math.pow(1 - 1.0 / m, k * n), k);
    String shown = browser.text("#fact-formula").replace(" %", "");
    assertThat(Double.parseDouble(shown) / 100).isBetween(rate - 5e-5, rate + 5e-5);
  }

  /** The rate really seen: 11,000 strangers are asked, and what they see is the fill to the k. */
  @Test
  void strangers_seeWhatTheDrawersSay() {
    show("play?m=128&k=4");
    browser.click("#fill-10");
    browser.click("#fill-10");
    browser.await("return document.getElementById('fact-seen').textContent !== '\u2026'");
    browser.click("#strangers");
    double rate = Math.pow(full().size() / 128.0, 4);
    double sigma = Math.sqrt(rate * (1 - rate) / 11_000);
    double seen = Double.parseDouble(browser.text("#fact-seen").replace(" %", "")) / 100;
    assertThat(seen).isBetween(rate - 5 * sigma - 1e-4, rate + 5 * sigma + 1e-4);
  }

  @Test
  void saturation_saysMaybeToEverybody() {
    show("play?lesson=5");
    browser.click("#fill-all");
    assertThat(full()).hasSize(64);
    String names = browser.text("#fact-names");
    browser.open((String) browser.js("return location.href"));
    assertThat(browser.text("#fact-names")).isEqualTo(names);
    assertThat(full()).hasSize(64);
    assertThat(ask("nobody at all")).isEqualTo("maybe");
    assertThat(browser.text("#say")).contains("wrong");
    assertThat(browser.text("#explain")).contains("of little use");
  }

  @Test
  void counters_takeNamesOutAgain() {
    show("play?m=64&k=3&counters=1&name=Bob");
    put("Ada");
    put("Ada");
    browser.click("#remove");
    assertThat(ask("Ada")).isEqualTo("maybe");
    browser.click("#remove");
    assertThat(ask("Ada")).isEqualTo("not");
    assertThat(ask("Bob")).isEqualTo("maybe");
    assertThat(full()).isEqualTo(drawers(64, 3, "Bob"));
  }

  /** The lesson shows the one thing that a real filter must never do, and calls it wrong. */
  @Test
  void removingWithoutCounters_isShownToBeWrong() {
    show("play?lesson=6");
    browser.click("#remove");
    List<String> lost = new ArrayList<>();
    for (String name : List.of("Bob", "Lin", "Mia", "Tom", "Eve")) {
      if (ask(name).equals("not")) {
        assertThat(browser.text("#say")).contains("Wrong!").contains("must never happen");
        lost.add(name);
      }
    }
    assertThat(lost).isNotEmpty();
    show("play?lesson=6");
    browser.click("#counting");
    browser.type("#name", "Ada");
    browser.click("#remove");
    for (String name : List.of("Bob", "Lin", "Mia", "Tom", "Eve")) {
      assertThat(ask(name)).isEqualTo("maybe");
    }
  }

  @Test
  void wrongMaybe_namesWhoseMarblesTheyAre() {
    show("play?lesson=3");
    List<String> wrong = new ArrayList<>();
    for (String name : List.of("Kai", "Ivy", "Leo", "Noa", "Sam")) {
      if (ask(name).equals("maybe")) {
        assertThat(browser.text("#say")).contains("nobody put").contains("has a marble of");
        wrong.add(name);
      }
    }
    assertThat(wrong).isNotEmpty();
  }

  @Test
  void toyHash_takesBBBBForAaAaWhateverTheSize() {
    show("play?lesson=7");
    for (int i = 0; i < 4; i++) {
      assertThat(ask("BBBB")).isEqualTo("maybe");
      browser.press("#m", Key.ARROW_RIGHT);
    }
    browser.js(
        "const box = document.getElementById('scheme'); box.value = 'woodbird';"
            + " box.dispatchEvent(new Event('change'))");
    assertThat(ask("BBBB")).isEqualTo("not");
    assertThat(ask("AaAa")).isEqualTo("maybe");
  }

  @Test
  void lessons_areReachedByLinkAndByBack() {
    show("play?lesson=4");
    for (int lesson = 1; lesson <= 9; lesson++) {
      browser.go("#play?lesson=" + lesson);
      browser.await(
          "return document.querySelector('.chip[aria-current]').textContent === arguments[0]",
          String.valueOf(lesson));
      assertThat(browser.text(".lesson-text")).doesNotContain("lesson.");
    }
    browser.open(address("play?lesson=7"));
    assertThat(browser.text(".chip[aria-current]")).isEqualTo("7");
    browser.click(".chip:nth-of-type(2)");
    browser.await("return document.querySelector('.chip[aria-current]').textContent === '2'");
    browser.click("nav a[data-tab=plan]");
    browser.await("return !document.getElementById('plan').hidden");
    browser.js("history.back()");
    browser.await("return !document.getElementById('play').hidden");
    assertThat(browser.text(".chip[aria-current]")).isEqualTo("2");
  }

  /** It takes a tenth of a second, which nobody should wait for who does not look at it. */
  @Test
  void toyBoard_isDrawnWhenItIsSeen() {
    browser.open(address("plan"));
    browser.await("return document.querySelector('#plan-table') !== null");
    browser.go("#play");
    browser.await("return !document.getElementById('play').hidden");
    assertThat(
            browser.jsLater(
                "const [done] = arguments; const frame = requestAnimationFrame;"
                    + " frame(() => frame(() => done(document.querySelectorAll('.toy').length)))"))
        .isEqualTo(0L);
    browser.js("document.getElementById('toys').scrollIntoView()");
    browser.await("return document.querySelectorAll('.toy').length === 6");
    assertThat(browser.text(".toys")).contains("58 drawers empty").contains("AaAa");
  }

  @Test
  void hostileNames_stayText() {
    String name = "~&name=#<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";
    show("play?m=64&k=3");
    put(name);
    assertThat(ask(name)).isEqualTo("maybe");
    assertThat(browser.text("#say")).contains("<img src=x");
    browser.js("document.querySelector('.drawer[data-full=\"1\"]').focus()");
    assertThat(browser.text("#who")).contains("<script>");
    String link = (String) browser.js("return location.href");
    browser.open(link);
    assertThat(full()).isEqualTo(drawers(64, 3, name));
    assertThat(browser.js("return document.querySelectorAll('img[src=x], #say script').length"))
        .isEqualTo(0L);
    assertThat(browser.js("return window.hacked === undefined")).isEqualTo(true);
    // And if the page had a hole, the policy would hold.
    assertThat(
            browser.js(
                "try { document.body.insertAdjacentHTML('beforeend', '<i></i>'); return 'made'; }"
                    + " catch (e) { return e.name; }"))
        .isEqualTo("TypeError");
    browser.takeProblems();
  }

  @Test
  void motion_isLeftOutForThoseWhoPreferThat() {
    String running =
        "return document.getAnimations().length + document.querySelectorAll('.flying').length";
    show("play?m=64&k=3");
    put("Ada");
    assertThat(browser.js(running)).isEqualTo(0L);
    browser.prefer(1280, 900, "light", false);
    show("play?m=64&k=3");
    browser.type("#name", "Ada");
    assertThat(
            (Long)
                browser.js(
                    "document.getElementById('put').click();"
                        + " return document.querySelectorAll('.flying').length"))
        .isEqualTo(3L);
    browser.await("return document.querySelectorAll('.flying').length === 0");
    assertThat(full()).isEqualTo(drawers(64, 3, "Ada"));
  }
}
