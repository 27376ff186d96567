package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Instances that begin an answer and do not end it. */
@Timeout(120) // Only a test that hangs takes so long.
final class InstancesTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
  private ServerSocket server;

  /** What is sent to the next question. */
  private volatile byte[] next = {};

  /** Whether it is sent again and again. */
  private volatile boolean endless;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "instance");
    thread.setDaemon(true);
    thread.start();
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        open.add(socket);
        socket.getInputStream().read(new byte[8192]);
        OutputStream out = socket.getOutputStream();
        out.write(next);
        while (endless) {
          out.write("x".repeat(8192).getBytes(StandardCharsets.US_ASCII));
        }
      } catch (IOException e) {
        continue; // It was closed here or there.
      }
    }
  }

  private void answer(String headers, String body) {
    next = (HEAD + headers + "\r\n" + body).getBytes(StandardCharsets.US_ASCII);
  }

  private static void await(Instances instances, Predicate<Map<String, Object>> wanted)
      throws InterruptedException {
    Map<String, Object> last = instances.look().get(0);
    while (!wanted.test(last)) {
      Thread.sleep(5);
      last = instances.look().get(0);
    }
  }

  private Instances instances() {
    URI address = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
    return new Instances(List.of(address), Duration.ofMillis(200));
  }

  @Test
  void anAnswerThatStopsInTheMiddle_isNotShownAsTheLast() throws Exception {
    try (Instances instances = instances()) {
      answer("Connection: close\r\nContent-Length: 2\r\n", "{}");
      await(instances, facts -> "{}".equals(facts.get("answer")));
      answer("Content-Length: 99\r\n", "{");
      await(instances, facts -> facts.get("answer") == null);
      answer("Connection: close\r\nContent-Length: 2\r\n", "{}");
      await(instances, facts -> "{}".equals(facts.get("answer")));
    }
  }

  @Test
  void anAnswerWithoutEnd_isCutOff() throws Exception {
    try (Instances instances = instances()) {
      endless = true;
      answer("Connection: close\r\n", "");
      await(instances, facts -> !facts.get("problem").equals(""));
      assertThat(instances.look().get(0).get("answer")).isNull();
    }
  }

  @Test
  void aLimitedBody_takesNoMore() {
    LimitedBody body = new LimitedBody(3);
    boolean[] cancelled = {false};
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long count) {}

          @Override
          public void cancel() {
            cancelled[0] = true;
          }
        });
    ByteBuffer two = ByteBuffer.wrap(new byte[] {'a', 'b'});
    body.onNext(List.of(two.duplicate()));
    assertThat(cancelled[0]).isFalse();
    body.onNext(List.of(two.duplicate()));
    assertThat(cancelled[0]).isTrue();
    assertThat(body.getBody().toCompletableFuture()).isCompletedExceptionally();
  }
}
