package io.woodbird.redis.proof;

import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a shard.
 *
 * @param header empty if it can't be read
 * @param life of the server that has it
 * @param trouble null if it is the right shard, on a master, and not retired
 */
public record FoundShard(ShardHeader header, Life life, @Nullable Trouble trouble) {
  /** Reads a header, and behind it the reply to {@link Life#ASK}. */
  public static FoundShard of(GenerationView live, int shard, Link.Replies replies, int at) {
    Object reply = replies.all().get(at);
    Life life = Life.last(replies.after().get(at));
    Trouble trouble = Trouble.of(reply, live, shard);
    if (life.id() == 0 && isThere(trouble)) {
      trouble = Trouble.noMaster(replies.after().get(at), Command.text(live.keys[shard]));
    }
    ShardHeader header = ShardHeader.of(reply);
    return new FoundShard(header == null ? ShardHeader.NONE : header, life, trouble);
  }

  /** Nothing was read. */
  public static FoundShard lost(Trouble trouble) {
    return new FoundShard(ShardHeader.NONE, Life.NONE, trouble);
  }

  /** Reads the headers of all shards, in one round trip. */
  public static List<FoundShard> all(Link link, GenerationView live) {
    Link.Replies replies = link.run(live.headers(), List.of(Life.ASK));
    List<FoundShard> all = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      all.add(of(live, shard, replies, shard));
    }
    return all;
  }

  private static boolean isThere(@Nullable Trouble trouble) {
    return trouble == null
        || switch (trouble.kind()) {
          case LINK, GONE, FOREIGN -> false;
          case DOUBT, NEW_LIFE, GROWN, UNHEARD, RETIRED -> true;
        };
  }

  /** Whether it is the right shard, on a master. */
  public boolean isThere() {
    return isThere(trouble);
  }

  /** Whether every acknowledged put is in it. */
  public boolean well() {
    return isThere() && header.whole() && header.life() == life.id();
  }
}
