package io.woodbird.redis;

import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Slots;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.sim.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The library in a simulated process: its link and its time go over a {@link Wire}. */
public final class SimulatedClient implements Link, Time {
  private final Wire wire;
  private boolean closed;

  private SimulatedClient(Wire wire) {
    this.wire = wire;
  }

  /** Makes the way to filters for one process. */
  public static WoodbirdRedis over(Wire wire) {
    SimulatedClient client = new SimulatedClient(wire);
    return new WoodbirdRedis(client, client, Duration.ofSeconds(2), event -> {});
  }

  /** Which slot a key has. */
  public static int slot(byte[] key) {
    return Slots.of(key);
  }

  private static byte[][] words(Command command) {
    byte[][] words = new byte[command.arguments.length + 1][];
    words[0] = command.name.bytes;
    System.arraycopy(command.arguments, 0, words, 1, command.arguments.length);
    return words;
  }

  private static @Nullable Object reply(@Nullable Object reply) {
    if (reply instanceof Wire.Trouble trouble) {
      return new RedisError(RedisError.Kind.valueOf(trouble.kind().name()), trouble.message());
    }
    return reply;
  }

  private static List<@Nullable Object> replies(List<@Nullable Object> all) {
    List<@Nullable Object> replies = new ArrayList<>(all.size());
    for (Object one : all) {
      replies.add(reply(one));
    }
    return replies;
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    List<byte[][]> words = new ArrayList<>(commands.size());
    int[] slots = new int[commands.size()];
    for (Command command : commands) {
      slots[words.size()] = Slots.of(command.key());
      words.add(words(command));
    }
    List<byte[][]> behind = new ArrayList<>(after.size());
    for (Command command : after) {
      behind.add(words(command));
    }
    Wire.Replies replies = wire.run(words, slots, behind);
    List<List<@Nullable Object>> followed = new ArrayList<>(replies.after().size());
    for (List<@Nullable Object> one : replies.after()) {
      followed.add(replies(one));
    }
    return new Replies(replies(replies.all()), followed);
  }

  @Override
  public String nodeOf(int slot) {
    return wire.nodeOf(slot);
  }

  @Override
  public boolean cluster() {
    return wire.cluster();
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public long nanoTime() {
    return wire.nanoTime();
  }

  @Override
  public long wallMillis() {
    return wire.nanoTime() / 1_000_000;
  }

  @Override
  public void pause(long nanos) {
    wire.pause(nanos);
  }

  @Override
  public long random() {
    return wire.random();
  }

  @Override
  public Task repeat(String name, long firstNanos, Step step) {
    Wire.Task task = wire.repeat(name, firstNanos, step::run);
    return task::stop;
  }
}
