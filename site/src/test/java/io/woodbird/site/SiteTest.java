package io.woodbird.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.woodbird.Woodbird;
import io.woodbird.console.Browser;
import io.woodbird.console.Key;
import io.woodbird.testkit.InstalledBrowser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The site as a visitor has it: every link leads somewhere, and nothing is asked of another host.
 */
final class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\s(?:href|src|srcset)=\"([^\"]+)\"");
  private static final Pattern ANCHOR = Pattern.compile("\\s(?:id|name)=\"([^\"]+)\"");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css",
          "js", "text/javascript",
          "mjs", "text/javascript",
          "json", "application/json",
          "svg", "image/svg+xml");

  @TempDir static Path site;
  private static int pages;

  @BeforeAll
  static void build() throws IOException {
    pages = Site.build(ROOT, site, false);
  }

  @Test
  void guide_isThereInBothLanguages() throws IOException {
    assertThat(pages).isGreaterThan(80);
    assertThat(Files.readString(site.resolve("index.html"))).contains("<h1 id=\"woodbird\">");
    assertThat(site.resolve("docs/benchmarks/index.html")).exists();
    String chinese = Files.readString(site.resolve("docs/zh/explanation/bloom-filter.html"));
    assertThat(chinese)
        .contains("lang=\"zh-CN\"")
        .contains("href=\"../../explanation/bloom-filter.html\"")
        .doesNotContain("<!-- java");
  }

  /** Beside each page stand the others, as the guide orders them and not by the names of files. */
  @Test
  void pagesBeside_areInTheOrderOfTheGuide() throws IOException {
    String page = Files.readString(site.resolve("docs/howto/stop-an-attack.html"));
    String beside = page.substring(page.indexOf("class=\"side\""), page.indexOf("<main"));
    assertThat(beside)
        .containsSubsequence("Stop an attack", "Several instances", "A billion lines", "Migrate");
  }

  /** A browser shows the end of a line as a space, which Chinese does not have between words. */
  @Test
  void chinese_hasNoSpaceWhereALineEnds() {
    assertThat(new Markdown("\u4e2d\n\u6587\u3002\n`a` b\nc\u6587\nd").html())
        .isEqualTo("<p>\u4e2d\u6587\u3002<code>a</code> b\nc\u6587\nd</p>\n");
  }

  @Test
  void links_leadSomewhere() throws IOException {
    assertThat(dead(site)).isEmpty();
  }

  /** The control: a link to a file or a place that is not there is found. */
  @Test
  void deadLinks_areFound(@TempDir Path other) throws IOException {
    Files.writeString(
        other.resolve("a.html"), "<a id=\"x\" href=\"a.html#x\"> <a href=\"b.html\">");
    Files.writeString(other.resolve("c.html"), "<a href=\"a.html#y\">");
    assertThat(dead(other)).containsExactly("a.html: b.html", "c.html: a.html#y");
  }

  @Test
  void build_refusesALinkToNothing(@TempDir Path project) throws IOException {
    Files.createDirectories(project.resolve("docs"));
    Files.writeString(project.resolve("README.md"), "# A\n[b](docs/none.md)\n");
    Files.writeString(project.resolve("README.zh.md"), "# A\n");
    assertThatThrownBy(() -> Site.build(project, project.resolve("out"), false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("README.md links to what is not there: docs/none.md");
  }

  private static List<String> dead(Path folder) throws IOException {
    List<String> dead = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path page : files.filter(file -> file.toString().endsWith(".html")).sorted().toList()) {
        Matcher matcher = LINK.matcher(Files.readString(page));
        while (matcher.find()) {
          if (!leads(page, matcher.group(1))) {
            dead.add(folder.relativize(page) + ": " + matcher.group(1));
          }
        }
      }
    }
    return dead;
  }

  private static boolean leads(Path from, String link) throws IOException {
    if (link.matches("[a-z]+:.*")) {
      return !link.startsWith("file:");
    }
    String[] parts = link.split("#", 2);
    String path = parts[0].replaceFirst("\\?.*", "");
    Path target = path.isEmpty() ? from : from.getParent().resolve(path).normalize();
    if (!Files.isRegularFile(target)) {
      return false;
    }
    // The fragments of the console are states, not places.
    if (parts.length == 1 || parts[1].isEmpty() || target.endsWith("play/index.html")) {
      return true;
    }
    String place = java.net.URLDecoder.decode(parts[1], java.nio.charset.StandardCharsets.UTF_8);
    Matcher anchors = ANCHOR.matcher(Files.readString(target));
    while (anchors.find()) {
      if (anchors.group(1).replace("&lt;", "<").replace("&gt;", ">").equals(place)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void pages_workInABrowser() throws IOException {
    inBrowser(
        site,
        (browser, base) -> {
          browser.visit(base + "index.html");
          search(browser, "blocklist");
          assertThat(browser.text("#found a strong")).isEqualTo("Ship a blocklist");
          assertThat(browser.text("#found a span")).doesNotStartWith("Ship a blocklist");
          browser.open(base + "play/index.html#play?lesson=2");
          browser.click("#ask");
          assertThat(browser.text("#say")).contains("Not here!");
          // Between the steps of the sliders; the next steps are those above it.
          browser.open(base + "play/index.html#plan?n=12345678&p=0.13%25");
          for (long keys : new long[] {12_345_678, 20_000_000, 50_000_000}) {
            if (keys != 12_345_678) {
              browser.press("#plan-n", Key.ARROW_RIGHT);
            }
            browser.await(
                "return !!document.querySelector('#plan-big')?.textContent.startsWith(arguments[0])",
                String.format("%,d keys", keys));
            long bytes = Woodbird.plan(keys).fpp(0.0013).plans().get(0).bytes();
            assertThat(
                    browser.js(
                        "return document.querySelector('.family [data-bytes]').dataset.bytes"))
                .isEqualTo(String.valueOf(bytes));
          }
          browser.click("[name=need][value=delete]");
          browser.await("return document.querySelectorAll('.family').length === 3");
        });
  }

  /** Words in a drawing stay large enough to be read; the drawing scrolls, and not the page. */
  @Test
  void drawings_areReadableOnATelephone() throws IOException {
    inBrowser(
        site,
        (browser, base) -> {
          browser.prefer(390, 844, "light", true);
          browser.visit(base + "index.html");
          browser.await("return document.querySelector('main p > img')?.naturalWidth > 0");
          assertThat(
                  browser.js(
                      "const page = document.documentElement;"
                          + " return [document.querySelector('main p > img').clientWidth,"
                          + " page.scrollWidth - page.clientWidth]"))
              .isEqualTo(List.of(720L, 0L));
        });
  }

  /** The browser is English: a Chinese page leads to Play and Plan in Chinese all the same. */
  @Test
  void chinesePages_workInABrowser() throws IOException {
    inBrowser(
        site,
        (browser, base) -> {
          browser.visit(base + "docs/zh/index.html");
          search(browser, "\u7b2c\u4e00\u4e2a\u8fc7\u6ee4\u5668");
          assertThat(browser.text("#found a strong"))
              .isEqualTo("\u7b2c\u4e00\u4e2a\u8fc7\u6ee4\u5668");
          // Only a page in English has this word, and not in a heading.
          search(browser, "japicmp");
          assertThat(browser.text("#found a strong")).isEqualTo("How to release");
          String play = String.valueOf(browser.js(hrefOf("#play")));
          browser.open(play);
          assertThat(browser.js("return document.documentElement.lang")).isEqualTo("zh-CN");
          assertThat(browser.js("return location.search")).isEqualTo("");
          browser.click("#ask");
          assertThat(browser.text("#say")).containsPattern("\\p{IsHan}");
          browser.open(play.replace("#play", "#plan"));
          browser.await("return document.querySelector('.family [data-bytes]') !== null");
          assertThat(browser.text("#plan-big")).containsPattern("\\p{IsHan}");
          browser.visit(base + "index.html");
          browser.open(String.valueOf(browser.js(hrefOf("#play"))));
          assertThat(browser.js("return document.documentElement.lang")).isEqualTo("en");
        });
  }

  private static void search(Browser browser, String words) {
    browser.js(
        "const box = document.getElementById('search'); box.focus(); box.value = arguments[0];"
            + " box.dispatchEvent(new Event('input'))",
        words);
    browser.await("return document.querySelector('#found a') !== null");
  }

  private static String hrefOf(String end) {
    return "return document.querySelector('header a[href$=\"" + end + "\"]').href";
  }

  @Tag("slow")
  @Test
  void everyPage_opensInABrowser(@TempDir Path whole) throws IOException {
    Site.build(ROOT, whole, true);
    assertThat(dead(whole)).isEmpty();
    try (Stream<Path> files = Files.walk(whole)) {
      List<Path> all = files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
      inBrowser(
          whole,
          (browser, base) -> {
            for (Path page : all) {
              browser.visit(base + whole.relativize(page).toString().replace('\\', '/'));
            }
          });
    }
  }

  /** A cheap form of what the slow test above finds: a link in the JDK's own page of constants. */
  @Test
  void constants_haveTheNamesThatTheirContentsLinkTo() {
    assertThat(Javadoc.named("<a href=\"#a.b\">a.b.*</a><h2 title=\"a.b\">a.b.*</h2>"))
        .isEqualTo("<a href=\"#a.b\">a.b.*</a><h2 id=\"a.b\" title=\"a.b\">a.b.*</h2>");
  }

  interface Visit {
    void run(Browser browser, String base) throws IOException;
  }

  /** Serves a folder, and after the visit nothing may have been asked elsewhere or gone wrong. */
  static void inBrowser(Path folder, Visit visit) throws IOException {
    assumeTrue(InstalledBrowser.find().isPresent(), "no chromium");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/a/folder/", exchange -> serve(folder, exchange));
    server.start();
    String base = "http://127.0.0.1:" + server.getAddress().getPort() + "/a/folder/";
    try (Browser browser = new Browser()) {
      browser.prefer(1280, 800, "light", true);
      visit.run(browser, base);
      browser.visit("about:blank");
      assertThat(browser.takeProblems()).isEmpty();
      assertThat(new TreeSet<>(browser.takeRequests()))
          .isNotEmpty()
          .allMatch(url -> url.startsWith(base) || url.matches("about:blank|(?s)data:.*"));
    } finally {
      server.stop(0);
    }
  }

  private static void serve(Path folder, HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = exchange.getRequestURI().getPath().substring("/a/folder/".length());
      Path file = folder.resolve(name).normalize();
      if (!file.startsWith(folder) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain");
      byte[] body = Files.readAllBytes(file);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
