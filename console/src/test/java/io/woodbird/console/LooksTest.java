package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every tab in both themes, at two widths and in two languages: no text overlaps, is cut or hard to
 * read. The pictures are in target/screenshots, for people to look at; all of them after the slow
 * test.
 */
final class LooksTest extends BrowserTest {
  private static final Path PICTURES = Path.of("target", "screenshots");

  /** Long enough for the whole page: the check looks at what is in the window. */
  private static final int TALL = 6500;

  private final List<String> complaints = new ArrayList<>();
  private int width;
  private String language = "";
  private boolean allPictures;

  @Override
  void fill(Path target) throws IOException {
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), 200_000).seed(3).build();
    IntStream.range(0, 150_000).forEach(i -> filter.put("https://example.org/" + i));
    filter.save(target.resolve("seen-urls.wbird"));
    byte[] bytes = Files.readAllBytes(target.resolve("seen-urls.wbird"));
    bytes[256 + 5 * 4096 + 100] ^= 1;
    Files.write(target.resolve("damaged.wbird"), bytes);
    Files.write(target.resolve("<img src=x onerror=alert(1)>.wbird"), new byte[300]);
    Woodbird.frozen(Keys.longs())
        .buildFrom(IntStream.range(0, 50_000).mapToObj(i -> (long) i).toList())
        .save(target.resolve("product-ids.wbird"));
  }

  /** English has the longer words, which a narrow page cuts first. */
  @ParameterizedTest
  @CsvSource({"390, en", "1280, zh"})
  void textIsReadable(int ofPage, String words) throws IOException {
    width = ofPage;
    language = words;
    complaints.clear();
    walk();
    assertThat(complaints).isEmpty();
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"390, en", "390, zh", "1280, en", "1280, zh"})
  void textIsReadable_atEveryWidthInEveryLanguage(int ofPage, String words) throws IOException {
    allPictures = true;
    try {
      textIsReadable(ofPage, words);
    } finally {
      allPictures = false;
    }
  }

  /** The control: the check finds each kind of fault when there is one. */
  @Test
  void check_findsWhatIsWrong() throws IOException {
    browser.prefer(390, TALL, "light", true);
    browser.open(address("plan?n=10M&p=0.1%25"));
    browser.await("return document.querySelector('#plan-table') !== null");
    assertThat((List<?>) browser.js(script())).isEmpty();
    browser.js(
        """
        const style = (css, name, value) => document.querySelector(css).style.setProperty(name, value);
        style('#plan-title', 'color', '#c9c2b4');
        style('#plan .title p', 'margin-top', '-30px');
        style('.plan-form', 'width', '600px');
        style('.map', 'width', '700px');
        style('.family .size', 'width', '40px');
        document.querySelector('.family .note').textContent = '\\u4e00\\u3002 \\u4e8c\\u3002';
        document.querySelector('.axis.name').setAttribute('x', '20');
        """);
    assertThat(browser.js(script()).toString())
        .contains("contrast")
        .contains("overlap")
        .contains("outside of the page")
        .contains("an amount in two lines")
        .contains("a space after a Chinese sentence")
        .contains("needs sideways scrolling")
        .contains("cut by its picture")
        .contains("wider than its window");
  }

  /** Goes through all tabs in one language at one width. */
  private void walk() throws IOException {
    browser.prefer(width, TALL, "light", true);
    browser.open(address("play?lesson=2"));
    if (language.equals("zh") != browser.text("nav").contains("\u73a9")) {
      browser.click("#language");
      browser.await("return document.documentElement.lang.startsWith(arguments[0])", language);
    }
    browser.type("#name", "Bob");
    browser.click("#ask");
    browser.await("return document.querySelectorAll('.toy').length === 6");
    // The bird sings: both doors stand open.
    assertThat(
            browser.js(
                "return [...document.querySelectorAll('.out .door')]"
                    + ".filter(door => door.getBoundingClientRect().width < 12).length"))
        .as("%s at %s", language, width)
        .isEqualTo(2L);
    look("play");
    browser.go("#play?m=256&k=5&counters=1&name=Ada&name=Lin&name=Bob&name=Ada&name=Mia");
    browser.click("#fill-half");
    browser.click(".explain summary");
    look("play-large");
    browser.go("#play?lesson=6");
    browser.click("#remove");
    look("play-lesson");
    browser.go("#play?lesson=9");
    browser.await("return document.querySelector('.crowd') !== null");
    browser.click("#watch");
    browser.await("return document.querySelector('.crowd').dataset.full > 3000");
    browser.click(".share summary");
    browser.await("return document.querySelector('.qr') !== null");
    look("play-crowd");
    browser.go("#play?lesson=3");
    browser.click("#class-mode");
    browser.click("#ask");
    look("play-class");
    browser.click("#class-mode");
    browser.go("#plan?n=10M&p=0.1%25&beside=n%3D1M%26p%3D1%2525");
    browser.await("return document.querySelector('#plan-versus') !== null");
    look("plan");
    browser.go("#plan?n=2e9&budget=500MB");
    browser.await("return document.querySelector('.ways') !== null");
    browser.js("document.querySelectorAll('details').forEach(one => one.open = true)");
    look("plan-budget");
    browser.go("#filters?f=seen-urls.wbird");
    browser.await("return document.querySelector('#heat-verdict') !== null");
    browser.type("#file-key", "https://example.org/7");
    browser.click("#file-form button");
    browser.await("return document.querySelector('#file-answer').dataset.answer === 'MAYBE_HERE'");
    look("filters");
    browser.go("#filters?f=damaged.wbird");
    browser.await("return document.querySelector('#file-state')?.dataset.state === 'damaged'");
    browser.await("return document.querySelector('#heat-verdict') !== null");
    look("filters-damaged");
    browser.go("#guards");
    browser.await("return document.querySelector('#attack') !== null");
    // The attack goes on from one picture to the next; it is asked for again when its minute is
    // over.
    browser.js(
        """
        const click = (id, wanted) => wanted && document.getElementById(id).click();
        click('attack', document.getElementById('demo-state').dataset.state === 'idle');
        click('guard', !document.getElementById('guard').checked);
        """);
    browser.await(
        "return Number(document.querySelector('[data-count=stopped]')?.textContent"
            + ".replace(/\\D/g, '')) > 500");
    browser.click("#rebuild");
    browser.await("return document.querySelector('.span.retired') !== null");
    look("guards");
  }

  /** Looks at the page as it is, in both themes. */
  private void look(String name) throws IOException {
    for (String theme : new String[] {"light", "dark"}) {
      browser.prefer(width, TALL, theme, true);
      String picture = name + "-" + width + "-" + theme + "-" + language;
      boolean large = name.contains("-");
      if (allPictures ? !large || language.equals("en") : !large && theme.equals("light")) {
        browser.screenshot(PICTURES.resolve(picture + ".png"));
      }
      for (Object complaint : (List<?>) browser.js(script())) {
        complaints.add(picture + ": " + complaint);
      }
    }
  }

  private static String script() throws IOException {
    try (InputStream in = LooksTest.class.getResourceAsStream("looks.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
