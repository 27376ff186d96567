package io.woodbird.redis.generations;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.Life;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Names;
import io.woodbird.redis.proof.ShardProof;
import io.woodbird.redis.proof.Trouble;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Makes a filter or joins one that is there. */
public final class Opening {
  /*
   * Of all clients that open a new name at once, the first to write the record makes the shards; the
   * others wait until it is ready. If the maker dies before that, another client takes its place with
   * a generation of a new birth, so that late writes of the first one are foreign to every client.
   */
  private static final long MAKING_MILLIS = 10_000;
  private static final long PATIENCE_NANOS = 30_000_000_000L;

  private final Link link;
  private final Time time;
  private final String name;
  private final Meta meta;
  private final String id;

  /** Whether the filter has a source: then its size may change, and what is lost can be rebuilt. */
  private final boolean sourced;

  public Opening(Link link, Time time, String name, String id, boolean sourced) {
    this.link = link;
    this.time = time;
    this.name = name;
    this.meta = new Meta(link, name);
    this.id = id;
    this.sourced = sourced;
  }

  /**
   * What was found.
   *
   * @param generation the one that is current
   * @param level when a put counts as done, for all clients
   */
  public record Opened(GenerationSpec generation, String level) {}

  /**
   * Returns the generation that is current.
   *
   * @param wanted what to make, and what there must be
   * @param fixedSeed whether the seed must be the same too
   * @param level the level to make it with, and that it must have; null if any will do
   * @param create whether to make it if it is not there
   */
  public Opened open(
      GenerationSpec wanted, boolean fixedSeed, @Nullable Durability level, boolean create) {
    long end = time.nanoTime() + PATIENCE_NANOS;
    boolean made = false;
    while (true) {
      Map<String, String> fields =
          Meta.fields(
              meta.eval(
                  Script.OPEN,
                  wanted.encode(),
                  id,
                  MAKING_MILLIS,
                  create && !made ? "1" : "0", // Others may have put into it: it is not made twice.
                  Meta.nameOf(level == null ? Durability.master() : level)));
      if (fields.isEmpty()) {
        throw absent();
      }
      if (!"making".equals(fields.get("state:1"))) {
        return join(fields, wanted, fixedSeed, level);
      }
      if (id.equals(fields.get("maker"))) {
        make(wanted, Meta.number(fields, "claim"));
        made = true; // For all that is known: the reply may be that to a repeated command.
      } else if (time.nanoTime() - end > 0) {
        throw new RedisFilterException(
            Cause.TIMEOUT, "filter " + name + ": another client is making it, and does not end");
      } else {
        pause();
      }
    }
  }

  private RedisFilterException absent() {
    return new RedisFilterException(
        Cause.DELETED,
        "there is no filter "
            + (name + ": " + Command.text(meta.key))
            + " is missing. If it was never made, make it with create(). If it was, it is lost:"
            + " create() makes an empty one, which denies every key until they are put again");
  }

  private void pause() {
    try {
      time.pause(20_000_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisFilterException(Cause.TIMEOUT, "interrupted");
    }
  }

  private Opened join(
      Map<String, String> fields,
      GenerationSpec wanted,
      boolean fixedSeed,
      @Nullable Durability wantedLevel) {
    GenerationSpec found = meta.generation(fields, Meta.current(fields));
    boolean sameSize =
        found.expectedKeys() == wanted.expectedKeys()
            && found.fpp() == wanted.fpp()
            && found.layout().equals(wanted.layout())
            && found.spanMillis() == wanted.spanMillis()
            && found.grows() == wanted.grows();
    if ((!sourced && !sameSize)
        || found.cellBits() != wanted.cellBits()
        || !found.keyId().equals(wanted.keyId())
        || (fixedSeed && found.seed() != wanted.seed())) {
      throw differs("other parameters", found.describe(), wanted.describe());
    }
    String level = Meta.level(fields);
    if (wantedLevel != null && !Meta.nameOf(wantedLevel).equals(level)) {
      String what = "another durability, which all its clients share";
      throw differs(what, level, Meta.nameOf(wantedLevel));
    }
    return new Opened(found, level);
  }

  private IncompatibleFilterException differs(String what, String there, String wanted) {
    return new IncompatibleFilterException(
        "the filter %s in Redis has %s\n  in Redis:  %s\n  wanted:    %s"
            .formatted(name, what, there, wanted));
  }

  /**
   * Makes generation 1.
   *
   * @param claim a number that is higher than that of each maker before: what they send late does
   *     not replace what this one makes
   */
  private void make(GenerationSpec generation, long claim) {
    try {
      GenerationView made = new GenerationView(name, generation);
      Names names = new Names(link);
      if (sourced) {
        // Clients that still know them would go on to answer by them, and deny what is put from now
        // on.
        names.remove(names.shardsOf(name));
      } else {
        refuseLeftOvers(made, names);
      }
      makeShards(made, 0, Long.toString(claim), () -> claim);
      vouch(made, List.of(Life.ASK));
    } catch (RuntimeException e) {
      if (meta.done(Script.MADE, id, "0")) {
        throw e;
      }
      return; // It took too long: another client makes it, or has made it.
    }
    meta.eval(Script.MADE, id, "1");
  }

  /** The lives of the servers that hold the shards of a generation. */
  private long[] lives(GenerationView live) {
    List<List<@Nullable Object>> after = link.run(live.headers(), List.of(Life.ASK)).after();
    long[] lives = new long[live.shards()];
    for (int shard = 0; shard < lives.length; shard++) {
      lives[shard] = Life.last(after.get(shard)).id();
      if (lives[shard] == 0) {
        throw Trouble.noMaster(after.get(shard), link.nodeOf(live.keys[shard]))
            .failure("filter " + name);
      }
    }
    return lives;
  }

  /**
   * Makes the shards of a generation. Each is marked with the life of its server as it was before,
   * and nobody vouches for it yet.
   *
   * @param other the generation that takes every put too
   * @param over what may be overwritten, see shard.lua
   */
  void makeShards(GenerationView live, long other, String over, LongSupplier births) {
    long[] lives = lives(live);
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(live.make(shard, lives[shard], other, births.getAsLong(), over));
    }
    List<@Nullable Object> replies = link.run(commands);
    for (int shard = 0; shard < live.shards(); shard++) {
      Object reply = replies.get(shard);
      if (reply instanceof Long) {
        live.lives.set(shard, lives[shard]);
        continue;
      }
      link.run(live.removals());
      String key = Command.text(live.keys[shard]);
      if (reply instanceof RedisError error) {
        throw Trouble.of(error, key).failure("filter " + name + ": can't make a shard");
      }
      throw left(key);
    }
  }

  private RedisFilterException left(String key) {
    return new RedisFilterException(
        Cause.OVERWRITTEN,
        ("filter %s: its record is lost, but %s is there, from another filter or from before."
                + " It is not overwritten, as that would deny what was put; delete it if it is not"
                + " needed")
            .formatted(name, key));
  }

  /**
   * Says that new shards hold all that was put into them since they were made: each is still what
   * was made, in the life in which it was made.
   *
   * @param after what must follow; {@link Life#ASK} comes last
   * @return what followed, for each command
   */
  public List<List<@Nullable Object>> vouch(GenerationView made, List<Command> after) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < made.shards(); shard++) {
      long life = made.lives.get(shard);
      commands.add(made.vouch(shard, life, life, false));
      commands.add(made.header(shard));
    }
    ShardProof proof = ShardProof.ofAll(made, null);
    Link.Replies replies = link.run(commands, after);
    for (int shard = 0; shard < made.shards(); shard++) {
      Trouble trouble = proof.judge(shard, replies, 2 * shard + 1).trouble();
      if (trouble != null) {
        throw trouble.failure("filter " + name + ": lost while it was made");
      }
    }
    return replies.after();
  }

  /**
   * An empty filter must not take the place of one whose record is lost, or older than its shards.
   * What a maker that died has left has no puts.
   */
  private void refuseLeftOvers(GenerationView made, Names names) {
    List<String> mine = Arrays.stream(made.keys).map(Command::text).toList();
    for (String key : names.shardsOf(name)) {
      ShardHeader header = ShardHeader.of(link.run(ShardHeader.get(key)));
      boolean unused = mine.contains(key) && header != null && header.puts() == 0;
      if (!unused && !key.endsWith(":log")) {
        throw left(key);
      }
    }
  }
}
