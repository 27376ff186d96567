package io.woodbird.redis.generations;

import io.woodbird.BloomFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.RedisRebuild;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Names;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** One build of a new generation, from the lease to the swap. */
public final class Rebuild<K> {
  /** How soon a build that waits notices that it should end. */
  private static final long WAIT_NANOS = 200_000_000L;

  /** How long a put may take that does not look for builds when it is done. */
  public static final long SHORT_NANOS = 100_000_000L;

  private final Shared shared;
  private final Loads loads;
  private final KeyHasher<K> keys;
  private final RedisRebuild options;
  private final GenerationSteps generations;
  private final String id;
  private volatile boolean lost;

  public Rebuild(Shared shared, Loads loads, KeyHasher<K> keys, RedisRebuild options) {
    this.shared = shared;
    this.id = Script.hex(shared.time.random());
    this.loads = loads;
    this.keys = keys;
    this.options = options;
    this.generations = new GenerationSteps(shared);
  }

  public OptionalLong run(Filling<K> filling) throws Exception {
    shared.refreshNow(shared.current());
    GenerationView old = shared.current();
    GenerationSpec current = old.generation;
    GenerationSpec template = template(current, filling);
    Object lease =
        shared.meta.eval(
            Script.LEASE,
            id,
            options.lease().toMillis(),
            template.encode(),
            current.number(),
            current.encode());
    if (!(lease instanceof List<?> numbers)
        || !(numbers.get(0) instanceof Long number)
        || !(numbers.get(1) instanceof Long dead)) {
      return OptionalLong.empty();
    }
    GenerationView next =
        new GenerationView(shared.name, GenerationSpec.decode(number, template.encode()));
    Time.Task keeper = keeper(number);
    try {
      if (build(old, next, dead, filling)) {
        return OptionalLong.of(number);
      }
      giveUp(next);
      return OptionalLong.empty();
    } catch (Exception | Error e) {
      giveUp(next);
      throw e;
    } finally {
      keeper.stop();
    }
  }

  private GenerationSpec template(GenerationSpec old, Filling<?> filling) {
    long capacity = filling.capacity(old);
    double fpp = filling.fpp(old);
    boolean same = capacity == old.expectedKeys() && fpp == old.fpp();
    BlockedBloom layout = same ? old.layout() : BlockedBloomSize.forFpp(capacity, fpp);
    return new GenerationSpec(
        0,
        shared.time.random(),
        capacity,
        fpp,
        layout,
        old.seed(),
        old.keyId(),
        same
            ? old.shardBlocks()
            : GenerationSpec.shardBlocksFor(layout.blockCount(), old.cellBits()),
        old.cellBits(),
        false,
        old.spanMillis(),
        false);
  }

  private boolean build(GenerationView old, GenerationView next, long dead, Filling<K> filling)
      throws Exception {
    long begun = shared.time.nanoTime();
    if (dead != 0) {
      clear(dead);
    }
    if (!generations.endFor(id)) {
      throw failed("the generation before the current one can't be ended now");
    }
    long number = next.generation.number();
    boolean wasOlder = endOthers(number, filling);
    Opening opening = new Opening(shared.link, shared.time, shared.name, id, filling.sourced());
    opening.makeShards(next, old.generation.number(), over(filling), shared.time::random);
    linkOld(old, next, filling);
    long settle = filling.settle().toMillis();
    if (!settled(number, filling, wasOlder || !untouched(old) ? settle : 0)) {
      return false;
    }
    long count = load(next, filling);
    if (count < 0) {
      return false;
    }
    if (count < options.leastKeys()) {
      throw failed(
          "the source gave %s keys, fewer than the %s asked for"
              .formatted(count, options.leastKeys()));
    }
    vouch(opening, next);
    if (!generations.linked(next, old.generation.number())) {
      throw failed("the new generation was damaged while it was built");
    }
    filling.alive();
    if (!generations.linked(old, number) || !swap(old, next, count, begun)) {
      return false;
    }
    generations.retire(old, number);
    if (options.grace().isZero()) {
      generations.tidy(); // Puts do it too, but there may be none.
    }
    return true;
  }

  /** What may stand in the place of a shard, see shard.lua: the lease says whose names they are. */
  private static String over(Filling<?> filling) {
    return filling.sourced() ? "any" : "lost";
  }

  /**
   * Ends every generation that the record does not name, or that has the number of this build. Its
   * shards are left of a record that came back older, or of commands that came late or got lost.
   * Clients that know such a generation would go on to answer by it, and deny what others put.
   *
   * <p>Where there is no source, its shards may be the only copy of what was put. Then they are not
   * touched, and there is no build as long as one of them may be believed.
   *
   * @return whether there was any: the source may not show yet what was put there
   */
  private boolean endOthers(long number, Filling<K> filling) {
    Names names = new Names(shared.link);
    List<String> shards = names.shardsOf(shared.name);
    // Read after the names: whoever makes shards has named their generation in the record before.
    Map<String, String> fields = shared.meta.read();
    if (!id.equals(fields.get("lease"))) {
      throw failed("the record is lost, or another client builds");
    }
    shards.removeIf(
        key ->
            !Names.generationOf(key).equals("" + number)
                && fields.containsKey("gen:" + Names.generationOf(key)));
    if (filling.sourced()) {
      names.remove(shards);
      return !shards.isEmpty();
    }
    for (String key : shards) {
      Object header = shared.link.run(ShardHeader.get(key));
      if (header instanceof RedisError error
          && Trouble.of(error, key).kind() != Trouble.Kind.FOREIGN) {
        throw failed(key + " can't be read: " + error.message());
      }
      ShardHeader found = ShardHeader.of(header);
      if (found != null && found.whole()) {
        throw failed(
            "%s is of a generation that the record does not know, and other clients may ask it. Delete the shards of that generation if the source has its keys"
                .formatted(key));
      }
    }
    return false;
  }

  /**
   * Links the old generation to the new one. Shards that are gone are made again, so that puts can
   * go on; for a filter with a source, also those that hold something else, as the lease says that
   * their names are this filter's. They name a life that never was, and nobody vouches for them:
   * they deny nothing.
   */
  private void linkOld(GenerationView old, GenerationView next, Filling<K> filling) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < old.shards(); shard++) {
      commands.add(old.make(shard, shared.time.random(), 0, shared.time.random(), over(filling)));
    }
    for (Object reply : shared.link.run(commands)) {
      if (!(reply instanceof Long)) {
        throw failed(
            reply instanceof RedisError error
                ? "the shards of the current generation can't be reached: " + error.message()
                : "a shard of the current generation holds something else");
      }
    }
    if (!generations.link(old, next.generation.number())) {
      throw failed("a shard of the current generation is lost, or linked elsewhere");
    }
  }

  /**
   * Vouches for the new generation: it was made, linked and loaded in one life of its servers. That
   * is confirmed like a put, so that others may vouch for it in the next life.
   */
  private void vouch(Opening opening, GenerationView next) {
    shared.confirmation.check(opening.vouch(next, shared.confirmation.after()));
  }

  private boolean swap(GenerationView old, GenerationView next, long count, long begun) {
    long number = next.generation.number();
    String built = count + " " + (shared.time.nanoTime() - begun) / 1_000_000;
    RedisFilterException failure = null;
    try {
      if (shared.meta.done(
          Script.SWAP, old.generation.number(), number, id, options.grace().toMillis(), built)) {
        return true;
      }
    } catch (RedisFilterException e) {
      failure = e;
    }
    // It may have been done all the same: the reply was lost, or is that to a repeated command.
    Map<String, String> fields = shared.meta.read();
    boolean done =
        Meta.current(fields) == number
            && shared.meta.generation(fields, number).equals(next.generation);
    if (!done && failure != null) {
      throw failure;
    }
    return done;
  }

  /**
   * Whether the source shows all that was ever put: each shard is whole since its own build, and
   * has counted one load and nothing else. Of a filter that was never built nobody knows what was
   * put into a lost one before it.
   */
  private boolean untouched(GenerationView old) {
    return old.built
        && FoundShard.all(shared.link, old).stream()
            .allMatch(shard -> shard.well() && shard.header().puts() == 1);
  }

  /** Waits until all that was put before the generations were linked is visible in the source. */
  private boolean settled(long number, Filling<K> filling, long millis)
      throws InterruptedException {
    // What a put has read of the links is older when the put returns, see SourcedFilter.
    long end = shared.time.nanoTime() + (millis > 0 ? millis * 1_000_000 + SHORT_NANOS : 0);
    if (millis > 0) {
      shared.doubts.tell(
          Cause.BUILDING,
          "generation "
              + number
              + ": the source is read in "
              + Duration.ofMillis(millis)
              + ", when every row that was put before the build is visible in it");
    }
    while (true) {
      long left = end - shared.time.nanoTime();
      if (left <= 0) {
        return true;
      }
      shared.time.pause(Math.min(left, WAIT_NANOS));
      filling.alive();
      if (lost) {
        return false;
      }
    }
  }

  private RedisFilterException failed(String why) {
    return new RedisFilterException(
        Cause.REFUSED, "filter " + shared.name + ": the rebuild is given up: " + why);
  }

  /** Removes a build whose builder has died. */
  private void clear(long dead) {
    Map<String, String> fields = shared.meta.read();
    if (fields.containsKey("gen:" + dead)) {
      GenerationView shards = new GenerationView(shared.name, shared.meta.generation(fields, dead));
      drop(shards);
    }
  }

  /** Takes a build out of the record first: then no swap can come late, and it may be deleted. */
  private void drop(GenerationView build) {
    long number = build.generation.number();
    if (shared.meta.done(Script.DROP, number, id)) {
      generations.relink(shared.current(), ShardHeader.link(number, false), 0);
      generations.remove(build);
    }
  }

  private void giveUp(GenerationView next) {
    try {
      drop(next);
    } catch (RedisFilterException e) {
      shared.doubts.tell(
          e.reason(),
          "generation " + next.generation.number() + " is left over: " + e.getMessage());
    }
  }

  /** Loads the source; returns how many keys it gave, or -1 if the lease was lost. */
  private long load(GenerationView next, Filling<K> filling) throws Exception {
    GenerationSpec generation = next.generation;
    List<BloomFilter<K>> filled = new ArrayList<>(1);
    Supplier<BloomFilter<K>> heap =
        () -> {
          filled.add(
              BloomFilters.empty(
                  new FilterSpec<>(
                      keys, generation.seed(), generation.expectedKeys(), generation.fpp()),
                  generation.shape(),
                  null));
          return filled.get(0);
        };
    long count = filling.fill(generation, heap);
    if (!renewed(generation.number())) {
      return -1;
    }
    filled.forEach(filter -> loads.addTo(next, BloomFilters.wordsOf(filter)));
    return count;
  }

  /** Prolongs the lease in the background, however long the source is silent. */
  private Time.Task keeper(long number) {
    long pause = options.lease().toNanos() / 3;
    return shared.time.repeat(
        "woodbird-lease-" + shared.name,
        pause,
        () -> {
          try {
            lost = !renewed(number);
            return lost ? -1 : pause;
          } catch (RedisFilterException e) {
            return pause; // No connection for now: perhaps it comes back in time.
          }
        });
  }

  private boolean renewed(long number) {
    return shared.meta.done(Script.RENEW, id, number, options.lease().toMillis());
  }
}
