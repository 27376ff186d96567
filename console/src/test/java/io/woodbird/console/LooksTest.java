package io.woodbird.console;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pictures of every tab, at two widths, in both themes and both languages. */
final class LooksTest extends BrowserTest {
  private static final Path PICTURES = Path.of("target", "screenshots");

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

  @Test
  void pictures() throws IOException {
    for (int width : new int[] {1280, 390}) {
      for (String theme : new String[] {"light", "dark"}) {
        for (String language : new String[] {"en", "zh"}) {
          browser.prefer(width, 900, theme, true);
          browser.js("localStorage.setItem('woodbird.language', arguments[0])", language);
          browser.open(address("play?lesson=2"));
          String name = "%s-" + width + "-" + theme + "-" + language + ".png";
          browser.type("#name", "Bob");
          browser.click("#ask");
          browser.await("return document.querySelectorAll('.toy').length === 5");
          browser.screenshot(PICTURES.resolve(name.formatted("play")));
          browser.go("#plan?n=2e9&budget=500MB&p=1%25");
          browser.await("return document.querySelector('#plan-table') !== null");
          browser.screenshot(PICTURES.resolve(name.formatted("plan")));
          browser.go("#filters?f=damaged.wbird");
          browser.await("return document.querySelector('#heat-verdict') !== null");
          browser.screenshot(PICTURES.resolve(name.formatted("filters")));
        }
      }
    }
  }
}
