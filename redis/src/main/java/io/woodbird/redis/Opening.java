package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.redis.RedisEvent.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes a filter or joins one that is there. */
final class Opening {
  /*
   * Of all who open a new name at once, the first to write the record makes the shards; the others
   * wait until it is ready. If the maker dies over it, another takes its place with a generation of
   * its own birth, so that what the dead one may still do late is foreign to everybody.
   */
  private static final long MAKING_MILLIS = 10_000;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private final Link link;
  private final String name;
  private final Meta meta;
  private final String id;

  /** Whether the filter has a source: then its size may change, and what is lost can be rebuilt. */
  private final boolean sourced;

  Opening(Link link, String name, Meta meta, String id, boolean sourced) {
    this.link = link;
    this.name = name;
    this.meta = meta;
    this.id = id;
    this.sourced = sourced;
  }

  /**
   * Returns the generation that is current.
   *
   * @param wanted what to make, and what there must be
   * @param fixedSeed whether the seed must be the same too
   * @param create whether to make it if it is not there
   */
  Generation open(Generation wanted, boolean fixedSeed, boolean create) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      boolean marked = meta.run(Command.of(Command.Name.GET, meta.markKey)) != null;
      boolean makes = create && (!marked || sourced);
      Map<String, String> fields =
          Meta.fields(
              meta.eval(
                  Script.OPEN,
                  wanted.encode(),
                  id,
                  Long.toString(MAKING_MILLIS),
                  makes ? "1" : "0"));
      if (fields.isEmpty()) {
        throw absent(marked);
      }
      if (!"making".equals(fields.get("state:1"))) {
        return join(fields, wanted, fixedSeed, marked);
      }
      if (id.equals(fields.get("maker"))) {
        make(wanted, fields.get("was:1"));
      } else if (System.nanoTime() - end > 0) {
        throw new RedisFilterException(
            Cause.TIMEOUT, "filter " + name + ": another client is making it, and does not end");
      } else {
        pause();
      }
    }
  }

  private RedisFilterException absent(boolean marked) {
    return new RedisFilterException(
        Cause.DELETED,
        marked
            ? "filter "
                + name
                + ": its record "
                + Command.text(meta.key)
                + " is lost, but "
                + Command.text(meta.markKey)
                + " is there. Its keys are not made anew, as that would deny what was put; restore"
                + " the record, or delete all keys of the filter"
            : "there is no filter " + name);
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisFilterException(Cause.TIMEOUT, "interrupted");
    }
  }

  private Generation join(
      Map<String, String> fields, Generation wanted, boolean fixedSeed, boolean marked) {
    Generation found = meta.generation(fields, Meta.current(fields));
    boolean sameSize =
        found.expectedKeys() == wanted.expectedKeys()
            && found.fpp() == wanted.fpp()
            && found.layout().equals(wanted.layout());
    if ((!sourced && !sameSize)
        || found.cellBits() != wanted.cellBits()
        || !found.keyId().equals(wanted.keyId())
        || (fixedSeed && found.seed() != wanted.seed())) {
      throw new IncompatibleFilterException(
          "the filter "
              + name
              + " in Redis has other parameters\n  in Redis:  "
              + found.describe()
              + "\n  wanted:    "
              + wanted.describe());
    }
    if (!marked) {
      meta.run(
          Command.of(Command.Name.SET, meta.markKey, Command.bytes(Script.hex(found.birth()))));
    }
    return found;
  }

  private void make(Generation generation, @Nullable String was) {
    Generation old = was == null ? null : Generation.decode(generation.number(), was);
    try {
      if (sourced) {
        removeLeftOvers();
      }
      makeShards(new Live(name, generation), 0, old);
    } catch (RuntimeException e) {
      meta.eval(Script.MADE, id, "0");
      throw e;
    }
    meta.run(
        Command.of(Command.Name.SET, meta.markKey, Command.bytes(Script.hex(generation.birth()))));
    meta.eval(Script.MADE, id, "1");
  }

  /**
   * Makes the shards of a generation, each vouched for by the process that holds it.
   *
   * @param other the generation that takes every put too
   * @param old a generation whose shards may be overwritten
   */
  void makeShards(Live live, long other, @Nullable Generation old) {
    Map<String, Long> tokens = new HashMap<>();
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      byte[] key = live.keys[shard];
      String node = link.nodeOf(key);
      Long token = tokens.get(node);
      if (token == null) {
        token = Healer.newToken();
        tokens.put(node, token);
        if (Healer.loadToken(link, key, token) instanceof RedisError error) {
          throw new RedisFilterException(
              Trouble.of(error, node).cause(), "filter " + name + ": " + error.message());
        }
      }
      commands.add(
          Script.SHARD.on(
              key,
              ShardHeader.encode(live.identities[shard], token, other),
              Command.bytes(live.generation.bytesIn(shard)),
              old != null && shard < old.shards()
                  ? ShardHeader.bytes(old.identity(name, shard))
                  : new byte[0]));
    }
    List<@Nullable Object> replies = link.run(commands, null).all();
    for (int shard = 0; shard < live.shards(); shard++) {
      Object reply = replies.get(shard);
      if (reply instanceof Long) {
        continue;
      }
      remove(live, replies);
      String key = Command.text(live.keys[shard]);
      if (reply instanceof RedisError error) {
        throw new RedisFilterException(
            Trouble.of(error, key).cause(), "filter " + name + ": can't make " + error.message());
      }
      throw new RedisFilterException(
          Cause.OVERWRITTEN,
          "filter "
              + name
              + ": its record is lost, but "
              + key
              + " is there, from another filter or from before. It is not overwritten, as that would"
              + " deny what was put; delete it if it is not needed");
    }
  }

  /**
   * Removes the shards of a record that was lost. Clients that still know them would go on to
   * answer by them, and deny what is put into the new ones.
   */
  private void removeLeftOvers() {
    List<Command> commands = new ArrayList<>();
    for (String key : new Names(link).shardsOf(name)) {
      commands.add(Command.of(Command.Name.UNLINK, Command.bytes(key)));
    }
    for (Object reply : link.run(commands, null).all()) {
      if (reply instanceof RedisError error) {
        throw new RedisFilterException(
            Trouble.of(error, name).cause(),
            "filter " + name + ": what is left of a lost one can't be removed: " + error.message());
      }
    }
  }

  /** Removes the shards that were just made. */
  private void remove(Live live, List<@Nullable Object> replies) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      if (replies.get(shard) instanceof Long) {
        commands.add(Command.of(Command.Name.UNLINK, live.keys[shard]));
      }
    }
    if (!commands.isEmpty()) {
      link.run(commands, null);
    }
  }
}
