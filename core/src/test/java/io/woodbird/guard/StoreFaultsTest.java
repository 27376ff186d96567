package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.FilterFullException;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Stores whose filters are full, lose keys, or hash otherwise: no such filter denies a key. */
final class StoreFaultsTest extends RebuildTests {
  /** A filter that refuses keys when told to. */
  private static final class Full extends Wrapped {
    final AtomicBoolean full;

    Full(MutableFilter<Long> inner, AtomicBoolean full) {
      super(inner);
      this.full = full;
    }

    @Override
    public boolean putHash(long hash) {
      if (full.get()) {
        throw new FilterFullException("no room");
      }
      return super.putHash(hash);
    }
  }

  /** A filter that forgets one key of a hundred. */
  private static final class Lossy extends Wrapped {
    Lossy(MutableFilter<Long> inner) {
      super(inner);
    }

    @Override
    public boolean putHash(long hash) {
      return Long.remainderUnsigned(hash, 100) == 0 || super.putHash(hash);
    }
  }

  @Test
  void filterFull_thePutThrowsOrTheBuildFails() throws Exception {
    List<AtomicBoolean> full = new CopyOnWriteArrayList<>();
    filter =
        builder()
            .store(
                plan -> {
                  AtomicBoolean own = new AtomicBoolean();
                  full.add(own);
                  return new Full(GenerationStore.<Long>memory().begin(plan), own);
                })
            .start();
    joinBuild(1);
    // The one that is being built is full: the put is done, but that build will not answer.
    source.hangAt = 500;
    CompletableFuture<Generation> second = filter.rebuildNow();
    source.hanging.await();
    full.get(1).set(true);
    filter.putLong(ROWS + 1);
    full.get(1).set(false);
    source.release.countDown();
    assertThat(failureOf(second)).hasMessageContaining("put meanwhile did not fit");
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    // The one that answers is full: the put throws.
    full.get(0).set(true);
    assertThatThrownBy(() -> filter.putLong(ROWS + 2)).isInstanceOf(FilterFullException.class);
    full.get(0).set(false);
    // The one before is full: there is no roll back any more.
    source.hangAt = -1;
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    full.get(0).set(true);
    filter.putLong(ROWS + 3);
    full.get(0).set(false);
    assertThat(filter.rollBack()).isEmpty();
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 3)).isTrue();
    assertNoRealKeyStopped();
  }

  @Test
  void storeMakesAFilterWithOtherHashes_itIsFoundOutAndNotUsed() throws Exception {
    AtomicBoolean other = new AtomicBoolean();
    filter =
        builder()
            .store(
                plan ->
                    Woodbird.bloom(plan.keys(), plan.expectedKeys())
                        .fpp(plan.fpp())
                        .seed(other.get() ? ~plan.seed() : plan.seed())
                        .build())
            .start();
    joinBuild(1);
    other.set(true);
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("other hashes");
    assertAnswersWell();
  }

  @Test
  void storeLosesKeys_itIsFoundOutAndNotUsed() throws Exception {
    AtomicBoolean lossy = new AtomicBoolean();
    filter =
        builder()
            .store(
                plan -> {
                  MutableFilter<Long> made = GenerationStore.<Long>memory().begin(plan);
                  return lossy.get() ? new Lossy(made) : made;
                })
            .start();
    joinBuild(1);
    lossy.set(true);
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("lacks a key");
    assertAnswersWell();
  }

  /** Ignores the seed of the plan. */
  private static MutableFilter<Long> stray(GenerationStore.Plan<Long> plan) {
    return Woodbird.bloom(plan.keys(), plan.expectedKeys())
        .fpp(plan.fpp())
        .seed(~plan.seed())
        .build();
  }

  @Test
  void aStoreThatIgnoresTheSeedIsNoticedThoughTheSourceIsEmpty() throws Exception {
    source.rows.clear();
    filter = builder().allowEmpty().store(StoreFaultsTest::stray).build();
    rebuild();
    filter.put(7L);
    assertThat(filter.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.ask(8L)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.mightContain(7L)).isTrue();
    assertThat(filter.candidates(List.of(7L, 9L))).containsExactly(7L);
    assertThat(filter.doubts())
        .containsExactly("the store made a filter with other hashes than planned");
  }

  @Test
  void aStoreWhoseFilterHashesSomeKeysOtherwiseIsNoticed() throws Exception {
    filter =
        builder()
            .store(
                plan ->
                    new Wrapped(GenerationStore.<Long>memory().begin(plan)) {
                      @Override
                      public long hashOf(Long key) {
                        return key == 600 ? 0 : super.hashOf(key);
                      }
                    })
            .build();
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("other hashes");
    assertThatThrownBy(filter::sizeInBytes).isInstanceOf(IllegalStateException.class);
  }
}
