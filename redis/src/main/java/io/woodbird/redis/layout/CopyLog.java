package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log of a generation: a stream that tells near copies of puts. */
public final class CopyLog {
  /*
   * One stream for all shards, in the slot of the first. An entry is one pair of words:
   *
   *   m <random>   a mark, from which a copy reads on
   *   d <hashes>   puts, eight bytes each, highest first
   *   r            a whole filter was added: all must be copied again
   *
   * A log ends a minute after its last reader. Writers add only to one that is there (NOMKSTREAM);
   * where there is none, they take back the request to do so, unless a new reader has come.
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
  public static final class Entry {
    private final byte[] id;
    private final byte[] kind;
    private final byte[] value;

    private Entry(byte[] id, byte[] kind, byte[] value) {
      this.id = id;
      this.kind = kind;
      this.value = value;
    }

    public boolean same(@Nullable Entry other) {
      return other != null
          && Arrays.equals(id, other.id)
          && Arrays.equals(kind, other.kind)
          && Arrays.equals(value, other.value);
    }

    public boolean reloads() {
      return Arrays.equals(kind, RELOAD);
    }

    /** The hashes of puts, or nothing. */
    public long[] hashes() {
      if (!Arrays.equals(kind, PUTS)) {
        return new long[0];
      }
      long[] hashes = new long[value.length / 8];
      ByteBuffer.wrap(value).asLongBuffer().get(hashes);
      return hashes;
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
          ? new Entry(id, kind, value)
          : null;
    }
  }

  /** The entry of a mark, if the reply says that it was made. */
  public static @Nullable Entry marked(@Nullable Object reply, byte[] mark) {
    return reply instanceof byte[] id ? new Entry(id, MARK, mark) : null;
  }

  /** The command that begins the log, or leaves a mark in it. */
  public static Command mark(GenerationView live, byte[] mark) {
    return Script.FEED.on(live.log(), mark, ENTRIES, LIVES_MILLIS);
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
    return Command.of(Command.Name.XRANGE, live.log(), last.id, "+", "COUNT", READ_AT_ONCE);
  }

  /** Whether a reply to {@link #read} may not be all. */
  public static boolean full(List<?> entries) {
    return entries.size() == READ_AT_ONCE;
  }

  /** The command that keeps the log while it is read. */
  public static Command keep(GenerationView live) {
    return Command.of(Command.Name.PEXPIRE, live.log(), LIVES_MILLIS);
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
        Command.Name.XADD, live.log(), "NOMKSTREAM", "MAXLEN", "~", ENTRIES, "*", kind, value);
  }
}
