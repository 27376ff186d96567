package io.woodbird.redis.sim;

import io.woodbird.Answer;
import io.woodbird.DeletableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.key.Keys;
import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisAsync;
import io.woodbird.redis.RedisBloomBuilder;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.RedisBuilder;
import io.woodbird.redis.RedisDeletableFilter;
import io.woodbird.redis.RedisFilter;
import io.woodbird.redis.RedisRebuild;
import io.woodbird.redis.SimulatedClient;
import io.woodbird.redis.WoodbirdRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open filter of any kind. */
final class Handle {
  static final Duration LAG = Duration.ofMillis(400);

  /** How long a window keeps its keys. */
  static final Duration SPAN = Duration.ofSeconds(3);

  private static final String NAME = "f";
  private static final long SEED = 7;
  private static final RedisRebuild OPTIONS =
      new RedisRebuild(Duration.ofSeconds(3), Duration.ofSeconds(1), 0);

  private final MutableFilter<Long> filter;
  private final @Nullable RedisBloomFilter<Long> bloom;
  private final @Nullable SharedFilter<Long> shared;
  private final @Nullable RedisDeletableFilter<Long> deletable;
  private final @Nullable RedisFilter<Long> redis;

  /** Puts and asks in half of the histories. */
  private final @Nullable RedisAsync<Long> async;

  private Handle(Plan plan, MutableFilter<Long> filter) {
    this.filter = filter;
    async = filter instanceof RedisFilter<Long> r && (plan.seed() & 4) != 0 ? r.async() : null;
    bloom = filter instanceof RedisBloomFilter<Long> b ? b : null;
    shared = filter instanceof SharedFilter<Long> s ? s : null;
    deletable = filter instanceof RedisDeletableFilter<Long> d ? d : null;
    redis = filter instanceof RedisFilter<Long> r ? r : null;
  }

  static Handle open(Plan plan, Wire wire, boolean make) throws IOException {
    WoodbirdRedis redis = SimulatedClient.over(wire);
    long keys = (plan.seed() & 1) == 0 ? 40 : 1200;
    switch (plan.kind()) {
      case SOURCED:
        return new Handle(
            plan,
            redis
                .<Long>store(NAME)
                .open(new GenerationStore.Plan<>(1, Keys.longs(), SEED, keys, 0.01), () -> {}));
      case DELETABLE:
        RedisBuilder<Long, RedisDeletableFilter<Long>> counting =
            redis.deletable(NAME, Keys.longs(), keys);
        return new Handle(plan, make ? counting.create() : counting.open());
      case WINDOW:
        RedisBuilder<Long, RedisFilter<Long>> window =
            redis.window(NAME, Keys.longs(), keys, SPAN).durability(durability(plan));
        return new Handle(plan, make ? window.create() : window.open());
      case GROWING:
        RedisBuilder<Long, RedisFilter<Long>> growing =
            redis.growing(NAME, Keys.longs(), 1).durability(durability(plan));
        return new Handle(plan, make ? growing.create() : growing.open());
      default:
        RedisBloomBuilder<Long> builder =
            redis.bloom(NAME, Keys.longs(), keys).seed(SEED).durability(durability(plan));
        if (pair(plan)) {
          builder.fpp(0.0001);
        }
        if (plan.kind() == Plan.Kind.NEAR) {
          builder.near();
        } else if (plan.kind() == Plan.Kind.NEAR_LAG) {
          builder.near(LAG);
        }
        return new Handle(plan, make ? builder.create() : builder.open());
    }
  }

  /** Whether a key has two blocks: half of the near copies too. */
  private static boolean pair(Plan plan) {
    boolean near = plan.kind() == Plan.Kind.NEAR || plan.kind() == Plan.Kind.NEAR_LAG;
    return plan.kind() == Plan.Kind.PAIR || (near && (plan.seed() & 2) != 0);
  }

  private static Durability durability(Plan plan) {
    Duration patience = Duration.ofMillis(200);
    return switch (plan.level()) {
      case MASTER -> Durability.master();
      case REPLICA -> Durability.replicas(1, patience);
      case DISK -> Durability.disk(0, patience);
    };
  }

  /** Returns how many of the keys are said to be new. */
  long put(List<Long> keys) {
    if (async != null) {
      return get(async.putAll(keys));
    }
    long[] hashes = keys.stream().mapToLong(filter::hashOf).toArray();
    return filter.putHashes(hashes, hashes.length);
  }

  boolean denies(long key) {
    Answer answer = async != null ? get(async.ask(key)) : filter.ask(key);
    return answer == Answer.NOT_HERE;
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error; // The process has ended.
      }
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Which of some keys are not denied, asked in one go. */
  List<Long> candidates(List<Long> keys) {
    return async != null ? get(async.candidates(keys)) : filter.candidates(keys);
  }

  void load(List<Long> keys) {
    if (bloom != null) {
      bloom.load(keys.iterator());
    }
  }

  /** Builds anew; the source is read when the build asks for it. */
  void rebuild(Supplier<List<Long>> source, Runnable between) throws Exception {
    if (shared != null) {
      shared.rebuild(new FromSource(source, between));
    } else if (bloom != null) {
      var unused =
          bloom.rebuild(
              () -> {
                between.run();
                return source.get().iterator();
              },
              OPTIONS);
    }
  }

  private record FromSource(Supplier<List<Long>> source, Runnable between)
      implements SharedFilter.Building<Long> {
    @Override
    public long capacity() {
      return 40;
    }

    @Override
    public Duration settle() {
      return Duration.ofMillis(20);
    }

    @Override
    public void alive() {}

    @Override
    public long fill(long number, MutableFilter<Long> empty) {
      between.run();
      List<Long> keys = source.get();
      keys.forEach(key -> empty.putHash(empty.hashOf(key)));
      between.run();
      return keys.size();
    }
  }

  void rollBack() {
    if (bloom != null) {
      boolean unused = bloom.rollBack();
    } else if (shared != null) {
      var unused = shared.rollBack();
    }
  }

  void trust() {
    if (redis != null) {
      redis.trust();
    }
  }

  void look() throws IOException {
    if (shared != null) {
      var unused = shared.look();
    }
  }

  void remove(long key) {
    if (deletable != null) {
      DeletableFilter<Long> all = deletable;
      boolean unused = all.remove(key);
    }
  }

  void close() {
    if (redis != null) {
      redis.close();
    } else if (shared != null) {
      shared.close();
    }
  }
}
