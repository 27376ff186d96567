package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log of a generation: a stream that tells near copies of puts. */
public final class CopyLog {
  /*
   * One stream for all shards, in the slot of the first. An entry is a mark, hashes of puts, or the
   * word that a whole filter was added: spec/redis.md, "A near copy".
   */

  /** Hashes in an entry, at most. With ENTRIES, and 16 bytes around each, 2.3 MB. */
  private static final int HASHES = 32;

  private static final long ENTRIES = 8192;
  private static final long LIVES_MILLIS = 60_000;
  private static final int READ_AT_ONCE = 1000;
  private static final byte[] MARK = Command.bytes("m");
  private static final byte[] PUTS = Command.bytes("d");
  private static final byte[] RELOAD = Command.bytes("r");

  private CopyLog() {}

  /**
   * An entry. The same place may come twice if a log is deleted and begun again within a
   * millisecond, but not with the same mark.
   */
  public record Entry(String id, ByteBuffer kind, ByteBuffer value) {
    public boolean reloads() {
      return kind.equals(ByteBuffer.wrap(RELOAD));
    }

    /** The hashes of puts, or nothing. */
    public long[] hashes() {
      if (!kind.equals(ByteBuffer.wrap(PUTS))) {
        return new long[0];
      }
      long[] hashes = new long[value.remaining() / 8];
      value.asLongBuffer().get(hashes);
      return hashes;
    }

    private static Entry of(byte[] id, byte[] kind, byte[] value) {
      return new Entry(Command.text(id), ByteBuffer.wrap(kind), ByteBuffer.wrap(value));
    }

    /** Reads a reply; null if it is no entry of ours. */
    public static @Nullable Entry of(@Nullable Object reply) {
      return reply instanceof List<?> parts
              && parts.size() == 2
              && parts.get(0) instanceof byte[] id
              && parts.get(1) instanceof List<?> pair
              && pair.size() == 2
              && pair.get(0) instanceof byte[] kind
              && pair.get(1) instanceof byte[] value
          ? of(id, kind, value)
          : null;
    }
  }

  /** The entry of a mark, if the reply says that it was made. */
  public static @Nullable Entry marked(@Nullable Object reply, byte[] mark) {
    return reply instanceof byte[] id ? Entry.of(id, MARK, mark) : null;
  }

  /** The command that begins the log, or leaves a mark in it. */
  public static Command mark(GenerationView live, byte[] mark) {
    return Script.FEED.on(live.log, mark, ENTRIES, LIVES_MILLIS);
  }

  /** The command that asks the writers of a shard to add their puts from now on. */
  public static Command follow(GenerationView live, int shard, long token) {
    return live.script(Script.FOLLOW, shard, token, "begin");
  }

  /** The command that takes that back, unless another has asked since. */
  public static Command unfollow(GenerationView live, int shard, long token) {
    return live.script(Script.FOLLOW, shard, token, "end");
  }

  /** The command that reads on from an entry, that entry included. */
  public static Command read(GenerationView live, Entry last) {
    return Command.of(Command.Name.XRANGE, live.log, last.id, "+", "COUNT", READ_AT_ONCE);
  }

  /** Whether a reply to {@link #read} may not be all. */
  public static boolean full(List<?> entries) {
    return entries.size() == READ_AT_ONCE;
  }

  /** The command that keeps the log while it is read. */
  public static Command keep(GenerationView live) {
    return Command.of(Command.Name.PEXPIRE, live.log, LIVES_MILLIS);
  }

  /** The command that lets copies read all again. */
  public static Command reload(GenerationView live) {
    return add(live, RELOAD, new byte[0]);
  }

  /** Adds the commands that tell of puts. */
  public static void addPuts(
      List<Command> commands, GenerationView live, long[] hashes, int count) {
    for (int from = 0; from < count; from += HASHES) {
      int some = Math.min(HASHES, count - from);
      ByteBuffer packed = ByteBuffer.allocate(8 * some);
      packed.asLongBuffer().put(hashes, from, some);
      commands.add(add(live, PUTS, packed.array()));
    }
  }

  private static Command add(GenerationView live, byte[] kind, byte[] value) {
    return Command.of(
        Command.Name.XADD, live.log, "NOMKSTREAM", "MAXLEN", "~", ENTRIES, "*", kind, value);
  }
}
