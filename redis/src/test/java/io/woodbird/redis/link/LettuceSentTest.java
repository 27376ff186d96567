package io.woodbird.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.woodbird.redis.link.RedisError.Kind;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which replies count when a connection of Lettuce breaks: no server, no network, no clock. */
class LettuceSentTest {
  private static final List<Command> PUT_AND_WAIT =
      List.of(
          Command.of(Command.Name.SET, "key", "value"),
          Command.keyless(Command.Name.WAIT, 1, 1000));

  private static final RedisClient CLIENT = RedisClient.create();

  private final LettuceBreaks breaks = new LettuceBreaks(CLIENT);
  private final Connection connection = new Connection();

  @AfterEach
  void end() {
    breaks.close();
  }

  @AfterAll
  static void endAll() {
    CLIENT.shutdown(Duration.ZERO, Duration.ZERO);
  }

  /** A connection that sends nothing: a test answers what it was given. */
  private static final class Connection extends RedisChannelHandler<byte[], byte[]>
      implements StatefulConnection<byte[], byte[]> {
    final List<RedisCommand<byte[], byte[], ?>> given = new ArrayList<>();
    boolean open = true;

    Connection() {
      super(
          (RedisChannelWriter)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {RedisChannelWriter.class},
                  (writer, method, arguments) ->
                      method.getReturnType() == ClientResources.class
                          ? CLIENT.getResources()
                          : null),
          Duration.ofSeconds(1));
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public RedisCodec<byte[], byte[]> getCodec() {
      return ByteArrayCodec.INSTANCE;
    }

    @Override
    public <T> RedisCommand<byte[], byte[], T> dispatch(RedisCommand<byte[], byte[], T> command) {
      given.add(command);
      return command;
    }

    @Override
    public Collection<RedisCommand<byte[], byte[], ?>> dispatch(
        Collection<? extends RedisCommand<byte[], byte[], ?>> commands) {
      given.addAll(commands);
      return given;
    }

    void answer(int index, long number) {
      given.get(index).getOutput().set(number);
      given.get(index).complete();
    }

    void answer(int index, String text) {
      given.get(index).getOutput().set(ByteBuffer.wrap(Command.bytes(text)));
      given.get(index).complete();
    }
  }

  private LettuceSent sent() {
    return new LettuceSent(connection, PUT_AND_WAIT, breaks, 0);
  }

  private void breakConnection() {
    breaks.onRedisDisconnected(connection);
    breaks.onRedisConnected(connection, null);
  }

  /** Nothing that is missing is waited for. */
  private static List<@Nullable Object> replies(LettuceSent sent) {
    return sent.await(System.nanoTime());
  }

  @Test
  void aLateReply_leavesTheOthers() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    List<@Nullable Object> replies = replies(sent);
    assertThat((byte[]) replies.get(0)).asString().isEqualTo("OK");
    assertThat(((RedisError) replies.get(1)).kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(sent.timedOut()).isTrue();
  }

  /** The put was answered over one connection, and sent again over the next; WAIT says nothing. */
  @Test
  void afterABreak_noReplyCounts_alsoIfAllCame() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    breakConnection();
    connection.answer(1, 1);
    assertThat(replies(sent))
        .hasSize(2)
        .allMatch(reply -> reply instanceof RedisError error && error.kind() == Kind.UNREACHABLE);
  }

  @Test
  void afterABreak_noReplyCounts_alsoIfAnotherIsLate() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    breakConnection();
    assertThat(replies(sent))
        .hasSize(2)
        .allMatch(reply -> reply instanceof RedisError error && error.kind() == Kind.TIMEOUT);
  }

  /** What it has left goes to other nodes of a cluster, before anybody hears of the break. */
  @Test
  void ofAConnectionThatWasClosed_noReplyCounts() {
    LettuceSent sent = sent();
    connection.open = false;
    connection.answer(0, "OK");
    connection.answer(1, 1);
    assertThat(replies(sent))
        .allMatch(reply -> reply instanceof RedisError error && error.kind() == Kind.UNREACHABLE);
  }

  /** It stays in the memory of Lettuce all the same. */
  @Test
  void whatLettuceGivesUpItself_isALateReplyToo() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    connection.given.get(1).completeExceptionally(new RedisCommandTimeoutException("of Lettuce"));
    List<@Nullable Object> replies = sent.await(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
    assertThat(((RedisError) replies.get(1)).kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(sent.timedOut()).isTrue();
  }

  /** Else the next put would go out behind its WAIT. */
  @Test
  void whoIsInterrupted_leavesReplies() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    Thread.currentThread().interrupt();
    List<@Nullable Object> replies = sent.await(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(replies.get(1)).isInstanceOf(RedisError.class);
    assertThat(sent.isOpen()).isTrue();
    assertThat(sent.timedOut()).as("the server is not silent").isFalse();
  }

  @Test
  void aBreakOfAnotherConnection_changesNothing() {
    LettuceSent sent = sent();
    connection.answer(0, "OK");
    breaks.onRedisDisconnected(new Connection());
    connection.answer(1, 1);
    assertThat(replies(sent)).noneMatch(RedisError.class::isInstance);
  }
}
