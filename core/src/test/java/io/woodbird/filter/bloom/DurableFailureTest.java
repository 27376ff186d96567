package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomBuilder;
import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FailingFile;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A durable filter whose journal fails, and one whose thread is interrupted. */
@Tag("jdk")
class DurableFailureTest {
  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("seen.wbird");
  }

  private static BloomBuilder<Long> builder() {
    return Woodbird.bloom(Keys.longs(), 10_000).fpp(1e-6);
  }

  /** Makes the next write to the journal fail. */
  private static void failJournal(DurableFilter<Long> filter) throws IOException {
    ((DurableBloomFilter<Long>) filter).journal.close();
  }

  private static int denied(DurableFilter<Long> filter, int keys) {
    int denied = 0;
    for (long key = 0; key < keys; key++) {
      denied += filter.mightContain(key) ? 0 : 1;
    }
    return denied;
  }

  @Test
  void afterAnError_putsThrow_andCloseSavesWhatWasTaken() throws IOException {
    DurableFilter<Long> filter = builder().file(path());
    filter.put(0L);
    filter.checkpoint();
    filter.put(1L);
    failJournal(filter);
    assertThatThrownBy(filter::checkpoint).isInstanceOf(IOException.class);
    for (long key = 3; key < 10; key++) {
      long fresh = key;
      assertThatThrownBy(() -> filter.put(fresh)).isInstanceOf(UncheckedIOException.class);
      assertThat(filter.mightContain(fresh)).as("not taken").isFalse();
    }
    assertThatThrownBy(filter::checkpoint).isInstanceOf(IOException.class);
    filter.close();
    try (DurableFilter<Long> again = builder().file(path())) {
      assertThat(again.recovery().clean()).isTrue();
      assertThat(denied(again, 2)).isZero();
    }
  }

  /** A thread has set the bits of a key, and has not come to the fsync, when another puts it. */
  @Test
  void aPutOfAKeyThatLooksPresent_isOnDiskToo() throws IOException {
    try (DurableFilter<Long> filter = builder().seed(1).journalEveryPut().file(path())) {
      DurableBloomFilter<Long> inside = (DurableBloomFilter<Long>) filter;
      long hash = filter.hashOf(1L);
      long unused = inside.journal.append(hash);
      inside.filter.set(hash);
      assertThat(filter.put(1L)).isFalse();
      try (DurableFilter<Long> after = builder().file(afterKill())) {
        assertThat(after.mightContain(1L)).isTrue();
      }
    }
  }

  /** Returns a copy of the filter as a kill would leave it now. */
  private Path afterKill() throws IOException {
    Path copy = Files.createTempDirectory(folder, "copy");
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy.resolve(path().getFileName());
  }

  /** Gives a filter that was just made another first journal, whose file can fail. */
  private FailingFile failing(DurableFilter<Long> filter) throws IOException {
    DurableBloomFilter<Long> inside = (DurableBloomFilter<Long>) filter;
    inside.journal.close();
    Path journal = folder.resolve("seen.wbird.journal-1");
    FailingFile file = FailingFile.at(journal);
    int crc = BloomCodec.header(inside.filter.shape(), inside.filter.spec()).crc();
    inside.journal = file.journal(journal, 1, crc);
    return file;
  }

  /** A native write allocates memory. */
  @Test
  void aCheckpointThatRanOutOfMemory_isNotFollowedByOneThatReturns() throws IOException {
    DurableFilter<Long> filter = builder().file(path());
    FailingFile file = failing(filter);
    filter.put(0L);
    filter.checkpoint();
    for (long key = 1; key < 100; key++) {
      filter.put(key);
    }
    file.failAfter(0, new OutOfMemoryError());
    assertThatThrownBy(filter::checkpoint).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(filter::checkpoint).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> filter.put(100L)).isInstanceOf(UncheckedIOException.class);
    try (DurableFilter<Long> after = builder().file(afterKill())) {
      assertThat(denied(after, 1)).isZero();
    }
    filter.close();
    try (DurableFilter<Long> again = builder().file(path())) {
      assertThat(denied(again, 100)).isZero();
    }
  }

  @Test
  void aPutThatRanOutOfMemory_isNotFollowedByOneThatReturns() throws IOException {
    DurableFilter<Long> filter = builder().journalEveryPut().file(path());
    FailingFile file = failing(filter);
    filter.put(0L);
    file.failAfter(0, new OutOfMemoryError());
    assertThatThrownBy(() -> filter.put(1L)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> filter.put(2L)).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> filter.put(1L)).isInstanceOf(UncheckedIOException.class);
    filter.close();
  }

  /** The note that the journal ends may be on disk, and then the next one must be there. */
  @Test
  void aFoldThatFailsAnywhere_isNoLoss_ifTheProcessIsKilledThen() throws IOException {
    for (int calls = 0; calls < 2; calls++) { // The mark and its fsync.
      DurableFilter<Long> filter = builder().file(path());
      FailingFile file = failing(filter);
      filter.put(0L);
      filter.checkpoint();
      file.failAfter(calls, new IOException("failing disk"));
      assertThatThrownBy(((DurableBloomFilter<Long>) filter)::fold)
          .hasMessageContaining("failing disk");
      assertThatThrownBy(((DurableBloomFilter<Long>) filter)::fold).isInstanceOf(IOException.class);
      try (DurableFilter<Long> after = builder().file(afterKill())) {
        assertThat(after.recovery().losses()).isEmpty();
        assertThat(denied(after, 1)).isZero();
      }
      filter.close();
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files.map(found -> found.getFileName().toString()))
            .noneMatch(name -> name.contains("journal"));
      }
      Files.delete(path());
    }
  }

  @Test
  void manyPuts_thatMustBeOnDisk_shareOneFsync() throws IOException {
    try (DurableFilter<Long> filter = builder().journalEveryPut().file(path())) {
      FailingFile file = failing(filter);
      List<Long> keys = LongStream.range(0, 1000).boxed().toList();
      int before = file.syncs();
      assertThat(filter.putAll(keys)).isEqualTo(1000);
      assertThat(file.syncs() - before).isOne();
      long[] hashes = LongStream.range(1000, 2000).map(filter::hashOfLong).toArray();
      assertThat(filter.putHashes(hashes, 1000)).isEqualTo(1000);
      assertThat(filter.putAll(keys)).isZero();
      assertThat(file.syncs() - before).isEqualTo(2);
      try (DurableFilter<Long> after = builder().file(afterKill())) {
        assertThat(denied(after, 2000)).isZero();
      }
      file.failAfter(1, new IOException("failing disk"));
      assertThatThrownBy(() -> filter.putAll(List.of(2000L, 2001L)))
          .isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(() -> filter.putAll(List.of(2000L)))
          .isInstanceOf(UncheckedIOException.class);
    }
  }

  /** A fold holds this lock from the end of one journal until puts go to the next. */
  @Test
  void aPutWaits_whileTheJournalIsReplaced() throws Exception {
    try (DurableFilter<Long> filter = builder().journalEveryPut().file(path())) {
      DurableBloomFilter<Long> inside = (DurableBloomFilter<Long>) filter;
      Thread putting = new Thread(() -> filter.put(1L));
      inside.writes.lock();
      try {
        putting.start();
        while (!inside.writes.hasQueuedThread(putting) && putting.isAlive()) {
          Thread.sleep(1);
        }
        assertThat(inside.journal.appended()).isZero();
      } finally {
        inside.writes.unlock();
      }
      putting.join();
      assertThat(inside.journal.appended()).isOne();
    }
  }

  @Test
  void afterAnError_noPutReturns_whoseKeyIsInNoFile() throws IOException {
    DurableFilter<Long> filter = builder().journalEveryPut().file(path());
    filter.put(0L);
    failJournal(filter);
    assertThatThrownBy(() -> filter.put(1L)).isInstanceOf(UncheckedIOException.class);
    for (int i = 0; i < 3; i++) {
      // Nothing is pending, so this may return; but it does not make puts safe again.
      try {
        filter.checkpoint();
      } catch (IOException e) {
        // As good.
      }
      boolean returned = true;
      try {
        filter.put(1L);
      } catch (UncheckedIOException e) {
        returned = false;
      }
      assertThat(returned).as("key 1 is " + filter.mightContain(1L)).isFalse();
    }
    assertThat(filter.put(0L)).as("safe before").isFalse();
    filter.close();
  }

  @Test
  void aFoldWhoseJournalFails_keepsPutsFromReturning() throws IOException {
    DurableFilter<Long> filter = builder().journalEveryPut().file(path());
    for (long key = 0; key < 100; key++) {
      filter.put(key);
    }
    DurableBloomFilter<Long> durable = (DurableBloomFilter<Long>) filter;
    // A hash that is in the heap and in the journal's memory, but not on disk.
    durable.journal.append(filter.hashOf(1000L));
    durable.filter.set(filter.hashOf(1000L));
    failJournal(filter);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(durable::fold).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> filter.put(1000L)).isInstanceOf(UncheckedIOException.class);
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .as("the next journal, of each attempt")
          .doesNotContain("seen.wbird.journal-2");
    }
    filter.close();
    try (DurableFilter<Long> again = builder().file(path())) {
      assertThat(again.mightContain(1000L)).isTrue();
    }
  }

  @Test
  void anInterruptedThread_spoilsNothing() throws Exception {
    DurableFilter<Long> filter = builder().file(path());
    for (long key = 0; key < 1000; key++) {
      filter.put(key);
    }
    Thread cancelled =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              try {
                filter.checkpoint();
                ((DurableBloomFilter<Long>) filter).fold();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    Throwable[] trouble = {null};
    cancelled.setUncaughtExceptionHandler((thread, e) -> trouble[0] = e);
    cancelled.start();
    cancelled.join();
    assertThat(trouble[0]).isNull();
    filter.put(5000L);
    Thread.currentThread().interrupt(); // As by shutdownNow, before try-with-resources closes.
    filter.close();
    DurableFilter<Long> again = builder().file(path());
    assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    assertThat(denied(again, 1000)).isZero();
    assertThat(again.mightContain(5000L)).isTrue();
    again.close();
  }
}
