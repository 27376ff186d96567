package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.woodbird.console.ConsolePage;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.ServletRegistrationBean;

/** The console below a path of a real Tomcat. */
final class ConsoleMountTest {
  private static WebApplicationContextRunner app() {
    return new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration.class,
                TomcatServletWebServerAutoConfiguration.class,
                WoodbirdAutoConfiguration.class,
                WoodbirdConsoleAutoConfiguration.class))
        .withUserConfiguration(TestApp.Database.class)
        .withPropertyValues(
            "server.port=0",
            "server.address=127.0.0.1",
            "woodbird.guards.products.source.sql=select id from product");
  }

  private static String get(int port, String target, String... headers) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      String host =
          String.join("", headers).contains("Host:") ? "" : "Host: 127.0.0.1:" + port + "\r\n";
      String request =
          "GET "
              + target
              + " HTTP/1.1\r\n"
              + host
              + String.join("\r\n", headers)
              + (headers.length == 0 ? "" : "\r\n")
              + "Connection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static int port(org.springframework.context.ApplicationContext context) {
    return ((AnnotationConfigServletWebServerApplicationContext) context).getWebServer().getPort();
  }

  @Test
  void console_isOffUnlessAskedFor() {
    app().run(context -> assertThat(context).doesNotHaveBean(ConsolePage.class));
    app()
        .withPropertyValues("woodbird.console.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(ServletRegistrationBean.class));
  }

  @Test
  void console_showsTheGuardsToThisMachine() {
    Logger logger = (Logger) LoggerFactory.getLogger(WoodbirdConsoleAutoConfiguration.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    app()
        .withPropertyValues("woodbird.console.enabled=true", "woodbird.console.path=/ops/bird")
        .run(
            context -> {
              TestApp.built(context);
              int port = port(context.getSourceApplicationContext());
              Matcher token =
                  Pattern.compile("/ops/bird/#token=([\\w-]+)").matcher(lines.list.toString());
              assertThat(token.find()).isTrue();
              String key = "X-Woodbird-Token: " + token.group(1);
              assertThat(get(port, "/ops/bird/")).startsWith("HTTP/1.1 200").contains("main.js");
              assertThat(get(port, "/ops/bird")).startsWith("HTTP/1.1 302").contains("/ops/bird/");
              assertThat(get(port, "/ops/bird/main.js")).contains("text/javascript");
              assertThat(get(port, "/ops/bird/api/guards", key))
                  .startsWith("HTTP/1.1 200")
                  .contains("\"name\":\"products\"")
                  .contains("\"state\":\"SERVING\"")
                  .contains("\"demo\":null");
              assertThat(get(port, "/ops/bird/api/guards")).startsWith("HTTP/1.1 403");
              assertThat(get(port, "/ops/bird/api/files", key)).contains("\"files\":[]");
              assertThat(get(port, "/ops/bird/api/guards", key, "Host: evil.example"))
                  .startsWith("HTTP/1.1 403");
              assertThat(get(port, "/ops/bird/", "X-Forwarded-For: 203.0.113.9"))
                  .startsWith("HTTP/1.1 403");
              assertThat(get(port, "/ops/bird/api/guards", key, "Origin: http://evil.example"))
                  .startsWith("HTTP/1.1 403");
            });
    logger.detachAppender(lines);
  }

  @Test
  void console_isNotForTheWorldWithoutSecurity() {
    app()
        .withPropertyValues("woodbird.console.enabled=true", "woodbird.console.allow-remote=true")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("woodbird.console.allow-remote"));
  }

  /** What is logged. */
}
