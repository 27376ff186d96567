package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** A generation as one client knows it: its keys, and what was last seen of each shard. */
public final class GenerationView {
  private static final Range HEADER = new Range(0, ShardHeader.BYTES - 1);

  /** From and to of each block of a shard, in digits, once it was asked for. */
  private final @Nullable Range[] ranges;

  public final GenerationSpec generation;
  public final byte[][] keys;

  /** The stream that tells near copies of puts. */
  public final byte[] log;

  public final long[] identities;

  /** The most puts seen in each shard: what comes back with fewer is older. */
  public final AtomicLongArray puts;

  /** Whether the record is known to say that it holds all keys of a source. */
  public volatile boolean built;

  /** The life in which this client knows each shard to be whole; 0 if it knows none. */
  public final AtomicLongArray lives;

  /** How many levels a shard is known to have, at most; 1 if it does not grow. */
  private final AtomicInteger levels = new AtomicInteger(1);

  private final int mostLevels;

  /** Its fields are final, so that a thread sees all of what another has made. */
  private static final class Range {
    final byte[] from;
    final byte[] to;

    Range(long from, long to) {
      this.from = Command.bytes(from);
      this.to = Command.bytes(to);
    }
  }

  public GenerationView(String filter, GenerationSpec generation) {
    this.generation = generation;
    int shards = generation.shards();
    ranges = new @Nullable Range[Math.toIntExact(generation.shardBlocks())];
    keys = new byte[shards][];
    identities = generation.identities(filter);
    for (int shard = 0; shard < shards; shard++) {
      keys[shard] = generation.key(filter, shard);
    }
    log = generation.log(filter);
    puts = new AtomicLongArray(shards);
    lives = new AtomicLongArray(shards);
    mostLevels = generation.mostLevels();
  }

  public int shards() {
    return keys.length;
  }

  public void sawPuts(int shard, long count) {
    if (count > puts.get(shard)) {
      puts.accumulateAndGet(shard, count, Math::max);
    }
  }

  public int levels() {
    return levels.get();
  }

  /**
   * Takes note of the levels of a shard.
   *
   * @param count as a header has it that {@link #mayHave} allows
   */
  public void sawLevels(int count) {
    if (count > levels.get()) {
      levels.accumulateAndGet(count, Math::max);
    }
  }

  /** Whether a shard can have this many levels; a damaged header may say anything. */
  public boolean mayHave(int count) {
    return count <= mostLevels;
  }

  /** Takes over that a shard is whole in a life: from here on its count is the one; true. */
  public boolean wholeIn(int shard, ShardHeader header) {
    puts.set(shard, header.puts());
    lives.set(shard, header.life());
    return true;
  }

  /** The command that reads a block, counted from 0 in its shard. */
  public Command block(int shard, int place) {
    Range range = place < ranges.length ? ranges[place] : null;
    if (range == null) {
      long from = ShardHeader.BYTES + (long) place * generation.blockBytes();
      range = new Range(from, from + generation.blockBytes() - 1);
      if (place < ranges.length) {
        ranges[place] = range; // A second thread makes the same.
      }
    }
    return Command.of(Command.Name.GETRANGE, keys[shard], range.from, range.to);
  }

  /** The command that reads the header of a shard. */
  public Command header(int shard) {
    return Command.of(Command.Name.GETRANGE, keys[shard], HEADER.from, HEADER.to);
  }

  /** The commands that read the headers of all shards. */
  public List<Command> headers() {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < keys.length; shard++) {
      commands.add(header(shard));
    }
    return commands;
  }

  /** The command that vouches for a shard, see vouch.lua. */
  public Command vouch(int shard, long lifeThere, long life, boolean ifWhole) {
    return script(
        Script.VOUCH,
        shard,
        ShardHeader.bytes(lifeThere),
        ShardHeader.bytes(life),
        ifWhole ? 1 : 0);
  }

  /** The command that ends what a shard says of a life, see unvouch.lua. */
  public Command unvouch(int shard, long lifeThere) {
    return script(Script.UNVOUCH, shard, ShardHeader.bytes(lifeThere));
  }

  /** A script on a shard; the identity is its first argument. */
  public Command script(Script script, int shard, Object... arguments) {
    Object[] all = new Object[arguments.length + 2];
    all[0] = keys[shard];
    all[1] = ShardHeader.bytes(identities[shard]);
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return script.on(all);
  }

  /** The commands that delete the shards of this very generation, whatever came in their place. */
  public List<Command> removals() {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < keys.length; shard++) {
      commands.add(script(Script.SWEEP, shard));
    }
    commands.add(Command.of(Command.Name.UNLINK, log));
    return commands;
  }

  /**
   * The command that makes a shard, which nobody vouches for yet.
   *
   * @param other the generation that takes every put too
   * @param over what may be overwritten, see shard.lua
   */
  public Command make(int shard, long life, long other, long birth, String over) {
    return Script.SHARD.on(
        keys[shard],
        ShardHeader.encode(identities[shard], life, other, birth),
        generation.bytesIn(shard),
        over);
  }
}
