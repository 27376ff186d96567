package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.zxing.DecodeHintType;
import com.google.zxing.ReaderException;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.decoder.Decoder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stage of the Play tab: first screen, lessons, sharing, class mode, thousands of drawers. */
final class StagePageTest extends BrowserTest {
  private void forgetProgress() {
    browser.js("localStorage.removeItem('woodbird.lessons')");
  }

  /** How many drawers are wholly in the window, and whether the bird's house and man are too. */
  @ParameterizedTest
  @CsvSource({"1280, 800", "390, 844"})
  void firstScreen_showsTheWholeCabinet(int width, int height) {
    browser.prefer(width, height, "light", true);
    browser.open(address("play"));
    String inside =
        """
        return [...document.querySelectorAll(arguments[0])].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width > 8 && box.height > 8 && box.top >= 0 && box.left >= 0
              && box.bottom <= innerHeight && box.right <= innerWidth;
        }).length
        """;
    assertThat(browser.js(inside, ".drawer")).isEqualTo(64L);
    assertThat(browser.js(inside, ".house")).isEqualTo(1L);
    assertThat(browser.js(inside, ".man")).isEqualTo(1L);
    assertThat(browser.js(inside, "#put, #ask")).isEqualTo(2L);
    browser.click("#ask");
    assertThat(browser.js(inside, ".drawer")).as("while the bird sings").isEqualTo(64L);
  }

  @Test
  void oldMan_walksToEachDrawerOfTheName() {
    browser.prefer(1280, 800, "light", false);
    show("play?m=64&k=3");
    browser.type("#name", "Ada");
    assertThat(
            browser.js(
                "document.getElementById('put').click();"
                    + " return document.querySelector('.man').classList.contains('walking')"))
        .isEqualTo(true);
    browser.await("return !document.querySelector('.man').classList.contains('walking')");
    // He has ended beside the drawer of the last marble, an arm's length from it.
    assertThat(
            (Boolean)
                browser.js(
                    """
                    const box = (css) => document.querySelector(css).getBoundingClientRect();
                    const drawer = box('.drawer[data-drawer="60"]');
                    const hand = box('.man-marble');
                    return Math.abs(drawer.left + drawer.width / 2 - hand.left - hand.width / 2) < 4;
                    """))
        .isTrue();
  }

  @Test
  void sound_isOffUntilChosen() {
    browser.open(address("play"));
    assertThat(browser.attribute("#sound", "aria-pressed")).isEqualTo("false");
    browser.js(
        "window.tones = 0; const real = AudioContext.prototype.createOscillator;"
            + " AudioContext.prototype.createOscillator = function () {"
            + " window.tones++; return real.call(this); }");
    browser.click("#put");
    browser.click("#ask");
    assertThat(browser.js("return window.tones")).isEqualTo(0L);
    browser.click("#sound");
    assertThat(browser.attribute("#sound", "aria-pressed")).isEqualTo("true");
    assertThat((Long) browser.js("return window.tones")).isEqualTo(3L);
    browser.click("#sound");
    browser.click("#ask");
    assertThat(browser.js("return window.tones")).isEqualTo(3L);
  }

  @Test
  void lessons_haveNamesANextAndProgress() {
    show("play");
    forgetProgress();
    browser.open(address("play?lesson=1"));
    assertThat(browser.text("#lesson-where")).isEqualTo("Lesson 1 of 9; 0 done");
    browser.click("#put");
    assertThat(browser.text("#lesson-where")).isEqualTo("Lesson 1 of 9; 1 done");
    assertThat(browser.text("#lesson-next")).isEqualTo("Next: One empty drawer is proof");
    browser.click("#lesson-next");
    browser.await("return location.hash === '#play?lesson=2'");
    assertThat(browser.text(".lesson-text h2")).isEqualTo("One empty drawer is proof");
    browser.click("#lesson-before");
    browser.await("return location.hash === '#play?lesson=1'");
    assertThat(browser.accessibleName(".chip.done"))
        .isEqualTo("Lesson 1: One name, three marbles (done)");
    assertThat(browser.js("return document.querySelectorAll('.contents a').length")).isEqualTo(9L);
    forgetProgress();
  }

  @Test
  void share_drawsACodeThatLeadsToTheLesson() throws Exception {
    show("play?lesson=3");
    browser.click(".share summary");
    browser.await("return document.querySelector('.qr') !== null");
    String link = (String) browser.js("return document.getElementById('share-link').value");
    assertThat(link).isEqualTo("http://127.0.0.1:" + console().port() + "/#play?lesson=3");
    assertThat(browser.text("#share-note")).contains("this machine only");
    assertThat(decode("return (await import('./qr.js')).qr(location.href)")).isEqualTo(link);
    // Every version up to 15, and text outside of ASCII.
    for (int length = 0; length <= 412; length += 17) {
      String text = "\u9e1f" + "x".repeat(Math.max(0, length - 3));
      assertThat(decode("return (await import('./qr.js')).qr(" + quoted(text) + ")"))
          .isEqualTo(text);
    }
    assertThat(
            browser.jsLater(
                "const done = arguments[0];"
                    + " import('./qr.js').then(({ qr }) => done(qr('x'.repeat(413))))"))
        .isNull();
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  private String decode(String script) throws ReaderException {
    List<?> rows =
        (List<?>)
            browser.jsLater(
                "const done = arguments[0]; (async () => {"
                    + script
                    + "})().then((rows) => done(rows.map((row) => row.map(Number).join(''))))");
    BitMatrix bits = new BitMatrix(rows.size());
    for (int y = 0; y < rows.size(); y++) {
      String row = (String) rows.get(y);
      for (int x = 0; x < row.length(); x++) {
        if (row.charAt(x) == '1') {
          bits.set(x, y);
        }
      }
    }
    Map<DecodeHintType, ?> hints = Map.of(DecodeHintType.CHARACTER_SET, "UTF-8");
    return new Decoder().decode(bits, hints).getText();
  }

  @Test
  void classMode_isWorkedByKeysAndGuessesFirst() {
    show("play?lesson=2");
    browser.click("#class-mode");
    assertThat(browser.isShown(".top")).isFalse();
    assertThat(browser.isShown(".settings")).isFalse();
    browser.js("document.activeElement.blur()");
    browser.press("a");
    assertThat(browser.text("#say")).contains("What will the bird sing?").contains("Bob");
    assertThat(browser.js("return document.querySelectorAll('.proof').length")).isEqualTo(0L);
    assertThat(browser.js("return document.querySelectorAll('.asked').length")).isEqualTo(3L);
    browser.press("1");
    assertThat(browser.text("#say .word")).contains("Not here!");
    assertThat(browser.text("#class-said")).isEqualTo("You guessed right.");
    browser.press("a");
    browser.press("2");
    assertThat(browser.text("#class-said")).isEqualTo("You guessed otherwise.");
    assertThat(browser.text("#class-score")).isEqualTo("1 of 2 right");
    browser.press(Key.PAGE_DOWN);
    browser.await("return location.hash === '#play?lesson=3'");
    browser.press(Key.ARROW_LEFT);
    browser.await("return location.hash === '#play?lesson=2'");
    // A letter typed into the field is a letter.
    browser.js("document.getElementById('name').focus()");
    browser.press("a");
    assertThat(browser.text("#say")).contains("The bird is inside");
    browser.press(Key.ESCAPE);
    assertThat(browser.isShown(".top")).isTrue();
    browser.click("#ask");
    assertThat(browser.text("#say")).doesNotContain("What will the bird sing?");
  }

  @Test
  void lastLesson_fillsThousandsOfDrawers() {
    show("play?lesson=9");
    assertThat(browser.accessibleName("canvas.crowd"))
        .isEqualTo("4,096 drawers; 0 of them hold a marble");
    browser.click("#watch");
    browser.await("return document.getElementById('fact-names').textContent === '1,500'");
    long full =
        Long.parseLong((String) browser.js("return document.querySelector('.crowd').dataset.full"));
    double expected = 4096 * -Math.expm1(9000 * Math.log1p(-1 / 4096.0));
    // The drawers that stay empty are a sum of 4,096 coins that are hardly dependent.
    assertThat((double) full).isBetween(expected - 100, expected + 100);
    browser.click("#ask");
    assertThat(browser.text("#say")).containsPattern("(Maybe|Not) here!");
    // The picture has the colours of marbles: most of its pixels are none of the empty drawer's.
    assertThat(
            (Boolean)
                browser.js(
                    """
                    const canvas = document.querySelector('.crowd');
                    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                    let bright = 0;
                    for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] > 250) bright++;
                    return bright > data.length / 4 / 2;
                    """))
        .isTrue();
    String link = (String) browser.js("return location.href");
    browser.open(link);
    assertThat(browser.text("#fact-names")).isEqualTo("1,500");
  }
}
