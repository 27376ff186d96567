package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConsoleToolTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    ToolProvider tool = ToolProvider.findFirst("woodbird-console").orElseThrow();
    return tool.run(new PrintWriter(out), new PrintWriter(err), arguments);
  }

  @Test
  void help_saysHowToUseIt() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--port").contains("FOLDER");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--nonsense", "--port", "--port x", "--port 65536", "--port -1"})
  void arguments_thatMakeNoSense(String line) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(3);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void folder_mustBeThere(@TempDir Path folder) {
    assertThat(run(folder.resolve("nowhere").toString())).isEqualTo(3);
    assertThat(err.toString()).contains("not a folder");
  }

  @Test
  void port_mayBeTaken(@TempDir Path folder) throws IOException {
    try (Console console = Console.start(folder, 0)) {
      assertThat(run("--port", String.valueOf(console.port()), folder.toString())).isEqualTo(3);
      assertThat(err.toString()).contains("can't listen on port " + console.port());
    }
  }

  @Test
  void page_isServedUntilInterrupted(@TempDir Path folder) throws Exception {
    Thread thread = new Thread(() -> run(folder.toString()));
    thread.start();
    while (!out.toString().contains("Ctrl-C")) {
      Thread.sleep(10);
    }
    String address = out.toString().lines().findFirst().orElseThrow().split("at  ")[1];
    assertThat(new RawHttp(URI.create(address).getPort()).get("/").status()).isEqualTo(200);
    thread.interrupt();
    thread.join();
    assertThat(err.toString()).isEmpty();
  }
}
