package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.guard.GuardOverloadedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The actuator of a whole application, over HTTP. */
final class WebTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({TestApp.Database.class, ActuatorTest.Products.class, WebTest.Overloaded.class})
  static class App {}

  private static ConfigurableApplicationContext context;
  private static NamedGuard guard;

  @BeforeAll
  static void start() {
    context =
        new SpringApplication(App.class)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.health.show-details=always",
                // Spring's own, of a Redis that is not there.
                "--management.health.redis.enabled=false",
                "--woodbird.guards.products.source.sql=select id from product",
                "--woodbird.guards.products.fpp=1e-6",
                "--spring.main.banner-mode=off");
    guard = TestApp.built(context);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String path)
      throws IOException, InterruptedException {
    String port = context.getEnvironment().getProperty("local.server.port");
    return HttpClient.newHttpClient()
        .send(
            request.uri(URI.create("http://127.0.0.1:" + port + "/actuator" + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = send(HttpRequest.newBuilder(), path);
    assertThat(response.statusCode()).as(path + response.body()).isEqualTo(200);
    return response.body();
  }

  @Test
  void theEndpointSpeaksJson() throws Exception {
    context.getBean(ActuatorTest.Products.class).find(-5);
    assertThat(get("/woodbird")).contains("\"products\"").contains("\"keys\":1000");
    assertThat(get("/woodbird/products")).contains("\"layout\":\"blocked Bloom");
    assertThat(get("/woodbird/products/7")).isEqualTo("{\"answer\":\"MAYBE_HERE\"}");
    assertThat(get("/woodbird/products/-7")).isEqualTo("{\"answer\":\"NOT_HERE\"}");
    assertThat(send(HttpRequest.newBuilder(), "/woodbird/nothing").statusCode()).isEqualTo(404);
    long before = guard.generation().orElseThrow().number();
    HttpResponse<String> rebuilt =
        send(
            HttpRequest.newBuilder()
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"action\": \"rebuild\", \"atLeastKeys\": 10}")),
            "/woodbird/products");
    assertThat(rebuilt.statusCode()).as(rebuilt.body()).isEqualTo(200);
    TestApp.rebuild(guard);
    assertThat(guard.generation().orElseThrow().number()).isGreaterThan(before);
  }

  private static int act(String path, String body) throws Exception {
    return send(
            HttpRequest.newBuilder()
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)),
            path)
        .statusCode();
  }

  @Test
  void wrongCallsOfTheEndpoint_areTheCallersFault() throws Exception {
    assertThat(act("/woodbird/products", "{\"action\": \"dance\"}")).isEqualTo(400);
    assertThat(act("/woodbird/products", "{}")).isEqualTo(400);
    assertThat(act("/woodbird/nothing", "{\"action\": \"rebuild\"}")).isEqualTo(404);
    assertThat(send(HttpRequest.newBuilder(), "/woodbird/products/crow").statusCode())
        .isEqualTo(400);
    assertThat(send(HttpRequest.newBuilder(), "/woodbird/nothing/1").statusCode()).isEqualTo(404);
  }

  /** A controller whose guard is overloaded. */
  @RestController
  static class Overloaded {
    @GetMapping("/actuator/overloaded")
    String get() {
      throw new GuardOverloadedException("full");
    }
  }

  @Test
  void anOverloadedGuard_is503WithRetryAfter() throws Exception {
    HttpResponse<String> response = send(HttpRequest.newBuilder(), "/overloaded");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void healthAndMetersAreThere() throws Exception {
    context.getBean(ActuatorTest.Products.class).find(-5);
    assertThat(get("/health")).contains("\"woodbird\"").contains("\"state\":\"built\"");
    assertThat(get("/metrics/woodbird.guard.requests?tag=verdict:not_here"))
        .contains("\"guard\"")
        .doesNotContain("\"value\":0.0");
  }
}
