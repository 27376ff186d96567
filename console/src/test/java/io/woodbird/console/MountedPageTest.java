package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page below a path of somebody else's server, as an application would mount it. */
final class MountedPageTest extends BrowserTest {
  private static final String MOUNT = "/admin/woodbird/";

  private static void answer(ConsolePage page, HttpExchange exchange) throws IOException {
    try (exchange) {
      String query = exchange.getRequestURI().getRawQuery();
      PageResponse response =
          page.handle(
              new PageRequest(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().getPath().substring(MOUNT.length()),
                  query == null ? "" : query,
                  exchange.getRequestHeaders(),
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
      response.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(response.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Test
  void page_worksBelowAnyPath() throws IOException {
    GuardSnapshot guard =
        new GuardSnapshot(
            "<b>orders</b>",
            10,
            7,
            3,
            2,
            1,
            0,
            List.of(),
            List.of("late"),
            new GuardSnapshot.Proofs(5, 12, 34));
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try (ConsolePage page =
        ConsolePage.builder(Access.loopback(server.getAddress().getPort()))
            .guards(() -> List.of(guard))
            .build()) {
      server.createContext(MOUNT, exchange -> answer(page, exchange));
      server.start();
      String base = "http://127.0.0.1:" + server.getAddress().getPort() + MOUNT;
      browser.open(base + "#plan?n=10M&p=1%25");
      browser.await("return document.querySelector('#plan-table') !== null");
      browser.go("#filters");
      browser.await("return document.getElementById('filters-lead').textContent !== ''");
      assertThat(browser.text("#filters-lead")).isEqualTo("This console shows no folder.");
      assertThat(browser.text("#file-list")).contains("woodbird.console.folder");
      browser.go("#guards");
      browser.await("return document.querySelector('.guard') !== null");
      assertThat(browser.text(".guard h2")).isEqualTo("<b>orders</b>");
      assertThat(browser.text(".guard .problem")).isEqualTo("late");
      assertThat(browser.text(".guard [data-count=stopped]")).isEqualTo("7");
      assertThat(browser.text(".guard [data-proofs]"))
          .contains("absent: 5,")
          .contains("wait: 12.")
          .contains("misses: 34.");
      assertThat(browser.isShown("#guards-demo")).isFalse();
      assertThat(browser.takeRequests())
          .isNotEmpty()
          .allMatch(url -> url.startsWith(base) || url.equals("about:blank"));
      browser.go("#play");
    } finally {
      server.stop(0);
    }
  }
}
