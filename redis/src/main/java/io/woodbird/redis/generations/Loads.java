package io.woodbird.redis.generations;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.CopyLog;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.PutGroup;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Life;
import io.woodbird.redis.proof.ShardProof;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Whole filters: words of the heap into shards by OR, shards into words of the heap. */
public final class Loads {
  /** Two of the largest shards. */
  private static final long BYTES_AT_ONCE = 8 << 20;

  private static final Command TIME = Command.keyless(Command.Name.TIME);

  private final Shared shared;
  public volatile LongConsumer progress = bytes -> {};

  public Loads(Shared shared) {
    this.shared = shared;
  }

  /**
   * Adds words to all generations that take puts.
   *
   * @param check throws if a generation can't take them
   */
  public void addToAll(HeapWords words, Consumer<GenerationView> check) {
    Takers.Write<Takers.Met> write =
        live -> {
          check.accept(live);
          return add(live, words);
        };
    new Takers(shared).everywhere(write.into(shared.current()), write);
  }

  /** Adds words to a generation that is being built. */
  void addTo(GenerationView next, HeapWords words) {
    add(next, words).check();
  }

  private Takers.Met add(GenerationView live, HeapWords words) {
    Takers.Met met = new Takers.Met(shared, live);
    List<Command> commands = new ArrayList<>();
    List<Integer> shards = new ArrayList<>();
    long bytes = 0;
    long sent = 0;
    for (int shard = 0; shard < live.shards() && met.troubles.isEmpty(); shard++) {
      byte[] value = value(live.generation, shard, words);
      commands.addAll(adding(live, shard, value, shared.time));
      shards.add(shard);
      bytes += value.length;
      if (bytes >= BYTES_AT_ONCE || shard == live.shards() - 1) {
        send(met, live, commands, shards);
        commands.clear();
        shards.clear();
        sent += bytes;
        bytes = 0;
        progress.accept(sent);
      }
    }
    return met;
  }

  /** The commands that add the bits of a value to a shard; the second one answers its header. */
  static List<Command> adding(GenerationView live, int shard, byte[] value, Time time) {
    byte[] temporary =
        Command.bytes(Command.text(live.keys[shard]) + ":load:" + Script.hex(time.random()));
    return List.of(
        Command.of(Command.Name.SET, temporary, value, "PX", 60_000),
        Script.LOAD.on(live.keys[shard], temporary, ShardHeader.bytes(live.identities[shard])));
  }

  /** Judges the replies to {@link #adding}, of which the first is at a given place. */
  static FoundShard added(Link.Replies replies, int at, GenerationView live, int shard) {
    return replies.all().get(at) instanceof RedisError error
        ? FoundShard.lost(Trouble.of(error, Command.text(live.keys[shard])))
        : FoundShard.of(live, shard, replies, at + 1);
  }

  private void send(
      Takers.Met met, GenerationView live, List<Command> commands, List<Integer> shards) {
    Link.Replies sent = shared.confirmation.send(commands);
    boolean followed = false;
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      FoundShard found = added(sent, 2 * i, live, shard);
      if (found.trouble() != null && !found.isThere()) {
        met.troubles.put(shard, found.trouble());
        continue;
      }
      ShardHeader header = found.header();
      if (header.life() == live.lives.get(shard)) {
        live.sawPuts(shard, header.puts());
      }
      followed |= header.followed();
      met.add(shard, header, found.life().id());
    }
    if (met.end()) {
      shared.confirmation.check(sent.after());
      if (followed) {
        tellCopies(live);
      }
    }
  }

  /** Lets near copies read all again. */
  private void tellCopies(GenerationView live) {
    Link.Replies told = shared.confirmation.send(List.of(CopyLog.reload(live)));
    if (told.all().get(0) instanceof RedisError error) {
      throw shared.failure(Map.of(0, Trouble.of(error, Command.text(live.log))), live);
    }
    shared.confirmation.check(told.after());
  }

  /** The value of a shard: zeros where the header is, then the words, lowest byte first. */
  private static byte[] value(GenerationSpec generation, int shard, HeapWords words) {
    byte[] value = new byte[Math.toIntExact(generation.bytesIn(shard))];
    ByteBuffer out = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    out.position(ShardHeader.BYTES);
    long word = shard * generation.shardBlocks() * BlockedBloom.WORDS;
    while (out.hasRemaining()) {
      out.putLong(words.get(word++));
    }
    return value;
  }

  /** Takes what stands behind the header of a shard. */
  public interface Taker {
    /**
     * Takes one.
     *
     * @param millis the time of its server, if it is a window
     */
    void take(int shard, byte[] body, ShardHeader header, long millis);
  }

  /** Reads all words; returns the shards that could not be read or proven. */
  public Map<Integer, Trouble> read(GenerationView live, HeapWords words) {
    return read(live, (shard, body, header, millis) -> fill(live.generation, shard, body, words));
  }

  /** Reads all shards; returns those that could not be read or proven. */
  public Map<Integer, Trouble> read(GenerationView live, Taker taker) {
    Map<Integer, Trouble> troubles = new HashMap<>();
    boolean window = live.generation.cellBits() == GenerationSpec.WINDOW_BITS;
    List<Command> after = window ? List.of(TIME, Life.ASK) : List.of(Life.ASK);
    ShardProof whole = shared.proof(live);
    int at = 0;
    long done = 0;
    while (at < live.shards()) {
      long bytes = 0;
      int to = at;
      List<Command> commands = new ArrayList<>();
      while (to < live.shards() && bytes < BYTES_AT_ONCE) {
        long end = live.generation.bytesIn(to, live.levels());
        commands.add(Command.getRange(live.keys[to], ShardHeader.BYTES, end));
        commands.add(live.header(to));
        bytes += end;
        to++;
      }
      ShardProof proof = ShardProof.ofAll(live, null);
      Link.Replies replies = shared.link.run(commands, after);
      for (int shard = at; shard < to; shard++) {
        Object body = replies.all().get(2 * (shard - at));
        FoundShard found = proof.judge(shard, replies, 2 * (shard - at) + 1);
        Trouble trouble = found.trouble();
        int levels = found.header().levels();
        if (trouble == null
            && body instanceof byte[] value
            && ShardHeader.BYTES + value.length == live.generation.bytesIn(shard, levels)) {
          long millis = window ? millis(replies.after().get(2 * (shard - at)).get(0)) : 0;
          taker.take(shard, value, found.header(), millis);
        } else if (trouble == null) {
          live.sawLevels(levels);
          trouble = Trouble.gone(Command.text(live.keys[shard]) + " is gone or has another length");
        }
        if (trouble != null) {
          troubles.put(shard, trouble);
        }
      }
      at = to;
      done += bytes;
      progress.accept(done);
    }
    if (shared.durability.replicas() > 0) {
      // It may have taken too long: whoever is a master now was one when it was read in this life.
      troubles.putAll(troubles(live, whole));
    }
    return troubles;
  }

  /** Reads the reply to {@link #TIME}: seconds, and microseconds. */
  private static long millis(@Nullable Object reply) {
    if (reply instanceof List<?> pair
        && pair.size() == 2
        && pair.get(0) instanceof byte[] seconds
        && pair.get(1) instanceof byte[] micros) {
      return Long.parseLong(Command.text(seconds)) * 1000
          + Long.parseLong(Command.text(micros)) / 1000;
    }
    throw new RedisFilterException(Cause.REFUSED, "the server says no time: " + reply);
  }

  /** Whether every shard is vouched for. */
  public boolean proven(GenerationView live) {
    return troubles(live, shared.proof(live)).isEmpty();
  }

  private Map<Integer, Trouble> troubles(GenerationView live, ShardProof proof) {
    shared.heard.renewAll(live);
    Link.Replies replies = shared.link.run(live.headers(), List.of(Life.ASK));
    Map<Integer, Trouble> troubles = new TreeMap<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      Trouble trouble = proof.judge(shard, replies, shard).trouble();
      if (trouble != null) {
        troubles.put(shard, trouble);
      }
    }
    return troubles;
  }

  /** Adds the bits of a shard to words. */
  public static void fill(GenerationSpec generation, int shard, byte[] bytes, HeapWords words) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long word = shard * generation.shardBlocks() * BlockedBloom.WORDS;
    if (generation.cellBits() == 1) {
      for (; in.hasRemaining(); word++) {
        words.set(word, words.get(word) | in.getLong());
      }
      return;
    }
    byte[] block = new byte[generation.blockBytes()];
    while (in.hasRemaining()) {
      in.get(block);
      for (int i = 0; i < BlockedBloom.WORDS; i++, word++) {
        words.set(word, words.get(word) | PutGroup.positive(block, i));
      }
    }
  }
}
