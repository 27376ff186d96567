package io.woodbird.redis.link;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

final class JedisWireTest {
  private static final String GREETING =
      "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:2\r\n";
  private static final List<Command> INFO = List.of(Command.keyless(Command.Name.INFO));

  /**
   * After a reply that no memory holds, nobody takes what the server sent behind it for an answer.
   */
  @Test
  void aReplyThatIsTooLarge_isAnError_andTheNextReplyIsItsOwn() throws Exception {
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RedisClient client = RedisClient.create("127.0.0.1", door.getLocalPort())) {
      AtomicBoolean damaged = new AtomicBoolean(true);
      Thread server = new Thread(() -> serve(door, damaged));
      server.setDaemon(true);
      server.start();
      Wire wire = JedisWire.of(client);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      assertThat(wire.exchange("", INFO, end)).asString().contains("a reply is too large");
      assertThat((byte[]) wire.exchange("", INFO, end).get(0)).asString().isEqualTo("OK");
      wire.close();
    }
  }

  private static void serve(ServerSocket door, AtomicBoolean damaged) {
    while (!door.isClosed()) {
      try {
        Socket socket = door.accept();
        Thread talk = new Thread(() -> talk(socket, damaged));
        talk.setDaemon(true);
        talk.start();
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  /** Greets, says OK to every other command, and sends damage to the first INFO. */
  private static void talk(Socket socket, AtomicBoolean damaged) {
    try (socket;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String name = "";
        for (int words = Integer.parseInt(line.substring(1)); words > 0; words--) {
          in.readLine(); // Its length.
          String word = in.readLine();
          name = name.isEmpty() ? word : name;
        }
        boolean damage = name.equals("INFO") && damaged.getAndSet(false);
        String reply =
            damage ? "$2147483647\r\n+stale\r\n" : name.equals("HELLO") ? GREETING : "+OK\r\n";
        socket.getOutputStream().write(reply.getBytes(US_ASCII));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
