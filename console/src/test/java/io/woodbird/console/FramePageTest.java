package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What all tabs share: languages, themes, the keyboard, the weight, the token. */
final class FramePageTest extends BrowserTest {
  private static final long MOST_BYTES = 350_000;

  private String background() {
    return (String) browser.js("return getComputedStyle(document.body).backgroundColor");
  }

  @Test
  void language_isSwitchedAndKept() {
    browser.open(address("play"));
    assertThat(browser.text("nav")).contains("Play");
    browser.click("#language");
    browser.await("return document.documentElement.lang === 'zh-CN'");
    assertThat(browser.text("nav")).contains("\u73a9\u4e00\u73a9");
    assertThat(browser.text("#facts")).doesNotContain("names put in");
    browser.open(address("plan"));
    assertThat(browser.text("#plan-title")).isEqualTo("\u5b83\u4f1a\u6709\u591a\u5927\uff1f");
    browser.click("#language");
    browser.await("return document.documentElement.lang === 'en'");
    assertThat(browser.text("#plan-title")).isEqualTo("How large will it be?");
  }

  @Test
  void theme_followsThePersonAndTheButton() {
    browser.open(address("play"));
    String light = background();
    browser.prefer(1280, 900, "dark", true);
    String dark = background();
    assertThat(dark).isNotEqualTo(light);
    browser.click("#theme");
    assertThat(background()).isEqualTo(light);
    browser.click("#theme");
    assertThat(background()).isEqualTo(dark);
    browser.prefer(1280, 900, "light", true);
    browser.open(address("play"));
    assertThat(background()).isEqualTo(dark);
    browser.click("#theme");
    assertThat(background()).isEqualTo(light);
    browser.js("localStorage.removeItem('woodbird.theme')");
  }

  @Test
  void keyboard_isEnough() {
    browser.open(address("play?m=64&k=3"));
    browser.js("document.activeElement.blur()");
    tabTo("#skip");
    tabTo("nav a[data-tab=guards]");
    tabTo(".drawer[tabindex='0']");
    browser.press(Key.ARROW_RIGHT, Key.ARROW_DOWN);
    assertThat(browser.js("return document.activeElement.dataset.drawer")).isEqualTo("17");
    browser.press(Key.HOME);
    assertThat(browser.js("return document.activeElement.dataset.drawer")).isEqualTo("16");
    assertThat(browser.text("#who")).contains("16");
    tabTo("#name");
    browser.press("Ada");
    browser.press(Key.ENTER);
    assertThat(browser.text("#say")).contains("\u201cAda\u201d is in");
    browser.pressWithShift(Key.ENTER);
    assertThat(browser.text("#say")).contains("Maybe here!");
    tabTo(".chip");
    tabTo("#m");
    browser.press(Key.ARROW_LEFT);
    assertThat(browser.text("#m-value")).isEqualTo("48");
    tabTo("#counting");
    browser.press(Key.SPACE);
    tabTo("#fill-half");
    browser.press(Key.ENTER);
    assertThat(browser.text("#fact-full")).isNotEqualTo("3 / 48");
    assertThat(
            browser.js(
                "const style = getComputedStyle(document.activeElement);"
                    + " return style.outlineStyle + ' ' + style.outlineWidth"))
        .isEqualTo("solid 3px");
  }

  /** Presses the tabulator until the element has the focus. */
  private void tabTo(String css) {
    for (int i = 0; i < 60; i++) {
      browser.press(Key.TAB);
      if (Boolean.TRUE.equals(
          browser.js("return document.activeElement.matches(arguments[0])", css))) {
        return;
      }
    }
    throw new AssertionError("the tabulator never reaches " + css);
  }

  /** All files of the page, over the wire, with everything that opening it asks for. */
  @Test
  void page_isLight() {
    browser.takeBytes();
    browser.open(address("play"));
    browser.js("document.getElementById('toys').scrollIntoView()");
    browser.await("return document.querySelectorAll('.toy').length === 6");
    long bytes = browser.takeBytes();
    assertThat(bytes).isBetween(50_000L, MOST_BYTES);
    Object paint =
        browser.js("return Math.round(performance.getEntriesByType('paint')[0]?.startTime)");
    System.out.printf("the page weighs %,d bytes, first paint after %s ms%n", bytes, paint);
  }

  @Test
  void withoutTheToken_thePageSaysWhatToDo() {
    browser.open(address("play"));
    browser.js("sessionStorage.clear()");
    browser.open("http://127.0.0.1:" + console().port() + "/#filters");
    browser.await("return document.querySelector('#file-list .problem') !== null");
    assertThat(browser.text("#file-list")).contains("#token=");
    browser.go("#guards");
    browser.await("return document.querySelector('#guards-demo .problem') !== null");
    assertThat(browser.text("#guards-demo")).contains("#token=");
    browser.go("#plan?n=10M&p=1%25");
    browser.await("return document.querySelector('#plan-table') !== null");
    // The browser notes each refusal by itself.
    assertThat(browser.takeProblems()).isNotEmpty().allMatch(text -> text.contains("403"));
  }

  @Test
  void token_leavesTheAddressAtOnce() {
    browser.open(console().uri().toString());
    assertThat((String) browser.js("return location.href")).doesNotContain("token");
    assertThat(browser.js("return sessionStorage.getItem('woodbird.token')"))
        .isEqualTo(console().token());
  }

  @Test
  void messages_areTheSameInBothLanguages() throws IOException {
    String english = asset("en.json");
    String chinese = asset("zh.json");
    assertThat(keys(english)).isEqualTo(keys(chinese)).hasSizeGreaterThan(150);
    StringBuilder code = new StringBuilder(asset("index.html"));
    for (String name : Assets.NAMES) {
      if (name.endsWith(".js")) {
        code.append(asset(name));
      }
    }
    TreeSet<String> used = new TreeSet<>();
    Matcher calls =
        Pattern.compile("\\bt\\('([\\w.]+)'[,)]|data-t(?:-\\w+)?=\"([\\w.]+)\"").matcher(code);
    while (calls.find()) {
      used.add(calls.group(1) != null ? calls.group(1) : calls.group(2));
    }
    assertThat(used).hasSizeGreaterThan(80);
    assertThat(keys(english)).containsKeys(used.toArray(String[]::new));
  }

  /** The keys, each with the placeholders of its text. */
  private static Map<String, TreeSet<String>> keys(String json) {
    Map<String, TreeSet<String>> keys = new TreeMap<>();
    Matcher lines = Pattern.compile("(?m)^ \"([^\"]+)\": \"(.+)\",?$").matcher(json);
    while (lines.find()) {
      keys.put(lines.group(1), placeholders(lines.group(2)));
    }
    return keys;
  }

  private static TreeSet<String> placeholders(String text) {
    TreeSet<String> names = new TreeSet<>();
    Matcher found = Pattern.compile("\\{\\w+}").matcher(text);
    while (found.find()) {
      names.add(found.group());
    }
    return names;
  }

  /** No file of the page names another origin, or makes markup from text. */
  @Test
  void sources_makeNoMarkupFromText() throws IOException {
    for (String name : Assets.NAMES) {
      String code = asset(name);
      for (String word :
          List.of("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")) {
        assertThat(code).as(name).doesNotContain(word);
      }
      assertThat(code.replace("http://www.w3.org/2000/svg", "").replace("https://example.org", ""))
          .as(name)
          .doesNotContain("http:")
          .doesNotContain("https:")
          .doesNotContain("@import");
    }
  }

  private static String asset(String name) throws IOException {
    try (var in = Console.class.getResourceAsStream("page/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
