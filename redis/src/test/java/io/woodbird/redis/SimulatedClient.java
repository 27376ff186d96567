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

  /** Puts an error that the library knows in the place of each trouble. */
  private static void nameErrors(List<@Nullable Object> replies) {
    for (int i = 0; i < replies.size(); i++) {
      if (replies.get(i) instanceof Wire.Trouble trouble) {
        RedisError.Kind kind = RedisError.Kind.valueOf(trouble.kind().name());
        replies.set(i, new RedisError(kind, trouble.message()));
      }
    }
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    List<byte[][]> words = new ArrayList<>(commands.size());
    boolean cluster = wire.cluster();
    int[] slots = new int[commands.size()];
    for (Command command : commands) {
      slots[words.size()] = cluster ? Slots.of(command.key()) : 0;
      words.add(words(command));
    }
    List<byte[][]> behind = new ArrayList<>(after.size());
    for (Command command : after) {
      behind.add(words(command));
    }
    Wire.Replies replies = wire.run(words, slots, behind);
    nameErrors(replies.all());
    List<@Nullable Object> last = List.of();
    for (List<@Nullable Object> one : replies.after()) {
      if (one != last) { // Of one server they are one list.
        nameErrors(one);
        last = one;
      }
    }
    return new Replies(replies.all(), replies.after());
  }

  @Override
  public String nodeOf(int slot) {
    return wire.nodeOf(slot);
  }

  @Override
  public int nextRun(int slot) {
    return wire.nextRun(slot);
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
