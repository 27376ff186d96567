package io.woodbird.redis;

import io.woodbird.redis.link.Command;
import io.woodbird.redis.layout.Counters;
import io.woodbird.redis.layout.Generation;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A counting Bloom filter in Redis: all but removing is as without counters. */
final class RedisCounting<K> implements RedisDeletableFilter<K> {
  private static final int ATTEMPTS = 4;

  private final RedisBloom<K> bloom;
  private final Shared shared;

  RedisCounting(RedisBloom<K> bloom, Shared shared) {
    this.bloom = bloom;
    this.shared = shared;
  }

  @Override
  public boolean removeHash(long hash) {
    bloom.requireOpen();
    GenerationView live = shared.current();
    Generation generation = live.generation;
    long block = BlockedBloom.block(hash, generation.layout().blockCount());
    int shard = generation.shardOf(block);
    List<byte[]> positions = positions(generation, hash, block);
    byte[] call =
        Command.bytes(Command.text(live.keys[shard]) + ":call:" + Script.hex(shared.time.random()));
    Object reply = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long life = live.lives.get(shard);
      List<byte[]> arguments = new ArrayList<>();
      arguments.add(ShardHeader.bytes(life));
      arguments.add(Command.bytes(Script.hex(life)));
      arguments.add(call);
      arguments.addAll(positions);
      reply = shared.link.run(live.script(Script.REMOVE, shard, arguments.toArray(byte[][]::new)));
      if (reply instanceof Long done && done >= 0) {
        return done == 1;
      }
      // Heals, or learns who vouches now, if that can be.
      if (bloom.askHash(hash) == Answer.UNKNOWN) {
        break;
      }
    }
    Trouble trouble =
        reply instanceof RedisError error
            ? Trouble.of(error, Command.text(live.keys[shard]))
            : new Trouble(Trouble.Kind.FOREIGN, Cause.OVERWRITTEN, "its shard is lost or in doubt");
    throw new RedisFilterException(
        trouble.cause(),
        "filter " + shared.name + ": the removal is not known to be done: " + trouble.message());
  }

  private static List<byte[]> positions(Generation generation, long hash, long block) {
    long[] words = new long[BlockedBloom.WORDS];
    generation.layout().addTo(words, hash);
    List<byte[]> positions = new ArrayList<>();
    for (int word = 0; word < words.length; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        int bit = Long.numberOfTrailingZeros(rest);
        positions.add(Counters.position(generation.offsetOf(block), word, bit));
      }
    }
    return positions;
  }

  @Override
  public Answer ask(K key) {
    return bloom.ask(key);
  }

  @Override
  public long hashOf(K key) {
    return bloom.hashOf(key);
  }

  @Override
  public long hashOfLong(long key) {
    return bloom.hashOfLong(key);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return bloom.mightContainHash(hash);
  }

  @Override
  public List<K> candidates(Collection<? extends K> keys) {
    return bloom.candidates(keys);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    return bloom.candidates(hashes, count, selected);
  }

  @Override
  public boolean putHash(long hash) {
    return bloom.putHash(hash);
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    return bloom.putHashes(hashes, count);
  }

  @Override
  public long putAll(Collection<? extends K> keys) {
    return bloom.putAll(keys);
  }

  @Override
  public FilterStats stats() {
    return bloom.stats();
  }

  @Override
  public long sizeInBytes() {
    return bloom.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    bloom.save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    bloom.writeTo(out);
  }

  @Override
  public void trust() {
    bloom.trust();
  }

  @Override
  public RedisHealth health() {
    return bloom.health();
  }

  @Override
  public void close() {
    bloom.close();
  }

  @Override
  public String toString() {
    return bloom.toString();
  }
}
