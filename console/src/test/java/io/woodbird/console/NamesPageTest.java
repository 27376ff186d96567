package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** For those who hear the page, and for those who have chosen its colours. */
final class NamesPageTest extends BrowserTest {
  /** Elements that can be reached or scrolled and have no name that a screen reader could say. */
  private static final String NAMELESS =
      """
      return [...document.querySelectorAll('main *, nav, nav *')].filter((node) => {
        if (!node.checkVisibility() || node instanceof SVGElement) return false;
        const style = getComputedStyle(node);
        const scrolls = [style.overflowX, style.overflowY].some((value) => value === 'auto');
        return scrolls || node.hasAttribute('tabindex') || node.tagName === 'NAV';
      }).filter((node) => {
        const role = node.getAttribute('role');
        const named = (node.getAttribute('aria-label') || '').trim() !== '';
        const natural = ['NAV', 'UL', 'BUTTON', 'A', 'TEXTAREA'].includes(node.tagName);
        return !named || (!role && !natural);
      }).map((node) => node.outerHTML.slice(0, 120));
      """;

  private static final Set<String> CONTROLS =
      Set.of(
          "button",
          "link",
          "textbox",
          "checkbox",
          "slider",
          "combobox",
          "switch",
          "gridcell",
          "grid",
          "image",
          "img",
          "region",
          "DisclosureTriangle",
          "listbox");

  @Override
  void fill(Path target) throws IOException {
    Woodbird.bloom(Keys.strings(), 1000).build().save(target.resolve("a.wbird"));
  }

  private void openAll(String hash) {
    if (hash.startsWith("plan?")) {
      showPlan(hash.substring("plan?".length()));
    } else if (hash.equals("filters")) {
      showFile("a.wbird");
    } else {
      show(hash);
    }
    browser.js("document.querySelectorAll('details').forEach(one => one.open = true)");
  }

  @Test
  void sliders_areNamedAndSayTheirValue() {
    show("play?m=96&k=4");
    assertThat(browser.accessibleName("#m")).isEqualTo("Drawers (m)");
    assertThat(browser.accessibleName("#k")).isEqualTo("Marbles per name (k)");
    assertThat(browser.attribute("#m", "aria-valuetext")).isEqualTo("96");
    assertThat(browser.attribute("#k", "aria-valuetext")).isEqualTo("4");
  }

  @Test
  void scrollAreas_areNamed() {
    openAll("plan?n=10M&p=0.1%25");
    browser.await("return document.querySelectorAll('#plan .numbers .scroll').length === 2");
    assertThat((List<?>) browser.js(NAMELESS)).isEmpty();
    assertThat(browser.accessibleName("#snippet")).isEqualTo("Java");
    assertThat(browser.role("#snippet")).isEqualTo("region");
    assertThat(browser.accessibleName(".copy .buttons")).isEqualTo("Copy as");
    openAll("play?lesson=4");
    browser.await("return document.querySelectorAll('#play .numbers .scroll').length === 2");
    assertThat((List<?>) browser.js(NAMELESS)).isEmpty();
    openAll("filters");
    assertThat((List<?>) browser.js(NAMELESS)).isEmpty();
    assertThat(browser.accessibleName("#file-list .list")).isEqualTo("Filter files");
    openAll("guards");
    browser.await("return document.querySelector('#attack') !== null");
    assertThat((List<?>) browser.js(NAMELESS)).isEmpty();
    assertThat(browser.accessibleName("nav")).isEqualTo("Sections");
  }

  /** What the browser tells a screen reader about each control: it has a name. */
  @Test
  void everyControl_hasAName() {
    for (String hash :
        List.of("play?lesson=2", "play?lesson=9", "plan?n=1M&p=1%25", "filters", "guards")) {
      openAll(hash);
      browser.await(
          "return document.querySelector('section:not([hidden]) :is(#put, #copy, #file-form,"
              + " #attack)') !== null");
      browser.js("document.querySelectorAll('details').forEach(one => one.open = true)");
      List<String> controls = new ArrayList<>();
      List<String> nameless = new ArrayList<>();
      for (Map<?, ?> node : browser.accessibilityTree()) {
        String role = String.valueOf(((Map<?, ?>) node.get("role")).get("value"));
        if (!Boolean.TRUE.equals(node.get("ignored")) && CONTROLS.contains(role)) {
          Map<?, ?> name = (Map<?, ?>) node.get("name");
          controls.add(role);
          if (name == null || String.valueOf(name.get("value")).isBlank()) {
            nameless.add(role + " " + node.get("backendDOMNodeId"));
          }
        }
      }
      assertThat(controls).as(hash).hasSizeGreaterThan(8);
      assertThat(nameless).as(hash).isEmpty();
    }
  }

  @Test
  void tabs_nameTheWindow() {
    browser.open(address("play"));
    for (String tab : List.of("Plan", "Filters", "Guards", "Play")) {
      String id = tab.toLowerCase(java.util.Locale.ROOT);
      assertThat(browser.accessibleName("nav a[data-tab=" + id + "]")).isEqualTo(tab);
      browser.click("nav a[data-tab=" + id + "]");
      browser.await("return document.title === arguments[0]", tab + " \u2013 Woodbird");
      assertThat(browser.text("nav a[aria-current]")).isEqualTo(tab);
    }
    browser.click("#language");
    browser.await("return document.title.startsWith('\u73a9')");
    browser.click("#language");
  }

  /** In forced colours shadows are gone; the current tab has a line that the others do not have. */
  @Test
  void forcedColours_showWhatIsChosen() {
    showPlan("n=10M&p=0.1%25");
    browser.forceColors();
    String lines =
        "return [...document.querySelectorAll(arguments[0])].map(one => {"
            + " const style = getComputedStyle(one);"
            + " return style.borderBottom + ' ' + style.outline; })";
    assertDiffers(lines, "nav a[aria-current]", "nav a:not([aria-current])");
    assertDiffers(lines, ".copy [aria-pressed=true]", ".copy [aria-pressed=false]");
    browser.go("#play?lesson=2");
    browser.await("return document.querySelector('.chip[aria-current]') !== null");
    assertDiffers(lines, ".chip[aria-current]", ".chip:not([aria-current])");
  }

  private void assertDiffers(String lines, String chosen, String others) {
    List<?> mine = (List<?>) browser.js(lines, chosen);
    List<?> theirs = (List<?>) browser.js(lines, others);
    assertThat(mine).hasSize(1);
    assertThat(theirs).isNotEmpty().noneMatch(mine::contains);
    String line = String.valueOf(mine.get(0));
    assertThat(line).contains("solid").contains("3px");
  }
}
