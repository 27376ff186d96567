package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Woodbird;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A shared filter and its store in one; other processes are played by the test. */
class FakeShared extends Wrapped implements SharedFilter<Long>, SharedStore<Long> {
  static final long SEED = 77;

  volatile @Nullable Generation generation;
  volatile Duration age = Duration.ZERO;

  /** What the last build was told. */
  volatile @Nullable Duration settle;

  volatile boolean closed;

  /** Opening hangs until it is released, if set. */
  volatile @Nullable CountDownLatch held;

  /** Puts last until it is complete, if set. */
  volatile @Nullable CompletableFuture<Integer> heldPuts;

  final CountDownLatch opening = new CountDownLatch(1);
  private volatile @Nullable Generation before;

  FakeShared(long seedOfFilter) {
    super(Woodbird.bloom(Keys.longs(), 10_000).fpp(1e-7).seed(seedOfFilter).build());
  }

  /** A build of this or another process is done. */
  Generation built(long keys) {
    Generation old = generation;
    before = old;
    long number = old == null ? 2 : old.number() + 1;
    Generation now = new Generation(number, keys, 0, 10_000, Instant.EPOCH, Duration.ZERO);
    generation = now;
    return now;
  }

  @Override
  public SharedFilter<Long> open(GenerationStore.Plan<Long> plan, Runnable lost)
      throws IOException {
    closed = false;
    opening.countDown();
    CountDownLatch latch = held;
    while (latch != null && latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // Stubborn.
      }
    }
    return this;
  }

  @Override
  public OptionalLong seed() {
    return OptionalLong.of(SEED);
  }

  @Override
  public Answer ask(Long key) {
    return generation == null ? Answer.UNKNOWN : super.ask(key);
  }

  @Override
  public boolean putHash(long hash) {
    CompletableFuture<Integer> held = heldPuts;
    return held == null ? super.putHash(hash) : held.join() > 0;
  }

  @Override
  public CompletableFuture<Integer> putHashesAsync(long[] hashes) {
    CompletableFuture<Integer> held = heldPuts;
    return held == null ? SharedFilter.super.putHashesAsync(hashes) : held;
  }

  @Override
  public Optional<Generation> generation() {
    return Optional.ofNullable(generation);
  }

  @Override
  public List<String> doubts() {
    return List.of();
  }

  @Override
  public Seen look() {
    return new Seen(generation, age, generation != null);
  }

  @Override
  public Optional<Generation> rebuild(Building<Long> building) throws Exception {
    settle = building.settle();
    return Optional.of(built(building.fill(9, this)));
  }

  @Override
  public Optional<Generation> rollBack() {
    generation = before;
    return generation();
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }
}
