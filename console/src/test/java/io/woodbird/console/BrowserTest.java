package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.testkit.InstalledBrowser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test of the page in a real browser. After each, nothing may have been asked of another origin,
 * and the browser may not have complained of anything.
 */
@ExtendWith(BrowserTest.SharedBrowser.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {
  Path folder;
  Browser browser;
  private Console console;

  /**
   * One browser for all classes that a JVM runs: starting it takes seconds. It ends with the JVM,
   * as JUnit is started anew for each class.
   */
  static final class SharedBrowser implements ParameterResolver {
    private static @Nullable Browser browser;

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      assumeTrue(InstalledBrowser.find().isPresent(), "no chromium");
      return browser();
    }

    private static synchronized Browser browser() {
      if (browser == null) {
        try {
          browser = new Browser();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(browser::close));
      }
      return browser;
    }
  }

  /** Writes the files that the page shall show. */
  void fill(Path target) throws IOException {}

  /** One console for all tests of a class; what a test changes in its folder it restores. */
  @BeforeAll
  void start(Browser shared, @TempDir Path own) throws IOException {
    browser = shared;
    folder = own;
    fill(folder);
    console = Console.start(folder, 0);
  }

  @AfterAll
  void stop() {
    if (console != null) {
      console.close();
    }
  }

  @BeforeEach
  void forget() {
    browser.prefer(1280, 900, "light", true);
    browser.takeRequests();
    browser.takeProblems();
  }

  @AfterEach
  void check() {
    if (Boolean.FALSE.equals(browser.js("return /^(#play.*)?$/.test(location.hash)"))) {
      browser.follow("#play", ""); // Where nothing more is asked for.
    }
    List<String> requests = browser.takeRequests();
    List<String> problems = browser.takeProblems();
    assertThat(requests)
        .allMatch(
            url ->
                url.startsWith("http://127.0.0.1:" + console.port() + "/")
                    || url.equals("about:blank"));
    assertThat(problems).isEmpty();
  }

  /**
   * Shows a part of the page, as a link to it does. The page is opened for the first test only, so
   * a test that changes its language, its theme or its sound {@linkplain Browser#open opens} it.
   */
  final void show(String hash) {
    show(hash, "");
  }

  /** The same, and what a script takes away was not there before. */
  private void show(String hash, String takeAway) {
    if (browser.hasPageOf("http://127.0.0.1:" + console.port())) {
      browser.follow("#" + hash, "scrollTo(0, 0); " + takeAway);
    } else {
      browser.open(address(hash));
    }
  }

  /** Shows the plan for a question. */
  final void showPlan(String query) {
    show("plan?" + query, "document.getElementById('plan-status').textContent = '';");
    browser.await("return document.getElementById('plan-status').textContent !== ''");
  }

  /** Shows a file. */
  final void showFile(String name) {
    show(
        "filters?f=" + URLEncoder.encode(name, StandardCharsets.UTF_8),
        "document.getElementById('file').replaceChildren();");
    browser.await("return document.querySelector('#file-state') !== null");
  }

  Console console() {
    return console;
  }

  /** The address of a part of the page, with the token. */
  final String address(String hash) {
    return console.uri() + "&" + hash;
  }
}
