package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What these tests hold against the console: requests of its pages, and not of the browser's. */
final class OwnPagesTest extends BrowserTest {
  @Test
  void requests_ofTheBrowserItselfAreNotCounted() {
    browser.takeBytes();
    browser.visit("chrome://version");
    browser.visit("chrome://new-tab-page");
    browser.visit("about:blank");
    assertThat(browser.takeRequests()).allMatch("about:blank"::equals);
    assertThat(browser.takeBytes()).isZero();
  }

  /** The control: a page that leads elsewhere is noticed. */
  @Test
  void requests_ofAPageToAnotherServerAreCounted() throws IOException {
    HttpServer stranger =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stranger.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("ok".getBytes(java.nio.charset.StandardCharsets.UTF_8));
          exchange.close();
        });
    stranger.start();
    try {
      String elsewhere = "http://127.0.0.1:" + stranger.getAddress().getPort() + "/elsewhere";
      browser.open(address("play"));
      browser.js("location.href = arguments[0]", elsewhere);
      browser.await("return location.href === arguments[0]", elsewhere);
      assertThat(browser.takeRequests()).contains(elsewhere);
      browser.visit("about:blank");
      browser.takeRequests(); // A browser may ask the stranger for its icon.
      browser.takeProblems();
    } finally {
      stranger.stop(0);
    }
  }
}
