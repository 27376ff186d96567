package io.woodbird.redis.proof;

import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import org.jspecify.annotations.Nullable;

/** What is known of the shards of a generation before they are asked: by it replies are judged. */
public final class ShardProof {
  private final GenerationView live;
  private final @Nullable Heard heard;
  private final long[] lives;
  private final long[] puts;

  /**
   * Expects no shard to be whole yet.
   *
   * @param heard tells of replicas; null if replies count that may be those of a former master
   */
  public ShardProof(GenerationView live, @Nullable Heard heard) {
    this.live = live;
    this.heard = heard;
    this.lives = new long[live.shards()];
    this.puts = new long[live.shards()];
  }

  /** Expects what this client knows of all shards now. */
  public static ShardProof ofAll(GenerationView live, @Nullable Heard heard) {
    ShardProof proof = new ShardProof(live, heard);
    for (int shard = 0; shard < live.shards(); shard++) {
      proof.expect(shard);
    }
    return proof;
  }

  /** Expects what this client knows of a shard now. */
  public void expect(int shard) {
    expect(shard, live.lives.get(shard), live.puts.get(shard));
  }

  /**
   * Expects a shard to be whole.
   *
   * @param life the one in which it is
   * @param leastPuts what was seen before
   */
  public void expect(int shard, long life, long leastPuts) {
    lives[shard] = life;
    puts[shard] = leastPuts;
  }

  /** The life in which a shard is expected. */
  public long life(int shard) {
    return lives[shard];
  }

  /**
   * Judges whether a shard proves what was read before its header, on the same connection.
   *
   * @param at where the reply with the header is; the last one behind it is to {@link Life#ASK}
   * @return without trouble if every acknowledged put is there
   */
  public FoundShard judge(int shard, Link.Replies replies, int at) {
    FoundShard found = FoundShard.of(live, shard, replies, at);
    return found.trouble() != null
        ? found
        : new FoundShard(found.header(), found.life(), judge(shard, found.header(), found.life()));
  }

  private @Nullable Trouble judge(int shard, ShardHeader header, Life life) {
    String key = Command.text(live.keys[shard]);
    if (header.life() != life.id() || !header.whole()) {
      return new Trouble(
          Trouble.Kind.DOUBT,
          Cause.RESTARTED,
          key
              + " was last known to be whole in another life of its server; it may lack puts that"
              + " were acknowledged");
    }
    if (lives[shard] != life.id()) {
      return new Trouble(Trouble.Kind.NEW_LIFE, Cause.RESTARTED, key + " lives on another server");
    }
    if (header.puts() < puts[shard]) {
      return new Trouble(
          Trouble.Kind.DOUBT,
          Cause.ROLLED_BACK,
          "%s has seen %s puts, but it had seen %s before"
              .formatted(key, header.puts(), puts[shard]));
    }
    if (heard == null) {
      return null;
    }
    if (life.replicas() < heard.replicas()) {
      return new Trouble(
          Trouble.Kind.LINK,
          Cause.NOT_DURABLE,
          "%s: its master hears of %s replicas, fewer than the %s asked for; another may be the master now"
              .formatted(key, life.replicas(), heard.replicas()));
    }
    if (!heard.holds(life.id())) {
      return new Trouble(
          Trouble.Kind.UNHEARD,
          Cause.NOT_DURABLE,
          "%s: %s replicas have not confirmed a write in the last seconds; another may be the master now"
              .formatted(key, heard.replicas()));
    }
    return null;
  }
}
