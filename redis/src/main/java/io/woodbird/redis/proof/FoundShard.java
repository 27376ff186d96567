package io.woodbird.redis.proof;

import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Link;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A shard that is there and the right one, retired or not.
 *
 * @param header as it was read
 * @param life of the server that has it, never 0: it is a master
 */
public record FoundShard(ShardHeader header, long life) {
  /** Reads a header, and behind it the reply to {@link Life#ASK}; null if it is not so. */
  public static @Nullable FoundShard of(
      GenerationView live, int shard, Link.Replies replies, int at) {
    Trouble trouble = Trouble.of(replies.all().get(at), live, shard);
    List<@Nullable Object> after = replies.after().get(at);
    Life life = Life.of(after.get(after.size() - 1));
    return (trouble == null || trouble.kind() == Trouble.Kind.RETIRED) && life.id() != 0
        ? new FoundShard(ShardHeader.decode(Shared.bytes(replies.all().get(at))), life.id())
        : null;
  }

  /** Reads the headers of all shards, in one round trip; those that are not so are left out. */
  public static Map<Integer, FoundShard> all(Link link, GenerationView live) {
    Link.Replies replies = link.run(live.headers(), List.of(Life.ASK));
    Map<Integer, FoundShard> all = new TreeMap<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      FoundShard found = of(live, shard, replies, shard);
      if (found != null) {
        all.put(shard, found);
      }
    }
    return all;
  }

  /** Whether every acknowledged put is in it. */
  public boolean well() {
    return header.whole() && header.life() == life;
  }
}
