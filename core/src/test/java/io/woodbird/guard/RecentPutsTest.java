package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import org.junit.jupiter.api.Test;

final class RecentPutsTest {
  private static final int LENGTH = 8; // Of a chunk.
  private static final int MOST = LENGTH * RecentPuts.CHUNKS;

  private final RecentPuts recent = new RecentPuts(MOST);

  private void add(long from, int count, long nanos) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = (from + i) * 0x9e3779b97f4a7c15L;
    }
    recent.add(hashes, count, nanos);
  }

  private static boolean has(RecentPuts.Snapshot snapshot, long from, int count) {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 2 * MOST).fpp(1e-9).seed(1).build();
    snapshot.putInto(filter);
    boolean all = true;
    for (int i = 0; i < count; i++) {
      all &= filter.mightContainHash((from + i) * 0x9e3779b97f4a7c15L);
    }
    return all;
  }

  @Test
  void aChunkIsForgottenWhenItsLastPutIsOldEnough() {
    for (int i = 0; i < 10 * LENGTH; i++) {
      add(i, 1, i);
    }
    recent.forgetBefore(3L * LENGTH - 1);
    assertThat(recent.count()).isEqualTo(8L * LENGTH);
    assertThat(has(recent.snapshot(), 2 * LENGTH, 8 * LENGTH)).isTrue();
    recent.forgetBefore(Long.MAX_VALUE);
    assertThat(recent.count()).isZero();
  }

  @Test
  void aBatchOverSeveralChunksIsForgottenAsAWhole() {
    add(0, 3, 100);
    add(3, 5 * LENGTH, 200);
    recent.forgetBefore(200);
    assertThat(has(recent.snapshot(), 3, 5 * LENGTH)).isTrue();
    recent.forgetBefore(201);
    assertThat(recent.count()).isZero();
  }

  @Test
  void aSnapshotIsNotChangedByLaterPuts() {
    add(0, LENGTH + 1, 1);
    RecentPuts.Snapshot snapshot = recent.snapshot();
    add(LENGTH + 1, LENGTH, 2);
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), MOST).fpp(1e-9).seed(1).build();
    assertThat(snapshot.putInto(filter)).isEqualTo(LENGTH + 1);
  }

  @Test
  void thereIsNeverMoreThanThereIsRoomFor() {
    add(0, MOST, 5);
    assertThat(recent.snapshot().complete()).isTrue();
    add(MOST, 1, 6);
    assertThat(recent.count()).isEqualTo(MOST - LENGTH + 1);
    assertThat(recent.snapshot().complete()).isFalse();
    assertThat(recent.snapshot().leftOutNanos()).isEqualTo(5);
    add(MOST + 1, 3 * MOST, 7); // More at once than there is room for.
    assertThat(recent.count()).isBetween(MOST - LENGTH + 1L, (long) MOST);
    assertThat(recent.snapshot().leftOutNanos()).isEqualTo(7);
  }

  @Test
  void whatWasLeftOutIsNotMissedWhenItWouldBeForgotten() {
    add(0, MOST, 5);
    add(MOST, LENGTH, 9);
    recent.forgetBefore(5);
    assertThat(recent.snapshot().complete()).isFalse();
    recent.forgetBefore(6);
    assertThat(recent.snapshot().complete()).isTrue();
    assertThat(has(recent.snapshot(), MOST, LENGTH)).isTrue();
  }

  @Test
  void timeMayWrapAround() {
    add(0, LENGTH, Long.MAX_VALUE);
    add(LENGTH, LENGTH, Long.MIN_VALUE + 10);
    recent.forgetBefore(Long.MIN_VALUE);
    assertThat(recent.count()).isEqualTo(LENGTH);
    assertThat(has(recent.snapshot(), LENGTH, LENGTH)).isTrue();
  }
}
