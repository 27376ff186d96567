package io.woodbird.redis.proof;

import io.woodbird.redis.RedisHealth;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks after a filter: how it is, and what endangers it. */
public final class Checkup {
  private final Shared shared;

  public Checkup(Shared shared) {
    this.shared = shared;
  }

  public RedisHealth health(long nearLagMillis) {
    GenerationView live = shared.current();
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(live.header(shard));
      commands.add(Command.of(Command.Name.PTTL, live.keys[shard]));
    }
    Link.Replies replies = shared.link.run(commands, List.of(Life.ASK));
    Set<String> risks = new HashSet<>();
    boolean well = true;
    long bytes = 0;
    for (int shard = 0; shard < live.shards(); shard++) {
      Trouble trouble =
          Trouble.of(
              replies.all().get(2 * shard),
              replies.after().get(2 * shard),
              live,
              shard,
              live.lives.get(shard),
              0,
              shared.durability.replicas());
      if (trouble != null && trouble.kind() != Trouble.Kind.NEW_LIFE) {
        well = false;
        shared.doubts.note(Command.text(live.keys[shard]), trouble);
      }
      if (replies.all().get(2 * shard + 1) instanceof Long left && left >= 0) {
        risks.add("keys of the filter have a time to live: it will be lost when they expire");
      }
      boolean readable =
          replies.all().get(2 * shard) instanceof byte[] value && ShardHeader.isMagic(value);
      int levels =
          readable
              ? ShardHeader.decode(Shared.bytes(replies.all().get(2 * shard))).levels()
              : live.levels();
      bytes += live.generation.bytesIn(shard, levels);
    }
    risks.addAll(risks());
    return new RedisHealth(
        well,
        live.generation.number(),
        live.shards(),
        bytes,
        replicaLag(),
        nearLagMillis,
        shared.doubts.lines(),
        List.copyOf(risks));
  }

  /** What the set-up of the servers may do to a filter. */
  public Set<String> risks() {
    Set<String> risks = new HashSet<>();
    for (Object reply :
        shared.link.everywhere(Command.keyless(Command.Name.CONFIG, "GET", "maxmemory*"))) {
      Map<String, String> settings = Meta.fields(reply);
      String policy = settings.getOrDefault("maxmemory-policy", "");
      if (policy.startsWith("allkeys-")) {
        risks.add(
            "maxmemory-policy is "
                + policy
                + ": the server may evict the filter; noeviction or volatile-* keep it");
      }
    }
    return risks;
  }

  private long replicaLag() {
    long most = -1;
    for (Object reply : shared.link.everywhere(Command.keyless(Command.Name.INFO, "replication"))) {
      if (reply instanceof byte[] bytes) {
        String info = Command.text(bytes);
        String offset = Diagnosis.field(info, "master_repl_offset");
        for (int replica = 0; ; replica++) {
          String line = Diagnosis.field(info, "slave" + replica);
          if (line.isEmpty()) {
            break;
          }
          int at = line.indexOf("offset=") + "offset=".length();
          String its = line.substring(at).replaceAll("[^0-9].*", "");
          if (offset.matches("[0-9]+") && !its.isEmpty()) {
            most = Math.max(most, Long.parseLong(offset) - Long.parseLong(its));
          }
        }
      }
    }
    return most;
  }
}
