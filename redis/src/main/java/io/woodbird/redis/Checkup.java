package io.woodbird.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks after a filter: what endangers it, and whether a writer may leave. */
final class Checkup {
  private final Shared shared;

  Checkup(Shared shared) {
    this.shared = shared;
  }

  RedisHealth health(long nearLagMillis) {
    Live live = shared.current();
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(live.header(shard));
      commands.add(Command.of(Command.Name.PTTL, live.keys[shard]));
    }
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    Set<String> risks = new HashSet<>();
    boolean well = true;
    long bytes = 0;
    for (int shard = 0; shard < live.shards(); shard++) {
      Object header = replies.get(2 * shard);
      Trouble trouble = Trouble.of(header, live, shard, live.tokens.get(shard), 0);
      if (trouble != null && live.tokens.get(shard) == 0) {
        // It was never seen by this client: perhaps it is not there.
        Object plain = shared.link.run(live.plainHeader(shard));
        Trouble seen = Trouble.of(plain, live, shard, 0, 0);
        trouble = seen == null ? trouble : seen;
      }
      if (trouble != null && trouble.kind() != Trouble.Kind.TOKEN) {
        well = false;
        shared.doubts.note(Command.text(live.keys[shard]), trouble);
      }
      if (replies.get(2 * shard + 1) instanceof Long left && left >= 0) {
        risks.add("keys of the filter have a time to live: it will be lost when they expire");
      }
      bytes += live.generation.bytesIn(shard);
    }
    risks.addAll(risks());
    int writers = 0;
    Map<String, String> fields = shared.meta.read();
    for (String field : fields.keySet()) {
      writers += field.startsWith("writer:" + live.generation.number() + ":") ? 1 : 0;
    }
    return new RedisHealth(
        well,
        live.generation.number(),
        live.shards(),
        bytes,
        writers,
        replicaLag(),
        nearLagMillis,
        shared.doubts.lines(),
        List.copyOf(risks));
  }

  /** What the set-up of the servers may do to a filter. */
  Set<String> risks() {
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

  /** Takes a writer out of the record, if more than the master is known to hold its puts. */
  void leave(Set<Long> generations) {
    for (long number : generations) {
      if (number != shared.current().generation.number() || !safe(shared.current())) {
        continue;
      }
      shared.link.run(
          Command.of(
              Command.Name.HDEL,
              shared.meta.key,
              Command.bytes("writer:" + number + ":" + shared.id)));
    }
  }

  private boolean safe(Live live) {
    if (replicaLag() < 0) {
      return false; // No replica: nothing to wait for.
    }
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      // A write on this connection, so that WAIT has something to wait for: it comes after all
      // puts.
      commands.add(PutGroup.touch(live.keys[shard]));
    }
    Link.Replies replies =
        shared.link.run(commands, Command.keyless(Command.Name.WAIT, "1", "500"));
    for (int shard = 0; shard < live.shards(); shard++) {
      boolean right =
          replies.all().get(shard) instanceof List<?> list
              && list.get(0) instanceof Long identity
              && identity == live.identities[shard];
      if (!right) {
        shared.link.run(Script.SWEEP.on(live.keys[shard]));
        return false;
      }
    }
    return !replies.proofs().isEmpty()
        && replies.proofs().stream().allMatch(p -> p instanceof Long count && count >= 1);
  }
}
