package io.woodbird.console;

import io.woodbird.testkit.InstalledBrowser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real Chromium without a window, with a new profile, that remembers what it asked for. */
public final class Browser extends Page implements AutoCloseable {
  /** Brings an element into the window, and returns where to click on it. */
  private static final String PLACE =
      """
      const [css] = arguments;
      const node = document.querySelector(css);
      if (!node) throw new Error('there is no ' + css);
      let top = null;
      // The second time for an element below the bar, which stays where it is.
      for (const block of ['nearest', 'center']) {
        node.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
        const box = node.getClientRects()[0];
        if (!box || !box.width || !box.height) throw new Error('nobody can see ' + css);
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        top = document.elementFromPoint(x, y);
        if (node.contains(top)) return [x, y];
      }
      throw new Error('a click on ' + css + ' would meet ' + (top ? top.outerHTML : 'nothing'));
      """;

  private static final int SHIFT = 8;

  private final Path profile;
  private final PageEvents events;

  public Browser() throws IOException {
    this(Files.createTempDirectory("woodbird-browser"), new PageEvents());
  }

  private Browser(Path profile, PageEvents events) throws IOException {
    super(
        new DevTools(
            InstalledBrowser.find().orElseThrow().program(),
            List.of(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-client-side-phishing-detection",
                "--disable-component-update",
                "--disable-default-apps",
                "--disable-extensions",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--enable-automation",
                "--password-store=basic",
                "--hide-scrollbars",
                // One process for all pages, and none in store: a new one for each page costs
                // half a second.
                "--renderer-process-limit=1",
                "--disable-site-isolation-trials",
                "--disable-features=BackForwardCache,SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter",
                "--lang=en-US"),
            profile,
            events::note));
    this.profile = profile;
    this.events = events;
    tools.send("Runtime.enable", Map.of());
    tools.send("Log.enable", Map.of());
    tools.send("Network.enable", Map.of());
    tools.send("Emulation.setFocusEmulationEnabled", Map.of("enabled", true));
  }

  /** Sets the width of the page, and what the person prefers. */
  public void prefer(int width, int height, String theme, boolean calm) {
    tools.send(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    tools.send(
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
    tools.send(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "forced-colors", "value", "active"))));
  }

  /** Opens an address of any kind. */
  public void visit(String address) {
    String before = document();
    Map<String, Object> went = tools.send("Page.navigate", Map.of("url", address));
    if (went.get("errorText") != null) {
      throw new AssertionError(address + ": " + went.get("errorText"));
    }
    // The answer may come before the page does. A step within a page has no loader.
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (went.get("loaderId") != null && document().equals(before)) {
      if (System.nanoTime() > end) {
        throw new AssertionError(address + " does not come");
      }
      DevTools.pause(5);
    }
    await("return document.readyState === 'complete'");
  }

  /** What tells the page of now from those before it, also at the same address. */
  private String document() {
    Object tree = tools.send("Page.getFrameTree", Map.of()).get("frameTree");
    return String.valueOf(((Map<?, ?>) ((Map<?, ?>) tree).get("frame")).get("loaderId"));
  }

  /** Opens an address of the console from scratch and waits for the page. */
  public void open(String address) {
    if (address.startsWith(js("return location.href.replace(/#.*/, '')") + "#")) {
      visit("about:blank"); // Another fragment alone would leave the page as it is.
    }
    visit(address);
    await("return document.documentElement.dataset.ready === 'yes'");
  }

  /** Goes to another part of the page, as a click on a link does. */
  public void go(String hash) {
    js("location.hash = arguments[0]", hash);
    settle();
  }

  /** Whether a page of this origin is open, and ready. */
  boolean hasPageOf(String origin) {
    return Boolean.TRUE.equals(
        js(
            "return location.origin === arguments[0]"
                + " && document.documentElement.dataset.ready === 'yes'",
            origin));
  }

  /**
   * Follows a link to another part of the page, waits until the page has taken note, and runs a
   * script before anything else happens.
   */
  void follow(String hash, String then) {
    jsLater(
        """
        const [hash, done] = arguments;
        const same = location.hash === new URL(hash, location).hash;
        const steps = same ? [hash.startsWith('#play') ? '#plan' : '#play', hash] : [hash];
        const step = () => {
          if (steps.length) {
            addEventListener('hashchange', step, { once: true });
            location.hash = steps.shift();
          } else {
            THEN
            done();
          }
        };
        step();
        """
            .replace("THEN", then),
        hash);
  }

  /** Clicks on the middle of an element, which must be there to be seen, with nothing above it. */
  public void click(String css) {
    List<?> place = (List<?>) js(PLACE, css);
    Map<String, @Nullable Object> event = new LinkedHashMap<>();
    event.put("type", "mousePressed");
    event.put("x", place.get(0));
    event.put("y", place.get(1));
    event.put("button", "left");
    event.put("clickCount", 1);
    tools.send("Input.dispatchMouseEvent", event);
    event.put("type", "mouseReleased");
    tools.send("Input.dispatchMouseEvent", event);
    settle();
  }

  /** Types over what a field holds; clearing it first would have the page draw for nothing. */
  public void type(String css, String text) {
    js("const field = document.querySelector(arguments[0]); field.focus(); field.select()", css);
    if (text.isEmpty()) {
      press(Key.BACKSPACE);
    } else {
      tools.send("Input.insertText", Map.of("text", text));
    }
  }

  /** Presses keys where the focus is. */
  public void press(Key... keys) {
    for (Key key : keys) {
      press(key.key, key.code, key.text, 0);
    }
  }

  public void pressWithShift(Key key) {
    press(key.key, key.code, key.text, SHIFT);
  }

  /** Presses the keys of small letters and digits, or of capital letters without Shift. */
  public void press(String characters) {
    for (String one : characters.split("")) {
      press(one, one.toUpperCase(java.util.Locale.ROOT).charAt(0), one, 0);
    }
  }

  /** Presses a key on an element. */
  public void press(String css, Key key) {
    js("document.querySelector(arguments[0]).focus()", css);
    press(key);
  }

  private void press(String key, int code, String text, int modifiers) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("type", text.isEmpty() ? "rawKeyDown" : "keyDown");
    event.put("key", key);
    event.put("windowsVirtualKeyCode", code);
    event.put("modifiers", modifiers);
    event.put("text", text);
    tools.send("Input.dispatchKeyEvent", event);
    event.put("type", "keyUp");
    event.remove("text");
    tools.send("Input.dispatchKeyEvent", event);
    settle();
  }

  /** What the browser tells a screen reader. */
  public List<Map<?, ?>> accessibilityTree() {
    List<Map<?, ?>> nodes = new ArrayList<>();
    Object all = tools.send("Accessibility.getFullAXTree", Map.of()).get("nodes");
    ((List<?>) all).forEach(node -> nodes.add((Map<?, ?>) node));
    return nodes;
  }

  /** What a screen reader calls an element. */
  public String accessibleName(String css) {
    return accessible(css, "name");
  }

  /** What a screen reader says that an element is. */
  public String role(String css) {
    return accessible(css, "role");
  }

  private String accessible(String css, String what) {
    Map<String, Object> found =
        tools.send(
            "Runtime.evaluate",
            Map.of(
                "expression", call("return document.querySelector(arguments[0])", List.of(css))));
    Object id = DevTools.object(found.get("result")).get("objectId");
    Object nodes =
        tools
            .send("Accessibility.getPartialAXTree", Map.of("objectId", id, "fetchRelatives", false))
            .get("nodes");
    Map<?, ?> node = (Map<?, ?>) ((List<?>) nodes).get(0);
    return String.valueOf(((Map<?, ?>) node.get(what)).get("value"));
  }

  /** The whole page as a picture. */
  public void screenshot(Path file) throws IOException {
    String height = "return Math.ceil(document.body.getBoundingClientRect().height)";
    Object before;
    byte[] picture;
    do { // Once more if the page has grown meanwhile: the picture would be cut.
      before = js(height);
      picture = picture(before);
    } while (!Objects.equals(before, js(height)));
    Files.createDirectories(file.getParent());
    Files.write(file, picture);
  }

  private byte[] picture(@Nullable Object height) {
    Map<String, @Nullable Object> clip = new LinkedHashMap<>();
    clip.put("x", 0);
    clip.put("y", 0);
    clip.put("width", js("return document.documentElement.clientWidth"));
    clip.put("height", height);
    clip.put("scale", 1);
    Map<String, Object> shot =
        tools.send(
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
    return Base64.getDecoder().decode(String.valueOf(shot.get("data")));
  }

  /** Lets all events come that the browser has sent so far: they come before an answer. */
  private void collect() {
    js("");
  }

  /** All addresses that pages other than the browser's own asked for since the last time. */
  public List<String> takeRequests() {
    collect();
    return events.takeRequests();
  }

  /** The bytes that came over the wire for these pages since the last time. */
  public long takeBytes() {
    collect();
    return events.takeBytes();
  }

  /** All that the browser complained of since the last time. */
  public List<String> takeProblems() {
    collect();
    return events.takeProblems();
  }

  @Override
  public void close() {
    tools.close();
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
    } catch (IOException | java.io.UncheckedIOException e) {
      profile.toFile().deleteOnExit(); // The browser may still write; the folder is temporary.
    }
  }
}
