package io.woodbird.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.console.RawHttp.Response;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs on this machine that send half a request, too much of one, or do not read the answer.
 */
final class StrangersTest {
  private static final int STRANGERS = 200;

  @TempDir private Path folder;
  private final List<Socket> sockets = new ArrayList<>();
  private RequestThreads threads;
  private Console console;

  private void start(int most, Duration patience) throws IOException {
    threads = new RequestThreads(most, patience);
    console = Console.start(folder, 0, GuardSource.NONE, List.of(), threads);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    console.close();
  }

  private Socket connect(String text) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(4096);
    socket.setSoTimeout(60_000);
    byte[] loopback = {127, 0, 0, 1};
    socket.connect(new InetSocketAddress(InetAddress.getByAddress(loopback), console.port()));
    socket.getOutputStream().write(text.getBytes(UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  private String head(String line, String... headers) {
    StringBuilder text = new StringBuilder(line + " HTTP/1.1\r\nHost: 127.0.0.1:");
    text.append(console.port()).append("\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    return text.toString();
  }

  /**
   * Half a head, half a body of somebody without the token, and half a body of somebody with it.
   */
  private void sendHalves() throws IOException {
    String token = "X-Woodbird-Token: " + console.token();
    for (int i = 0; i < STRANGERS; i++) {
      switch (i % 4) {
        case 0 -> connect("G");
        case 1 -> connect(head("GET /"));
        case 2 -> connect(head("POST /api/attack", "Content-Length: 100") + "\r\nact");
        default -> connect(head("POST /api/ask", token, "Content-Length: 100") + "\r\nkey=");
      }
    }
  }

  private void assertAnswers() throws IOException {
    RawHttp http = new RawHttp(console.port());
    assertThat(http.get("/").status()).isEqualTo(200);
    String token = "X-Woodbird-Token: " + console.token();
    assertThat(http.get("/api/files", token).status()).isEqualTo(200);
    assertThat(http.send("POST", "/api/attack", "action=stop", token).status()).isEqualTo(200);
  }

  @Test
  void halfSentRequests_freezeNobody() throws IOException {
    console = Console.start(folder, 0);
    sendHalves();
    assertAnswers();
  }

  /** Also when there are more strangers than threads. */
  @Test
  void halfSentRequests_makeRoomWhenOthersWait() throws IOException {
    start(16, Duration.ofSeconds(2));
    sendHalves();
    assertAnswers();
  }

  @Test
  void halfSentRequests_areEnded() throws IOException, InterruptedException {
    start(256, Duration.ofMillis(500));
    sendHalves();
    for (Socket socket : sockets) {
      assertThat(lines(socket)).allMatch(line -> !line.contains("200 OK"));
    }
    awaitIdle();
    assertAnswers();
  }

  /** Everything that comes until the other side ends it. */
  private static List<String> lines(Socket socket) throws IOException {
    List<String> lines = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (java.net.SocketException e) {
      lines.add("reset"); // As good an end as any.
    }
    return lines;
  }

  private void awaitIdle() throws InterruptedException {
    while (threads.busy() > 0) {
      Thread.sleep(10);
    }
  }

  @Test
  void slowReader_isEnded() throws IOException, InterruptedException {
    start(4, Duration.ofMillis(500));
    Socket slow = connect("");
    byte[] question = (head("GET /page.css") + "\r\n").getBytes(UTF_8);
    Thread asker =
        new Thread(
            () -> {
              try {
                while (true) { // It reads nothing, so only the console can end this.
                  slow.getOutputStream().write(question);
                }
              } catch (IOException e) {
                assertThat(e).isNotNull();
              }
            });
    asker.setDaemon(true);
    asker.start();
    asker.join(60_000);
    assertThat(asker.isAlive()).isFalse();
    awaitIdle();
    assertAnswers();
  }

  /** Who may not ask is told so before anything more is read. */
  @Test
  void refusal_comesBeforeTheBodyIsRead() throws IOException {
    start(4, Duration.ofHours(1));
    String token = "X-Woodbird-Token: " + console.token();
    assertThat(firstLine(head("POST /api/attack", "Content-Length: 100"))).contains("403");
    assertThat(firstLine(head("POST /", "Content-Length: 100"))).contains("405");
    assertThat(firstLine(head("POST /api/nothing", token, "Content-Length: 100"))).contains("404");
    assertThat(firstLine(head("POST /api/ask", token, "Content-Length: 10000000000")))
        .contains("413");
  }

  private String firstLine(String head) throws IOException {
    Socket socket = connect(head + "\r\nx");
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
  }

  /** Its sender gets to read the answer, though the body is still on its way. */
  @Test
  void largeBody_getsItsAnswer() throws IOException {
    start(4, Duration.ofSeconds(60));
    String token = "X-Woodbird-Token: " + console.token();
    String large = "key=" + "x".repeat(20_000_000);
    RawHttp http = new RawHttp(console.port());
    Response response = http.send("POST", "/api/ask", large, token);
    assertThat(response.status()).isEqualTo(413);
    assertThat(response.body()).contains("too large");
    assertThat(http.send("POST", "/api/ask", large).status()).isEqualTo(413);
    String chunk = "2000\r\n" + "\u20ac".repeat(0x2000 / 4 * 4 / 3) + "xx\r\n";
    Socket socket = connect(head("POST /api/ask", token, "Transfer-Encoding: chunked") + "\r\n");
    for (int i = 0; i < 9; i++) {
      socket.getOutputStream().write(chunk.getBytes(UTF_8));
    }
    socket.getOutputStream().write("0\r\n\r\n".getBytes(UTF_8));
    assertThat(new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine())
        .contains("413");
  }

  /** Only waiting is limited; and what ends one request does not reach the next on its thread. */
  @Test
  void work_mayTakeAnyTime() throws IOException, InterruptedException {
    start(1, Duration.ofMillis(100));
    CountDownLatch done = new CountDownLatch(2);
    AtomicBoolean workEnded = new AtomicBoolean();
    AtomicBoolean waitEnded = new AtomicBoolean();
    AtomicBoolean nextEnded = new AtomicBoolean();
    threads.execute(
        () -> {
          threads.working();
          workEnded.set(interruptedWithin(500));
          threads.waiting();
          waitEnded.set(interruptedWithin(60_000));
          Thread.currentThread().interrupt();
          done.countDown();
        });
    threads.execute(
        () -> {
          threads.working();
          nextEnded.set(interruptedWithin(50));
          done.countDown();
        });
    done.await();
    assertThat(workEnded).isFalse();
    assertThat(waitEnded).isTrue();
    assertThat(nextEnded).isFalse();
  }

  private static boolean interruptedWithin(long millis) {
    try {
      Thread.sleep(millis);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
