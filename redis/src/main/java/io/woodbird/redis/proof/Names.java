package io.woodbird.redis.proof;

import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Slots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Looks through the names of all keys on all masters, without holding a server up. */
public final class Names {
  private static final String META = "wbird:meta:";
  private static final Pattern SHARD = Pattern.compile("[0-9]+:([0-9]+|log)");
  private static final String AT_ONCE = "10000";

  private final Link link;

  public Names(Link link) {
    this.link = link;
  }

  /** The names of all filters. */
  public List<String> filters() {
    TreeSet<String> names = new TreeSet<>();
    for (String key : matching(META + "*")) {
      names.add(key.substring(META.length()));
    }
    return List.copyOf(names);
  }

  /** All shards and logs of a filter, of whatever generation. */
  public List<String> shardsOf(String filter) {
    List<String> shards = new ArrayList<>();
    for (String key : matching("wbird:{*")) {
      int end = key.indexOf("}:");
      String rest = end < 0 ? "" : key.substring(end + 2);
      if (rest.startsWith(filter + ":")
          && SHARD.matcher(rest.substring(filter.length() + 1)).matches()) {
        shards.add(key);
      }
    }
    return shards;
  }

  /** The number in the name of a shard or a log. */
  public static String generationOf(String shard) {
    int end = shard.lastIndexOf(':');
    return shard.substring(shard.lastIndexOf(':', end - 1) + 1, end);
  }

  /** Deletes shards and logs, or throws. */
  public void remove(List<String> shards) {
    List<Command> commands = new ArrayList<>();
    for (String key : shards) {
      commands.add(Command.of(Command.Name.UNLINK, Command.bytes(key)));
    }
    for (Object reply : link.run(commands)) {
      if (reply instanceof RedisError error) {
        throw Trouble.of(error, "" + shards)
            .failure("what is left of a lost generation can't be removed");
      }
    }
  }

  private List<String> matching(String pattern) {
    List<String> found = new ArrayList<>();
    Set<Long> lives = new HashSet<>();
    for (byte[] key : onePerMaster().values()) {
      String cursor = "0";
      long life = 0;
      do {
        Command scan =
            Command.keyless(Command.Name.SCAN, cursor, "MATCH", pattern, "COUNT", AT_ONCE);
        Link.Replies replies =
            link.run(List.of(Command.getRange(key, 0, 0)), List.of(scan, Life.ASK));
        Object reply = replies.after().get(0).get(0);
        long now = Life.last(replies.after().get(0)).id();
        if (reply instanceof RedisError error) {
          throw Trouble.of(error, Command.text(key)).failure("the keys can't be listed");
        }
        if (!(reply instanceof List<?> page)
            || !(page.get(0) instanceof byte[] next)
            || !(page.get(1) instanceof List<?> keys)) {
          throw new IllegalStateException("not a page of keys: " + reply);
        }
        for (Object one : keys) {
          found.add(one instanceof byte[] bytes ? Command.text(bytes) : "" + one);
        }
        if (link.cluster() && (now == 0 || (life != now && (life != 0 || !lives.add(now))))) {
          // While a slot moves, or after a failover, another server may have answered.
          throw new RedisFilterException(
              Cause.UNREACHABLE, "the keys can't be listed while slots or masters change");
        }
        life = now;
        cursor = Command.text(next);
      } while (!cursor.equals("0"));
    }
    return found;
  }

  /** For each master, a key that it owns. */
  private Map<String, byte[]> onePerMaster() {
    link.relearn(); // A master that came since is met by no key that was asked for before.
    Map<String, byte[]> keys = new LinkedHashMap<>();
    int slots = link.cluster() ? Slots.COUNT : 1;
    String last = null;
    for (int slot = 0; slot < slots; slot = link.nextRun(slot)) {
      String node = link.nodeOf(slot);
      if (node.equals(Link.UNKNOWN)) {
        throw new RedisFilterException(
            Cause.UNREACHABLE, "the keys can't be listed: slot " + slot + " has no master");
      }
      // Most slots have the node of the slot before.
      if (!node.equals(last) && !keys.containsKey(node)) {
        keys.put(node, Command.bytes("wbird:{" + Slots.tag(slot, slots) + "}"));
      }
      last = node;
    }
    return keys;
  }
}
