package io.woodbird.redis.link;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.woodbird.redis.link.RedisError.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Commands that were sent over one connection of Lettuce, and their replies. */
final class LettuceSent {
  /** How often a caller that waits looks whether the connection is still there. */
  private static final long LOOK_NANOS = 20_000_000;

  private static final Map<Command.Name, ProtocolKeyword> NAMES = new EnumMap<>(Command.Name.class);

  static {
    for (Command.Name name : Command.Name.values()) {
      NAMES.put(name, new Keyword(name.name(), name.bytes));
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Keyword(String text, byte[] bytes) implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return bytes;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final StatefulConnection<byte[], byte[]> connection;
  private final LettuceBreaks breaks;
  private final long breaksBefore;
  private final List<AsyncCommand<byte[], byte[], @Nullable Object>> commands;
  private boolean timedOut;
  private boolean interrupted;

  /**
   * Sends commands, but not over a connection that is down: Lettuce would keep them.
   *
   * @param reconnectNanos how long to wait for a connection that broke
   */
  LettuceSent(
      StatefulConnection<byte[], byte[]> connection,
      List<Command> all,
      LettuceBreaks breaks,
      long reconnectNanos) {
    this.connection = connection;
    this.breaks = breaks;
    long end = System.nanoTime() + reconnectNanos;
    while (!connection.isOpen()) {
      if (System.nanoTime() - end >= 0) {
        throw new IllegalStateException("there is no connection");
      }
      LockSupport.parkNanos(this, LOOK_NANOS / 4);
    }
    this.breaksBefore = breaks.of(connection);
    this.commands = new ArrayList<>(all.size());
    for (Command command : all) {
      CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
      for (int i = 0; i < command.arguments.length; i++) {
        if (i == command.keyAt) {
          arguments.addKey(command.arguments[i]);
        } else {
          arguments.add(command.arguments[i]);
        }
      }
      commands.add(
          new AsyncCommand<>(
              new io.lettuce.core.protocol.Command<>(
                  NAMES.get(command.name), new LettuceReply(), arguments)));
    }
    connection.dispatch(commands);
  }

  /** Completes when every command has a reply or has failed. */
  CompletableFuture<Void> all() {
    return CompletableFuture.allOf(commands.toArray(CompletableFuture<?>[]::new));
  }

  /** The replies; commands that have none are given up at the end. */
  List<@Nullable Object> await(long end) {
    List<@Nullable Object> replies = new ArrayList<>(commands.size());
    for (AsyncCommand<byte[], byte[], @Nullable Object> command : commands) {
      replies.add(reply(command, end));
    }
    // Some may have come over one connection and some over the next.
    return broke()
        ? Collections.nCopies(
            replies.size(),
            new RedisError(timedOut ? Kind.TIMEOUT : Kind.UNREACHABLE, "the connection broke"))
        : replies;
  }

  /** Whether a command had no reply when {@link #await} ended. */
  boolean timedOut() {
    return timedOut;
  }

  /** Whether a reply may still arrive. */
  boolean isOpen() {
    return timedOut || interrupted;
  }

  /** A connection that is closed may give what it has left to another node, and tells us later. */
  private boolean broke() {
    return breaks.of(connection) != breaksBefore || !connection.isOpen();
  }

  private @Nullable Object reply(AsyncCommand<byte[], byte[], @Nullable Object> command, long end) {
    while (true) {
      try {
        long left = Math.max(0, end - System.nanoTime());
        command.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
        return command.getOutput().get();
      } catch (ExecutionException e) {
        timedOut |= isTimeOut(e.getCause());
        return errorOf(e.getCause() == null ? e : e.getCause());
      } catch (TimeoutException e) {
        boolean over = System.nanoTime() - end >= 0;
        timedOut |= over;
        if (over || broke()) {
          command.cancel(true);
          return errorOf(e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        interrupted = true;
        command.cancel(true);
        return new RedisError(Kind.TIMEOUT, "interrupted");
      } catch (RuntimeException e) {
        return errorOf(e);
      }
    }
  }

  /** Whether Lettuce itself gave a command up: it remembers it for as long as there is no reply. */
  static boolean isTimeOut(@Nullable Throwable e) {
    return e instanceof RedisCommandTimeoutException;
  }

  /** The error reply that stands for a failure of the client. */
  static RedisError errorOf(Throwable e) {
    if (e instanceof TimeoutException || isTimeOut(e)) {
      return new RedisError(Kind.TIMEOUT, "no reply within the deadline: " + e.getMessage());
    }
    if (e instanceof RedisCommandExecutionException) {
      return RedisError.refused("" + e.getMessage());
    }
    return new RedisError(Kind.UNREACHABLE, "" + e);
  }
}
