package io.woodbird.redis.proof;

import io.woodbird.redis.RedisHealth;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Looks after a filter: how it is, and what endangers it. */
public final class Checkup {
  private static final Command POLICY = Command.keyless(Command.Name.CONFIG, "GET", "maxmemory*");
  private static final Pattern OFFSET =
      Pattern.compile("\\n(?:slave[0-9]+:.*offset=|master_repl_offset:)([0-9]{1,18})");

  private Checkup() {}

  public static RedisHealth health(Shared shared, long nearLagMillis) {
    GenerationView live = shared.current();
    ShardProof proof = shared.proof(live);
    shared.heard.renewAll(live);
    List<Command> commands = live.headers();
    for (byte[] key : live.keys) {
      commands.add(Command.of(Command.Name.PTTL, key));
    }
    Link.Replies replies = shared.link.run(commands, List.of(POLICY, Life.ASK));
    Set<String> risks = risks(replies);
    boolean well = true;
    long bytes = 0;
    long lag = -1;
    for (int shard = 0; shard < live.shards(); shard++) {
      FoundShard found = proof.judge(shard, replies, shard);
      Trouble trouble = found.trouble();
      if (trouble != null && trouble.kind() != Trouble.Kind.NEW_LIFE) {
        well = false;
        shared.doubts.note(Command.text(live.keys[shard]), trouble);
      }
      if (replies.all().get(live.shards() + shard) instanceof Long left && left >= 0) {
        risks.add("keys of the filter have a time to live: it will be lost when they expire");
      }
      int levels = found.isThere() ? found.header().levels() : live.levels();
      bytes += live.generation.bytesIn(shard, levels);
      lag = Math.max(lag, replicaLag(replies.after().get(shard).get(1)));
    }
    return new RedisHealth(
        well,
        live.generation.number(),
        live.shards(),
        bytes,
        lag,
        nearLagMillis,
        shared.doubts.lines(),
        List.copyOf(risks));
  }

  /** What the set-up of the servers may do to a filter. */
  public static Set<String> risks(Shared shared) {
    return risks(shared.link.run(shared.current().headers(), List.of(POLICY)));
  }

  private static Set<String> risks(Link.Replies replies) {
    Set<String> risks = new TreeSet<>();
    for (List<@Nullable Object> server : replies.after()) {
      String policy = Meta.fields(server.get(0)).getOrDefault("maxmemory-policy", "");
      if (policy.startsWith("allkeys-")) {
        risks.add(
            "maxmemory-policy is %s: the server may evict the filter; noeviction or volatile-* keep it"
                .formatted(policy));
      }
    }
    return risks;
  }

  /** By how many bytes the slowest replica is behind its master, whose offset comes last. */
  private static long replicaLag(@Nullable Object info) {
    long slowest = Long.MAX_VALUE;
    long last = Long.MAX_VALUE;
    Matcher offsets = OFFSET.matcher(info instanceof byte[] text ? Command.text(text) : "");
    while (offsets.find()) {
      slowest = Math.min(slowest, last);
      last = Long.parseLong(offsets.group(1));
    }
    return slowest == Long.MAX_VALUE ? -1 : last - slowest;
  }
}
