package io.woodbird.console;

import io.woodbird.testkit.InstalledBrowser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium without a window, with a new profile, that remembers what it asked for. */
public final class Browser implements AutoCloseable {
  /** Pages of the browser itself, such as a new tab's: each version asks for what it likes. */
  private static final Pattern OWN_PAGE = Pattern.compile("(chrome|chrome-[a-z]+|devtools):.*");

  private static final Json JSON = new Json();

  private final ChromeDriver driver;
  private final Path profile;
  private final Set<String> counted = new HashSet<>();
  private final List<String> requests = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private long bytes;

  public Browser() throws IOException {
    InstalledBrowser installed = InstalledBrowser.find().orElseThrow();
    profile = Files.createTempDirectory("woodbird-browser");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(installed.program().toString());
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
        // One process for all pages, and none in store: a new one for each page costs half a
        // second.
        "--renderer-process-limit=1",
        "--disable-site-isolation-trials",
        "--disable-features=BackForwardCache,SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter",
        "--lang=en-US",
        "--user-data-dir=" + profile);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(installed.driver().toFile())
            .build();
    driver = new ChromeDriver(service, options);
    driver.manage().timeouts().scriptTimeout(Duration.ofMinutes(5));
  }

  /** Sets the width of the page, and what the person prefers. */
  public void prefer(int width, int height, String theme, boolean calm) {
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

  /**
   * Shows the page in the few colours of a person who has chosen them; ends with {@link #prefer}.
   */
  public void forceColors() {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "forced-colors", "value", "active"))));
  }

  /** Opens an address of any kind. */
  public void visit(String address) {
    driver.get(address);
  }

  /** Opens an address of the console from scratch and waits for the page. */
  public void open(String address) {
    visit("about:blank");
    visit(address);
    await("return document.documentElement.dataset.ready === 'yes'");
  }

  /** Goes to another part of the page, as a click on a link does. */
  public void go(String hash) {
    js("location.hash = arguments[0]", hash);
  }

  public Object js(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  public Object jsLater(String script, Object... arguments) {
    return driver.executeAsyncScript(script, arguments);
  }

  /** Waits until a script returns true; gives up after minutes, as the machine may be busy. */
  public void await(String script, Object... arguments) {
    long end = System.nanoTime() + Duration.ofMinutes(3).toNanos();
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

  public WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  public String text(String css) {
    Object text = js("return document.querySelector(arguments[0]).textContent", css);
    return String.valueOf(text).replace('\u00a0', ' ');
  }

  public void click(String css) {
    find(css).click();
  }

  /**
   * Types over what a field holds; clearing it first would have the page draw for nothing. The text
   * goes in as from an input method: some drivers have no keys for characters above U+FFFF.
   */
  public void type(String css, String text) {
    WebElement field = find(css);
    js("arguments[0].focus(); arguments[0].select()", field);
    if (text.isEmpty()) {
      field.sendKeys(Keys.BACK_SPACE);
    } else {
      driver.executeCdpCommand("Input.insertText", Map.of("text", text));
    }
  }

  /** Presses keys where the focus is. */
  public void press(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /** What the browser tells a screen reader. */
  public List<Map<?, ?>> accessibilityTree() {
    List<Map<?, ?>> nodes = new ArrayList<>();
    Object all = driver.executeCdpCommand("Accessibility.getFullAXTree", Map.of()).get("nodes");
    ((List<?>) all).forEach(node -> nodes.add((Map<?, ?>) node));
    return nodes;
  }

  /** The whole page as a picture. */
  public void screenshot(Path file) throws IOException {
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
      Map<?, ?> event = (Map<?, ?>) parse(entry.getMessage()).get("message");
      Map<?, ?> about = (Map<?, ?>) event.get("params");
      if (event.get("method").equals("Network.requestWillBeSent")
          && !OWN_PAGE.matcher(String.valueOf(about.get("documentURL"))).matches()) {
        counted.add(String.valueOf(about.get("requestId")));
        requests.add(String.valueOf(((Map<?, ?>) about.get("request")).get("url")));
      }
      if (event.get("method").equals("Network.loadingFinished")
          && counted.remove(String.valueOf(about.get("requestId")))) {
        bytes += ((Number) about.get("encodedDataLength")).longValue();
      }
    }
    for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
      // Below an error is advice, and each version gives other advice.
      if (entry.getLevel().intValue() < Level.SEVERE.intValue()) {
        System.out.println("the browser says: " + entry.getMessage());
      } else if (!OWN_PAGE.matcher(entry.getMessage()).lookingAt()) {
        problems.add(entry.getMessage());
      }
    }
  }

  private static Map<String, Object> parse(String json) {
    return JSON.toType(json, Json.MAP_TYPE);
  }

  /** All addresses that pages other than the browser's own asked for since the last time. */
  public List<String> takeRequests() {
    collect();
    List<String> taken = List.copyOf(requests);
    requests.clear();
    return taken;
  }

  /** The bytes that came over the wire for these pages since the last time. */
  public long takeBytes() {
    collect();
    long taken = bytes;
    bytes = 0;
    return taken;
  }

  /** All that the browser complained of since the last time. */
  public List<String> takeProblems() {
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
