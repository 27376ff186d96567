package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.redis.generations.Filling;
import io.woodbird.redis.generations.GenerationSteps;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.link.CircuitBreaker;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Shared;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter in Redis that is built from a source, and can therefore be made again when it is lost.
 */
final class SourcedFilter<K> implements SharedFilter<K> {
  /*
   * The first generation is hollow: it takes puts, which go into the generation being built too,
   * and denies nothing. It has room for one key, as its bits are of no use.
   *
   * When the record is lost, or shards that no build can be linked to, the filter is made again, and
   * begins hollow. The client that makes it first removes all shards of that name. So clients of the
   * old filter find them gone, look at the record, and open the new one.
   */
  private static final RedisRebuild OPTIONS =
      new RedisRebuild(Duration.ofSeconds(30), Duration.ofMinutes(10), 0);

  private final WoodbirdRedis redis;
  private final String name;
  private final RedisStore.Choices choices;
  private final GenerationStore.Plan<K> plan;
  private final Runnable lost;
  private final CircuitBreaker rest;
  private volatile RedisBloom<K> bloom;
  private volatile boolean closed;

  SourcedFilter(
      WoodbirdRedis redis,
      String name,
      RedisStore.Choices choices,
      GenerationStore.Plan<K> plan,
      Runnable lost) {
    this.redis = redis;
    this.name = name;
    this.choices = choices;
    this.plan = plan;
    this.lost = lost;
    this.rest = new CircuitBreaker(redis.time(), redis.timeout().toNanos() / 2);
    this.bloom = open();
  }

  private RedisBloom<K> open() {
    GenerationSpec hollow =
        GenerationSpec.bloom(redis.time(), 1, plan.fpp(), plan.seed(), plan.keys().id(), true);
    Shared shared = redis.open(name, hollow, true, true, choices.durability(), true);
    return new RedisBloom<>(shared, plan.keys(), choices.nearLag());
  }

  @Override
  public Optional<Generation> generation() {
    Shared shared = bloom.shared;
    return Optional.ofNullable(generation(shared.record(), shared.current().generation));
  }

  private static @Nullable Generation generation(
      Map<String, String> fields, GenerationSpec current) {
    Meta.Built built = Meta.built(fields, current.number());
    return built == null
        ? null
        : new Generation(
            current.number(),
            built.keys(),
            0,
            current.expectedKeys(),
            Instant.ofEpochMilli(built.atMillis()),
            Duration.ofMillis(built.tookMillis()));
  }

  @Override
  public List<String> doubts() {
    return bloom.doubts();
  }

  @Override
  public Seen look() {
    Shared shared = bloom.shared;
    Meta.Now now = shared.meta.now();
    if (!isMine(now.fields())) {
      RedisBloom<K> old = bloom;
      bloom = open();
      old.endCopy();
      if (closed) { // Meanwhile: who closed it did not see the new one, which has a thread.
        bloom.close();
      }
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
    return new Seen(generation, age, generation != null && bloom.whole());
  }

  /** Whether the record is there, and knows the generation that this client asks. */
  private boolean isMine(Map<String, String> fields) {
    GenerationSpec mine = bloom.shared.current().generation;
    String text = fields.get("gen:" + mine.number());
    if (text == null) {
      // It has ended, or the filter was made again; then the numbers begin again too.
      return Meta.current(fields) > mine.number();
    }
    return GenerationSpec.decode(mine.number(), text).birth() == mine.birth();
  }

  @Override
  public Optional<Generation> rebuild(Building<K> building) throws Exception {
    look();
    OptionalLong number = bloom.rebuild(new BuildingFilling<>(plan.fpp(), building), OPTIONS);
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
    return bloom.rollBack() ? generation() : Optional.empty();
  }

  /** Asks for a build if data was lost. Nearly free while all is well. */
  private void noteLoss() {
    if (bloom.shared.doubts.lost()) {
      lost.run();
    }
  }

  @Override
  public Answer ask(K key) {
    return askHash(hashOf(key));
  }

  private Answer askHash(long hash) {
    if (rest.isOn()) {
      return Answer.UNKNOWN;
    }
    long began = redis.time().nanoTime();
    return noted(bloom.askHash(hash), began);
  }

  @Override
  public CompletableFuture<Answer> askAsync(K key) {
    if (rest.isOn()) {
      return CompletableFuture.completedFuture(Answer.UNKNOWN);
    }
    long began = redis.time().nanoTime();
    return bloom.async().ask(key).thenApply(answer -> noted(answer, began)).toCompletableFuture();
  }

  private Answer noted(Answer answer, long began) {
    rest.note(answer != Answer.UNKNOWN, began);
    if (answer == Answer.UNKNOWN) {
      noteLoss();
    }
    return answer;
  }

  @Override
  public long hashOf(K key) {
    return bloom.hashOf(key);
  }

  @Override
  public long hashOfLong(long key) {
    return bloom.hashOfLong(key);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return askHash(hash) != Answer.NOT_HERE;
  }

  @Override
  public List<K> candidates(Collection<? extends K> all) {
    List<K> copy = List.copyOf(all);
    return RedisWords.select(this, copy, bloom.hashes(copy));
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    Objects.checkFromIndexSize(0, count, selected.length);
    if (rest.isOn()) {
      for (int i = 0; i < count; i++) {
        selected[i] = i;
      }
      return count;
    }
    long began = redis.time().nanoTime();
    int kept = bloom.candidates(hashes, count, selected);
    rest.note(kept < count, began);
    noteLoss();
    return kept;
  }

  @Override
  public boolean putHash(long hash) {
    return putHashes(new long[] {hash}, 1) == 1;
  }

  /** What is new can't be said before the first build, nor while another generation comes. */
  @Override
  public int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    return Link.joined(noted(bloom -> bloom.put(bloom.shared.now, hashes, count)));
  }

  @Override
  public CompletableFuture<Integer> putHashesAsync(long[] hashes) {
    return noted(bloom -> bloom.async().putHashes(hashes));
  }

  private CompletableFuture<Integer> noted(
      Function<RedisBloom<K>, CompletableFuture<Integer>> put) {
    RedisBloom<K> taker = bloom;
    long birth = taker.shared.current().generation.birth();
    boolean built = generation().isPresent();
    return put.apply(taker)
        .whenComplete(
            (fresh, failed) -> {
              if (failed != null) {
                noteLoss();
              }
            })
        // Else the filter was made again meanwhile, perhaps, and what was put before is not in it.
        .thenApply(
            fresh -> built && taker.shared.current().generation.birth() == birth ? fresh : 0);
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    long[] hashes = bloom.hashes(List.copyOf(all));
    return putHashes(hashes, hashes.length);
  }

  @Override
  public FilterStats stats() {
    return bloom.stats();
  }

  @Override
  public long sizeInBytes() {
    return bloom.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    bloom.save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    bloom.writeTo(out);
  }

  @Override
  public void close() {
    closed = true;
    bloom.close();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public String toString() {
    return bloom.toString();
  }
}
