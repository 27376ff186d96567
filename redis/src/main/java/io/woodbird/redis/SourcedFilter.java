package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.redis.generations.Filling;
import io.woodbird.redis.generations.GenerationSteps;
import io.woodbird.redis.generations.Rebuild;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.CircuitBreaker;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Shared;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter in Redis that is built from a source, and can therefore be made again when it is lost.
 */
final class SourcedFilter<K> extends RedisWords<K> implements SharedFilter<K> {
  /*
   * The first generation is hollow: it takes puts, which go into the generation being built too,
   * and denies nothing. It has room for one key, as its bits are of no use.
   *
   * When the record is lost, or shards that no build can be linked to, the filter is made again, and
   * begins hollow. The client that makes it first removes all shards of that name. So clients of the
   * old filter find them gone, look at the record, and go on with the new one.
   */
  private static final RedisRebuild OPTIONS =
      new RedisRebuild(Duration.ofSeconds(30), Duration.ofMinutes(10), 0);

  private final Supplier<Shared> open;
  private final double fpp;
  private final Runnable lost;
  private final CircuitBreaker rest;

  SourcedFilter(
      WoodbirdRedis redis,
      String name,
      RedisStore.Choices choices,
      GenerationStore.Plan<K> plan,
      Runnable lost) {
    this(redis, () -> open(redis, name, choices, plan), plan, choices.nearLag(), lost);
  }

  private SourcedFilter(
      WoodbirdRedis redis,
      Supplier<Shared> open,
      GenerationStore.Plan<K> plan,
      @Nullable Duration nearLag,
      Runnable lost) {
    super(open.get(), plan.keys(), nearLag);
    this.open = open;
    this.fpp = plan.fpp();
    this.lost = lost;
    this.rest = new CircuitBreaker(redis.time(), redis.timeout().toNanos() / 2);
  }

  private static Shared open(
      WoodbirdRedis redis, String name, RedisStore.Choices choices, GenerationStore.Plan<?> plan) {
    GenerationSpec hollow =
        GenerationSpec.bloom(redis.time(), 1, plan.fpp(), plan.seed(), plan.keys().id(), true);
    return redis.open(name, hollow, true, true, choices.durability(), true);
  }

  @Override
  public Optional<Generation> generation() {
    GenerationSpec current = shared.current().generation;
    Meta.Built built = Meta.built(shared.record(), current.number());
    return built == null
        ? Optional.empty()
        : Optional.of(
            new Generation(
                current.number(),
                built.keys(),
                0,
                current.expectedKeys(),
                Instant.ofEpochMilli(built.atMillis()),
                Duration.ofMillis(built.tookMillis())));
  }

  @Override
  public Seen look() {
    Meta.Now now = shared.meta.now();
    if (!isMine(now.fields())) {
      shared.become(open.get());
    } else {
      shared.refreshNow(shared.current());
      if (shared.record().containsKey("previous")) {
        new GenerationSteps(shared).tidy(); // Puts do it too, but there may be none.
      }
    }
    Generation generation = generation().orElse(null);
    Duration age =
        generation == null
            ? Duration.ZERO
            // If it was built in the future, a clock was ahead, and it is not to stay for so long.
            : Duration.ofMillis(Math.abs(now.millis() - generation.builtAt().toEpochMilli()));
    return new Seen(generation, age, generation != null && whole());
  }

  /** Whether the record is there, and knows the generation that this client asks. */
  private boolean isMine(Map<String, String> fields) {
    GenerationSpec mine = shared.current().generation;
    String text = fields.get("gen:" + mine.number());
    if (text == null) {
      // It has ended, or the filter was made again; then the numbers begin again too.
      return Meta.current(fields) > mine.number();
    }
    return GenerationSpec.decode(mine.number(), text).birth() == mine.birth();
  }

  /** Whether all shards can be proven. */
  private boolean whole() {
    GenerationView live = shared.current();
    if (loads.proven(live)) {
      return true;
    }
    shared.readLives(live);
    return loads.proven(live);
  }

  @Override
  public Optional<Generation> rebuild(Building<K> building) throws Exception {
    look();
    requireOpen();
    OptionalLong number =
        new Rebuild<>(shared, loads, keys, OPTIONS).run(new BuildingFilling<>(fpp, building));
    return number.isEmpty() ? Optional.empty() : generation();
  }

  /** What a build of {@code RebuildingFilter} puts. */
  private record BuildingFilling<K>(double promised, Building<K> building) implements Filling<K> {
    @Override
    public long capacity(GenerationSpec old) {
      return building.capacity();
    }

    @Override
    public double fpp(GenerationSpec old) {
      return promised;
    }

    @Override
    public Duration settle() {
      return building.settle();
    }

    @Override
    public void alive() {
      building.alive();
    }

    @Override
    public boolean sourced() {
      return true;
    }

    @Override
    public long fill(GenerationSpec generation, Supplier<BloomFilter<K>> heap) throws Exception {
      return building.fill(generation.number(), heap.get());
    }
  }

  @Override
  public Optional<Generation> rollBack() {
    requireOpen();
    return new GenerationSteps(shared).rollBack() ? generation() : Optional.empty();
  }

  /** Asks for a build if data was lost. Nearly free while all is well. */
  private void noteLoss() {
    if (shared.doubts.lost()) {
      lost.run();
    }
  }

  @Override
  CompletableFuture<Answer[]> answers(Steps steps, long[] hashes, int count) {
    if (rest.isOn()) {
      return CompletableFuture.completedFuture(unknown(count));
    }
    long began = shared.time.nanoTime();
    return super.answers(steps, hashes, count)
        .thenApply(
            answers -> {
              List<Answer> all = Arrays.asList(answers);
              rest.note(all.stream().anyMatch(answer -> answer != Answer.UNKNOWN), began);
              if (all.contains(Answer.UNKNOWN)) {
                noteLoss();
              }
              return answers;
            });
  }

  @Override
  public CompletableFuture<Answer> askAsync(K key) {
    return async().ask(key).toCompletableFuture();
  }

  /** What is new can't be said before the first build, nor while another generation comes. */
  @Override
  CompletableFuture<Integer> put(Steps steps, long[] hashes, int count) {
    return count > CHUNK
        ? putEverywhere(steps, hashes, count)
        : shared.link.asOneCall(() -> putEverywhere(steps, hashes, count));
  }

  private CompletableFuture<Integer> putEverywhere(Steps steps, long[] hashes, int count) {
    long birth = shared.current().generation.birth();
    boolean built = generation().isPresent();
    long began = shared.time.nanoTime();
    return super.put(steps, hashes, count)
        .thenCompose(
            fresh ->
                shared.time.nanoTime() - began < Rebuild.SHORT_NANOS
                    ? CompletableFuture.completedFuture(fresh)
                    : steps.later(
                        () -> {
                          putIntoBuilds(hashes, count, Set.of(birth));
                          return fresh;
                        }))
        .whenComplete(
            (fresh, failed) -> {
              if (failed != null) {
                noteLoss();
              }
            })
        // Else the filter was made again meanwhile, perhaps, and what was put before is not in it.
        .thenApply(fresh -> built && shared.current().generation.birth() == birth ? fresh : 0);
  }

  /**
   * Puts hashes again if a generation has begun to take puts since they were put. It may lack the
   * first of them, and its builder waits for their rows from then on, not from the return of this
   * put.
   *
   * @param births of the generations that have all of them
   */
  private void putIntoBuilds(long[] hashes, int count, Set<Long> births) {
    Set<Long> reached = births;
    for (Set<Long> now = takers(); !reached.containsAll(now); now = takers()) {
      reached = now;
      Link.joined(super.put(shared.now, hashes, count));
    }
  }

  /** The births of the generation that is asked, and of one that takes puts to replace it. */
  private Set<Long> takers() {
    Map<String, String> fields = shared.meta.read();
    GenerationView current = shared.live(fields, Meta.current(fields));
    long next = Meta.number(fields, "next");
    return next != 0 && new GenerationSteps(shared).linked(current, next)
        ? Set.of(current.generation.birth(), shared.live(fields, next).generation.birth())
        : Set.of(current.generation.birth());
  }

  @Override
  public CompletableFuture<Integer> putHashesAsync(long[] hashes) {
    return async().putHashes(hashes);
  }

  @Override
  public boolean isClosed() {
    return closed;
  }
}
