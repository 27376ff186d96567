package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomBuilder;
import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.Header;
import io.woodbird.file.Journal;
import io.woodbird.file.Surgery;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journals that are damaged, cut or gone: no key that was safe is missed silently. */
class DurableDamageTest {
  private static final int KEYS = 20_000;

  @TempDir private Path folder;
  private Path path;
  private Path journal;

  private static BloomBuilder<Long> builder() {
    return Woodbird.bloom(Keys.longs(), 100_000).fpp(1e-6);
  }

  /** Leaves what a process leaves that is killed after a checkpoint. */
  @BeforeEach
  void killAfterCheckpoint() throws IOException {
    path = killed(builder(), true);
    journal = Path.of(path + ".journal-1");
  }

  private Path killed(BloomBuilder<Long> builder, boolean checkpoint) throws IOException {
    Path live = Files.createTempDirectory(folder, "live").resolve("seen.wbird");
    Path copy = Files.createTempDirectory(folder, "copy").resolve("seen.wbird");
    try (DurableFilter<Long> filter = builder.file(live)) {
      for (long key = 0; key < (checkpoint ? KEYS : 50); key++) {
        filter.put(key);
      }
      if (checkpoint) {
        filter.checkpoint();
      }
      copy(live, copy);
    }
    return copy;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from.getParent())) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolveSibling(file.getFileName()));
      }
    }
  }

  private static int denied(DurableFilter<Long> filter, int keys) {
    int denied = 0;
    for (long key = 0; key < keys; key++) {
      denied += filter.mightContain(key) ? 0 : 1;
    }
    return denied;
  }

  private void assertLossIsTold(String what) throws IOException {
    for (int i = 0; i < 2; i++) { // A refusal changes nothing.
      assertThatThrownBy(() -> builder().file(path))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("keys that were safe are lost")
          .hasMessageContaining(what)
          .hasMessageContaining("acceptLostKeys()");
    }
    try (DurableFilter<Long> filter = builder().acceptLostKeys().file(path)) {
      assertThat(filter.recovery().clean()).isFalse();
      assertThat(filter.recovery().losses()).hasSize(1);
      assertThat(filter.recovery().losses().get(0)).contains(what);
      assertThat(filter.recovery().toString()).contains("lost: ").contains(what);
    }
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(filter.recovery().clean()).as("told once, and asked for").isTrue();
    }
  }

  @Test
  void withoutDamage_nothingIsLost() throws IOException {
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(denied(filter, KEYS)).isZero();
      assertThat(filter.recovery().losses()).isEmpty();
      assertThat(filter.recovery().replayedKeys()).isEqualTo(KEYS);
    }
  }

  @Test
  void aFlippedBit_isTold() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Surgery.flipBit(bytes, 8L * 2000));
    assertLossIsTold("journal-1: damaged at byte 1,536, which had been on disk");
  }

  @Test
  void aFlippedBit_costsOneFrame() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Surgery.flipBit(bytes, 8L * 2000));
    try (DurableFilter<Long> filter = builder().acceptLostKeys().file(path)) {
      assertThat(filter.recovery().replayedKeys()).isEqualTo(KEYS - 8000);
      assertThat(denied(filter, KEYS)).isBetween(7990, 8000);
    }
  }

  @Test
  void aJournalThatWasCut_isTold_wherever() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    for (int length : new int[] {0, 16, 511, 1536, 1600, bytes.length / 2, bytes.length - 1}) {
      Files.write(journal, Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> builder().file(path))
          .as("length " + length)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("cut short");
    }
    assertLossIsTold("cut short");
  }

  @Test
  void aJournalThatIsGone_isTold() throws IOException {
    Files.delete(journal);
    assertLossIsTold("journal-1 is missing");
  }

  @Test
  void aBitOfTheLastPut_isTold_ifEachWasSafe() throws IOException {
    path = killed(builder().journalEveryPut(), false);
    journal = Path.of(path + ".journal-1");
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Surgery.flipBit(bytes, 8L * (bytes.length - 12)));
    assertLossIsTold("damaged at byte");
  }

  @Test
  void whatWasPutAfterTheLastCheckpoint_isDropped_andReported() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Arrays.copyOf(bytes, bytes.length + 100));
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(denied(filter, KEYS)).isZero();
      assertThat(filter.recovery().droppedBytes()).isEqualTo(100);
      assertThat(filter.recovery().losses()).isEmpty();
    }
  }

  @Test
  void aJournalThatGoesOnInAnother_isNotReadAlone() throws IOException {
    // As in a fold that was cut off before the file was written: journal 1 ended, 2 was begun.
    int filterCrc = header().withJournal(0).crc();
    Path second = Path.of(path + ".journal-2");
    try (Journal next = Journal.create(second, 2, filterCrc)) {
      next.sync(next.append(builder().build().hashOf(-1L)));
    }
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(filter.recovery().replayedKeys()).isEqualTo(KEYS + 1);
    }
    killAfterCheckpoint();
    Files.delete(journal);
    try (Journal ended = Journal.create(journal, 1, header().withJournal(0).crc())) {
      ended.append(1);
      ended.end();
    }
    assertLossIsTold("journal-2 is missing");
    killAfterCheckpoint();
    Files.move(journal, Path.of(path + ".journal-2"));
    assertThatThrownBy(() -> builder().file(path)).hasMessageContaining("journal of another");
  }

  private Header header() throws IOException {
    try (var in = Files.newInputStream(path)) {
      return FileReader.read(in).header();
    }
  }

  @Test
  void journalsBeforeTheOneThatTheFileNames_areLeftOvers() throws IOException {
    Path live = folder.resolve("seen.wbird");
    long fresh = -2;
    try (DurableFilter<Long> filter = builder().file(live)) {
      filter.put(1L);
      filter.checkpoint();
      Files.copy(Path.of(live + ".journal-1"), folder.resolve("old"));
      for (long key = 0; key < 300_000; key++) {
        filter.put(key);
      }
      filter.checkpoint(); // Folds.
      assertThat(Path.of(live + ".journal-2")).exists();
      while (filter.mightContain(fresh)) { // One that is found by mistake is not in the journal.
        fresh--;
      }
      filter.put(fresh);
      filter.checkpoint();
      path = folder.resolve("crash/seen.wbird");
      Files.createDirectory(path.getParent());
      copyFiles(live);
    }
    byte[] old = Files.readAllBytes(folder.resolve("old"));
    Files.write(Path.of(path + ".journal-1"), Arrays.copyOf(old, old.length - 3));
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(filter.recovery().replayedKeys()).isEqualTo(1);
      assertThat(denied(filter, 300_000)).isZero();
      assertThat(filter.mightContain(fresh)).isTrue();
    }
    assertThat(Path.of(path + ".journal-1")).doesNotExist();
  }

  private void copyFiles(Path live) throws IOException {
    try (Stream<Path> files = Files.list(live.getParent())) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith("seen.")) {
          Files.copy(file, path.resolveSibling(file.getFileName()));
        }
      }
    }
  }

  @Test
  void journalsBesideAFileThatIsWhole_areReadIfTheyAreThere() throws IOException {
    Path whole = folder.resolve("whole.wbird");
    try (DurableFilter<Long> filter = builder().acceptLostKeys().file(path)) {
      filter.save(whole); // With all keys of the journal.
    }
    path = killed(builder().seed(3), true);
    Files.delete(path);
    builder().seed(3).build().save(path); // An older file was restored, its journal forgotten.
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(denied(filter, KEYS)).isZero();
      assertThat(filter.recovery().clean()).isFalse();
    }
  }

  /**
   * As of two files that were joined: the keys of the second would be left out by the next save.
   */
  @Test
  void aFileThatGoesOnAfterItsFilter_isRefused() throws IOException {
    Path file = folder.resolve("whole.wbird");
    builder().seed(1).file(file).close();
    Files.write(file, Files.readAllBytes(file), StandardOpenOption.APPEND);
    assertThatThrownBy(() -> builder().seed(1).file(file))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("too long");
  }
}
