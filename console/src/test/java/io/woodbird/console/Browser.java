package io.woodbird.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium without a window, with a new profile, that remembers what it asked for. */
final class Browser implements AutoCloseable {
  private static final List<Path> PROGRAMS =
      List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/google-chrome"));
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Pattern REQUEST =
      Pattern.compile("\"method\":\"Network\\.requestWillBeSent\".*?\"url\":\"([^\"]+)\"");
  private static final Pattern WEIGHT = Pattern.compile("\"encodedDataLength\":([0-9]+)");

  private final ChromeDriver driver;
  private final Path profile;
  private final List<String> requests = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private long bytes;

  Browser() throws IOException {
    profile = Files.createTempDirectory("woodbird-browser");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(program().orElseThrow().toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--lang=en-US",
        "--user-data-dir=" + profile);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build();
    driver = new ChromeDriver(service, options);
    driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
  }

  private static java.util.Optional<Path> program() {
    return PROGRAMS.stream().filter(Files::isExecutable).findFirst();
  }

  static boolean available() {
    return program().isPresent() && Files.isExecutable(DRIVER);
  }

  /** Sets the width of the page, and what the person prefers. */
  void prefer(int width, int height, String theme, boolean calm) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(
                Map.of("name", "prefers-color-scheme", "value", theme),
                Map.of(
                    "name",
                    "prefers-reduced-motion",
                    "value",
                    calm ? "reduce" : "no-preference"))));
  }

  /** Opens an address from scratch and waits for the page. */
  void open(String address) {
    driver.get("about:blank");
    driver.get(address);
    await("return document.documentElement.dataset.ready === 'yes'");
  }

  /** Goes to another part of the page, as a click on a link does. */
  void go(String hash) {
    js("location.hash = arguments[0]", hash);
  }

  Object js(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  Object jsLater(String script, Object... arguments) {
    return driver.executeAsyncScript(script, arguments);
  }

  /** Waits until a script returns true; gives up after twenty seconds. */
  void await(String script, Object... arguments) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!Boolean.TRUE.equals(js(script, arguments))) {
      if (System.nanoTime() > end) {
        throw new AssertionError("never became true: " + script);
      }
      try {
        Thread.sleep(25);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  String text(String css) {
    Object text = js("return document.querySelector(arguments[0]).textContent", css);
    return String.valueOf(text).replace('\u00a0', ' ');
  }

  void click(String css) {
    find(css).click();
  }

  /** Types over what a field holds; clearing it first would have the page draw for nothing. */
  void type(String css, String text) {
    WebElement field = find(css);
    js("arguments[0].select()", field);
    field.sendKeys(text.isEmpty() ? Keys.BACK_SPACE : text);
  }

  /** Presses keys where the focus is. */
  void press(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /** The whole page as a picture. */
  void screenshot(Path file) throws IOException {
    Object height = js("return Math.ceil(document.body.getBoundingClientRect().height)");
    Map<String, Object> clip = new LinkedHashMap<>();
    clip.put("x", 0);
    clip.put("y", 0);
    clip.put("width", js("return document.documentElement.clientWidth"));
    clip.put("height", height);
    clip.put("scale", 1);
    Map<String, Object> shot =
        driver.executeCdpCommand(
            "Page.captureScreenshot",
            Map.of(
                "format",
                "png",
                "captureBeyondViewport",
                true,
                "optimizeForSpeed",
                true,
                "clip",
                clip));
    Files.createDirectories(file.getParent());
    Files.write(file, OutputType.BYTES.convertFromBase64Png(String.valueOf(shot.get("data"))));
  }

  private void collect() {
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      Matcher request = REQUEST.matcher(entry.getMessage());
      if (request.find()) {
        requests.add(request.group(1));
      }
      Matcher weight = WEIGHT.matcher(entry.getMessage());
      if (entry.getMessage().contains("Network.loadingFinished") && weight.find()) {
        bytes += Long.parseLong(weight.group(1));
      }
    }
    for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
      problems.add(entry.getLevel() + " " + entry.getMessage());
    }
  }

  /** All addresses that were asked for since the last time. */
  List<String> takeRequests() {
    collect();
    List<String> taken = List.copyOf(requests);
    requests.clear();
    return taken;
  }

  /** The bytes that came over the wire since the last time. */
  long takeBytes() {
    collect();
    long taken = bytes;
    bytes = 0;
    return taken;
  }

  /** All that the browser complained of since the last time. */
  List<String> takeProblems() {
    collect();
    List<String> taken = List.copyOf(problems);
    problems.clear();
    return taken;
  }

  @Override
  public void close() {
    driver.quit();
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
    } catch (IOException | java.io.UncheckedIOException e) {
      profile.toFile().deleteOnExit(); // The browser may still write; the folder is temporary.
    }
  }
}
