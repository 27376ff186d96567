package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.testkit.InstalledBrowser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
abstract class BrowserTest {
  @TempDir Path folder;
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
      assumeTrue(InstalledBrowser.find().isPresent(), "no chromium or no chromedriver");
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

  @BeforeEach
  void start(Browser shared) throws IOException {
    browser = shared;
    fill(folder);
    console = Console.start(folder, 0);
    browser.prefer(1280, 900, "light", true);
    browser.takeRequests();
    browser.takeProblems();
  }

  @AfterEach
  void stop() {
    if (console == null) {
      return;
    }
    browser.js("if (location.hash) location.hash = '#play'"); // Nothing more is asked for.
    List<String> requests = browser.takeRequests();
    List<String> problems = browser.takeProblems();
    console.close();
    assertThat(requests)
        .allMatch(
            url ->
                url.startsWith("http://127.0.0.1:" + console.port() + "/")
                    || url.equals("about:blank"));
    assertThat(problems).isEmpty();
  }

  Console console() {
    return console;
  }

  /** The address of a part of the page, with the token. */
  final String address(String hash) {
    return console.uri() + "&" + hash;
  }
}
