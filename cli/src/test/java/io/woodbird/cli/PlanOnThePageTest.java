package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.console.Console;
import io.woodbird.testkit.InstalledBrowser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code woodbird plan} and the console's page, in a real browser, give the same numbers. */
final class PlanOnThePageTest {
  @TempDir private Path folder;

  /** A question as the page takes it, and as the command line does. */
  private record Question(String hash, String... words) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question("n=10M&p=0.1%25", "-n", "10M", "-p", "0.1%"),
          new Question("n=1&p=0.5", "-n", "1", "-p", "0.5"),
          new Question("n=1_234_567&p=1e-9", "-n", "1_234_567", "-p", "1e-9"),
          new Question("n=1e9&p=1/1000000", "-n", "1e9", "-p", "1/1000000"),
          new Question("n=2e9&budget=500MB", "-n", "2e9", "--budget", "500MB"),
          new Question("n=10k&budget=1MiB", "-n", "10k", "--budget", "1MiB"));

  @Test
  void everyNumber_isTheSame() throws Exception {
    Optional<InstalledBrowser> installed = InstalledBrowser.find();
    assumeTrue(installed.isPresent(), "no browser");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(installed.orElseThrow().program().toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--renderer-process-limit=1",
        "--disable-features=SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter",
        "--user-data-dir=" + folder.resolve("profile"));
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(installed.orElseThrow().driver().toFile())
            .build();
    Path shown = Files.createDirectory(folder.resolve("shown"));
    try (Console console = Console.start(shown, 0)) {
      ChromeDriver browser = new ChromeDriver(service, options);
      try {
        for (Question question : QUESTIONS) {
          List<String> words = new ArrayList<>(List.of("plan", "--json"));
          words.addAll(List.of(question.words));
          Command command = Command.run(words.toArray(String[]::new));
          assertThat(page(browser, console.uri() + "&plan?" + question.hash))
              .as("%s", question)
              .isEqualTo(families(command.out()));
        }
      } finally {
        browser.quit();
      }
    }
  }

  /** Bytes, bits per key and fpp of each family, as the cards on the page have them. */
  private static Map<String, List<Double>> page(ChromeDriver browser, String address)
      throws InterruptedException {
    browser.get("about:blank");
    browser.get(address);
    long end = System.nanoTime() + Duration.ofMinutes(3).toNanos();
    while (browser.executeScript("return document.querySelector('#plan-table')") == null) {
      assertThat(System.nanoTime()).as(address).isLessThan(end);
      Thread.sleep(25);
    }
    List<?> rows =
        (List<?>)
            browser.executeScript(
                "return [...document.querySelectorAll('#plan-table .family')].map(card => {"
                    + " const rates = card.querySelector('[data-fpp]').dataset;"
                    + " return [card.dataset.family,"
                    + " card.querySelector('[data-bytes]').dataset.bytes,"
                    + " rates.bitsPerKey, rates.fpp]; })");
    Map<String, List<Double>> families = new TreeMap<>();
    for (Object row : rows) {
      List<?> cells = (List<?>) row;
      families.put(
          String.valueOf(cells.get(0)),
          cells.subList(1, 4).stream().map(cell -> Double.valueOf(String.valueOf(cell))).toList());
    }
    assertThat(families).hasSizeGreaterThan(3);
    return families;
  }

  /** The same from the report of the command. */
  private static Map<String, List<Double>> families(String json) {
    Map<String, List<Double>> families = new TreeMap<>();
    Map<String, String> members = new TreeMap<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          String name = parser.currentName();
          if (name.equals("needed")) {
            break; // Other sizes, for another question.
          }
          parser.nextToken();
          members.put(name, String.valueOf(parser.getString()));
        } else if (token == JsonToken.END_OBJECT && members.containsKey("family")) {
          families.put(
              String.valueOf(members.remove("family")),
              List.of(
                  Double.valueOf(members.get("bytes")),
                  Double.valueOf(members.get("bitsPerKey")),
                  Double.valueOf(members.get("fpp"))));
        }
      }
    }
    return families;
  }
}
