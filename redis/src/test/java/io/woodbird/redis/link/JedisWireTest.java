package io.woodbird.redis.link;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.woodbird.redis.link.RedisError.Kind;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.Pool;

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
      Function<String, String> answers =
          name ->
              name.equals("INFO") && damaged.getAndSet(false)
                  ? "$2147483647\r\n+stale\r\n"
                  : name.equals("HELLO") ? GREETING : "+OK\r\n";
      Thread server = new Thread(() -> serve(door, ConcurrentHashMap.newKeySet(), answers));
      server.setDaemon(true);
      server.start();
      Wire wire = JedisWire.of(client);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      assertThat(wire.exchange("", INFO, end)).asString().contains("a reply is too large");
      assertThat((byte[]) wire.exchange("", INFO, end).get(0)).asString().isEqualTo("OK");
      wire.close();
    }
  }

  /** It would have no password, and write into database 0. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void afterTheDeadline_nothingIsSentOverANewSocket(int late) {
    try (RedisServer server = RedisServer.start();
        RedisClient client = client(server.port(), 1, Duration.ofSeconds(2))) {
      Wire wire = JedisWire.of(client);
      List<Command> puts =
          new AbstractList<>() {
            @Override
            public Command get(int index) {
              if (index == late) {
                // The thread stands still until the connection was cut.
                RedisCluster.until(() -> !server.ask("CLIENT", "LIST").toString().contains("db=1"));
              }
              return Command.of(Command.Name.SET, "key " + index, "value");
            }

            @Override
            public int size() {
              return 2;
            }
          };
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
      assertThat(wire.exchange("", puts, end))
          .allMatch(reply -> reply instanceof RedisError error && error.kind() == Kind.TIMEOUT);
      assertThat(server.ask("DBSIZE")).as("in database 0").isEqualTo(0L);
      wire.close();
    }
  }

  /** The connection has made its new socket before it asks how many words there are. */
  @Test
  void theWordsOfACommand_refuseToBeSentAfterTheDeadline() {
    AtomicBoolean late = new AtomicBoolean();
    JedisWords words = new JedisWords(late::get).of(INFO.get(0));
    assertThat(words.size()).isEqualTo(1);
    late.set(true);
    assertThatThrownBy(words::size).isInstanceOf(IllegalStateException.class);
  }

  /** What the application leaves behind in its pool: the server does nothing, and says so. */
  @Test
  void aConnectionInATransaction_isNotBelieved() {
    try (RedisServer server = RedisServer.start();
        RedisClient client = client(server.port(), 0, Duration.ofMinutes(1))) {
      Wire wire = JedisWire.of(client);
      try (Connection theirs = client.getPool().getResource()) {
        theirs.sendCommand(Protocol.Command.MULTI);
        assertThat(theirs.getStatusCodeReply()).isEqualTo("OK");
      }
      List<Command> put = List.of(Command.of(Command.Name.SET, "key", "value"));
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      assertThat(wire.exchange("", put, end)).allMatch(RedisError.class::isInstance);
      assertThat((byte[]) wire.exchange("", put, end).get(0)).asString().isEqualTo("OK");
      assertThat("" + server.ask("GET", "key")).isEqualTo("value");
      wire.close();
    }
  }

  private static RedisClient client(int port, int database, Duration silence) {
    return client(port, database, silence, new ConnectionPoolConfig());
  }

  private static RedisClient client(
      int port, int database, Duration silence, ConnectionPoolConfig pool) {
    return RedisClient.builder()
        .hostAndPort(new HostAndPort("127.0.0.1", port))
        .clientConfig(
            DefaultJedisClientConfig.builder()
                .socketTimeoutMillis((int) silence.toMillis())
                .database(database)
                .build())
        .poolConfig(pool)
        .build();
  }

  /** A server that greets, and says nothing else once it is silent; its sockets wait for ever. */
  private static final class Silent implements AutoCloseable {
    final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    final AtomicBoolean silent = new AtomicBoolean();
    final CountDownLatch asked = new CountDownLatch(1);
    final RedisClient client;
    final Wire wire;

    Silent(ConnectionPoolConfig pool) throws IOException {
      Thread server = new Thread(() -> serve(door, sockets, this::answer));
      server.setDaemon(true);
      server.start();
      client = client(door.getLocalPort(), 0, Duration.ZERO, pool);
      wire = JedisWire.of(client);
    }

    private String answer(String name) {
      if (silent.get()) {
        asked.countDown();
        return "";
      }
      return name.equals("HELLO") ? GREETING : name.equals("PING") ? "+PONG\r\n" : "+OK\r\n";
    }

    List<Object> ask(Duration within) {
      return wire.exchange("", INFO, System.nanoTime() + within.toNanos());
    }

    @Override
    public void close() throws IOException {
      door.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** It pings before it lends one. */
  @Test
  void aPoolThatTakesLongOverAnIdleConnection_holdsUpNobody() throws Exception {
    ConnectionPoolConfig pings = new ConnectionPoolConfig();
    pings.setTestOnBorrow(true);
    try (Silent server = new Silent(pings)) {
      assertThat(server.ask(Duration.ofMinutes(1))).noneMatch(RedisError.class::isInstance);
      RedisCluster.until(() -> server.client.getPool().getNumIdle() == 1);
      server.silent.set(true);
      List<Object> replies =
          assertTimeoutPreemptively(
              Duration.ofMinutes(1), () -> server.ask(Duration.ofMillis(100)));
      assertThat(((RedisError) replies.get(0)).kind()).isEqualTo(Kind.TIMEOUT);
    }
  }

  @Test
  void manyCallsToANodeThatIsSilent_holdUpNoOtherNode() throws Exception {
    try (RedisServer well = RedisServer.start();
        RedisClient other = client(well.port(), 0, Duration.ofMinutes(1));
        Silent server = new Silent(new ConnectionPoolConfig())) {
      server.silent.set(true);
      Map<String, Pool<Connection>> pools =
          Map.of("silent", server.client.getPool(), "well", other.getPool());
      Wire wire = new JedisWire(null, pools::get);
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      for (int i = 0; i < 128; i++) {
        wire.start("silent", INFO, end);
      }
      RedisCluster.until(() -> borrowing() >= 60); // Of 64 that may.
      assertThat(wire.exchange("well", INFO, end)).noneMatch(RedisError.class::isInstance);
      wire.close();
    }
  }

  private static long borrowing() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            stack ->
                Arrays.stream(stack).anyMatch(call -> call.getMethodName().equals("borrowNow")))
        .count();
  }

  @Test
  void aCallThatRunsAtTheEnd_andOneThatComesAfterIt_haveTheirDeadlines() throws Exception {
    try (Silent server = new Silent(new ConnectionPoolConfig())) {
      assertThat(server.ask(Duration.ofMinutes(1))).noneMatch(RedisError.class::isInstance);
      server.silent.set(true);
      Thread end =
          new Thread(
              () -> {
                try {
                  server.asked.await();
                  server.wire.close();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      end.start();
      for (int call = 0; call < 2; call++) {
        List<Object> replies =
            assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> server.ask(Duration.ofMillis(500)));
        assertThat(replies).allMatch(RedisError.class::isInstance);
        end.join();
      }
    }
  }

  /** It is kept from call to call, and waits for the deadline of each. */
  @Test
  void aServerThatFallsSilentBetweenTwoCalls_isWaitedForUntilTheDeadline() throws Exception {
    try (Silent server = new Silent(new ConnectionPoolConfig())) {
      assertThat(server.ask(Duration.ofMinutes(1))).noneMatch(RedisError.class::isInstance);
      server.silent.set(true);
      for (int millis : new int[] {100, 20}) { // Longer and shorter than it takes to be idle.
        List<Object> replies =
            assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> server.ask(Duration.ofMillis(millis)));
        assertThat(((RedisError) replies.get(0)).kind()).isEqualTo(Kind.TIMEOUT);
      }
      server.silent.set(false);
      assertThat(server.ask(Duration.ofMinutes(1))).noneMatch(RedisError.class::isInstance);
    }
  }

  @Test
  void aConnectionGoesBack_whenThereIsNoCallOrNoOtherInThePool_andAtTheEnd() {
    ConnectionPoolConfig few = new ConnectionPoolConfig();
    few.setMaxTotal(1);
    try (RedisServer server = RedisServer.start();
        RedisClient client = client(server.port(), 0, Duration.ofMinutes(1));
        RedisClient small = client(server.port(), 0, Duration.ofMinutes(1), few)) {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      Wire wire = JedisWire.of(client);
      wire.exchange("", INFO, end);
      RedisCluster.until(() -> client.getPool().getNumActive() == 0);
      wire.exchange("", INFO, end);
      wire.close();
      RedisCluster.until(() -> client.getPool().getNumActive() == 0);
      Wire other = JedisWire.of(small);
      other.exchange("", INFO, end);
      assertThat(small.getPool().getNumActive()).isZero();
      other.close();
    }
  }

  /** The thread that keeps it may stand still for longer than it takes to be idle. */
  @Test
  void aConnectionThatIsKeptLate_goesBackToo() {
    try (RedisServer server = RedisServer.start();
        RedisClient client = client(server.port(), 0, Duration.ofMinutes(1))) {
      JedisWire wire = (JedisWire) JedisWire.of(client);
      CountDownLatch held = new CountDownLatch(1);
      Thread holds =
          new Thread(
              () ->
                  wire.kept.compute(
                      "",
                      (node, none) -> {
                        held.countDown();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                        return null;
                      }));
      List<Command> commands =
          new AbstractList<>() {
            @Override
            public Command get(int index) {
              holds.start(); // The connection is taken already, and not yet kept.
              try {
                held.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return INFO.get(index);
            }

            @Override
            public int size() {
              return 1;
            }
          };
      wire.exchange("", commands, System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
      RedisCluster.until(() -> client.getPool().getNumActive() == 0);
      wire.close();
    }
  }

  /** As Sentinel does, while the old one still answers. */
  @Test
  void whenTheClientNamesAnotherServer_theNextCallGoesThere() {
    try (RedisServer first = RedisServer.start();
        RedisServer second = RedisServer.start();
        RedisClient before = client(first.port(), 0, Duration.ofMinutes(1));
        RedisClient after = client(second.port(), 0, Duration.ofMinutes(1))) {
      AtomicReference<RedisClient> named = new AtomicReference<>(before);
      Wire wire = new JedisWire(null, node -> named.get().getPool());
      List<Command> put = List.of(Command.of(Command.Name.SET, "key", "value"));
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      for (int call = 0; call < 100; call++) { // One connection is kept all the time.
        wire.exchange("", INFO, end);
      }
      named.set(after);
      wire.exchange("", put, end);
      assertThat(first.ask("DBSIZE")).isEqualTo(0L);
      assertThat(second.ask("DBSIZE")).isEqualTo(1L);
      wire.close();
    }
  }

  private static void serve(
      ServerSocket door, Set<Socket> sockets, Function<String, String> answers) {
    while (!door.isClosed()) {
      try {
        Socket socket = door.accept();
        sockets.add(socket);
        Thread talk = new Thread(() -> talk(socket, answers));
        talk.setDaemon(true);
        talk.start();
      } catch (IOException e) {
        return; // Closed.
      }
    }
  }

  /** Answers the name of each command. */
  private static void talk(Socket socket, Function<String, String> answers) {
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
        socket.getOutputStream().write(answers.apply(name).getBytes(US_ASCII));
      }
    } catch (IOException e) {
      // Cut.
    }
  }
}
