package io.woodbird.redis;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** A generation as one client knows it: its keys, and what was last seen of each shard. */
final class Live {
  private final Map<Long, byte[]> shas = new ConcurrentHashMap<>();

  /** From and to of each block of a shard, in digits, once it was asked for. */
  private final @Nullable Range[] ranges;

  final Generation generation;
  final byte[][] keys;
  final long[] identities;

  /** The most puts seen in each shard: what comes back with fewer is older. */
  final AtomicLongArray puts;

  /**
   * The fewest puts a shard must come back with to hold what was loaded into it past the journal.
   */
  final AtomicLongArray floors;

  /** Whether the record is known to say that it holds all keys of a source. */
  volatile boolean built;

  /** 1 where a shard came back without puts of this client that it can't put again. */
  final AtomicIntegerArray beyond;

  /** Whether puts are known to be fed to the logs. */
  volatile boolean fed;

  /** The token that each shard was last seen with. */
  final AtomicLongArray tokens;

  private static final class Range {
    final byte[] from;
    final byte[] to;

    Range(long from, long to) {
      this.from = Command.bytes(from);
      this.to = Command.bytes(to);
    }
  }

  Live(String filter, Generation generation) {
    this.generation = generation;
    int shards = generation.shards();
    ranges = new @Nullable Range[Math.toIntExact(generation.shardBlocks())];
    keys = new byte[shards][];
    identities = new long[shards];
    for (int shard = 0; shard < shards; shard++) {
      keys[shard] = generation.key(filter, shard);
      identities[shard] = generation.identity(filter, shard);
    }
    puts = new AtomicLongArray(shards);
    floors = new AtomicLongArray(shards);
    beyond = new AtomicIntegerArray(shards);
    tokens = new AtomicLongArray(shards);
  }

  /** The stream that tells near replicas of puts: in the slot of its shard. */
  byte[] log(int shard) {
    return Command.bytes(Command.text(keys[shard]) + ":log");
  }

  int shards() {
    return keys.length;
  }

  void sawPuts(int shard, long count) {
    if (count > puts.get(shard)) {
      puts.accumulateAndGet(shard, count, Math::max);
    }
  }

  /** Takes over that another process vouches for a shard: from here on its count is the one. */
  void vouchedAnew(int shard, ShardHeader header) {
    tokens.set(shard, header.token());
    puts.set(shard, header.puts());
  }

  /** The command that reads the header of a shard by the script of a given process. */
  Command headerBy(long token, int shard) {
    return Command.script(Command.Name.EVALSHA_RO, sha(token), keys[shard]);
  }

  /** The command by which a process vouches for the data of a shard. */
  Command vouch(long token, int shard) {
    return Command.script(
        Command.Name.EVALSHA,
        sha(token),
        keys[shard],
        ShardHeader.bytes(identities[shard]),
        ShardHeader.bytes(token));
  }

  /** The command by which the process that vouches for a shard takes back a put. */
  Command remove(long token, int shard, byte[]... arguments) {
    return Command.script(Command.Name.EVALSHA, sha(token), keys[shard], arguments);
  }

  /** The command that reads the header of a shard from the one process that may vouch for it. */
  Command header(int shard) {
    return headerBy(tokens.get(shard), shard);
  }

  /** The command that reads a block, counted from 0 in its shard. */
  Command block(int shard, int place) {
    Range range = ranges[place];
    if (range == null) {
      long from = ShardHeader.BYTES + (long) place * generation.blockBytes();
      range = new Range(from, from + generation.blockBytes() - 1);
      ranges[place] = range; // Whoever comes second makes the same.
    }
    return Command.of(Command.Name.GETRANGE, keys[shard], range.from, range.to);
  }

  /** The command that reads the header of a shard from whatever is there. */
  Command plainHeader(int shard) {
    return Command.getRange(keys[shard], 0, ShardHeader.BYTES - 1);
  }

  private byte[] sha(long token) {
    byte[] sha = shas.get(token);
    if (sha == null) {
      sha = Script.sha1(Script.runText(token));
      shas.put(token, sha);
    }
    return sha;
  }
}
