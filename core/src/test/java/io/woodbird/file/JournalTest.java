package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal: what was synced comes back or is missed aloud, what was not may be dropped. */
class JournalTest {
  private static final int FILTER = 0x5eed;
  private static final int HEADER = 16;

  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("journal");
  }

  /** Frames of one to five hashes; the hashes are 1, 2, 3 and so on. */
  private byte[] journal(int... synced) throws IOException {
    Files.deleteIfExists(path());
    try (Journal journal = Journal.create(path(), FILTER)) {
      long hash = 0;
      for (int count : synced) {
        for (int i = 0; i < count; i++) {
          journal.append(++hash);
        }
        journal.sync(hash);
      }
    }
    return Files.readAllBytes(path());
  }

  private Journal.Replay replay(byte[] bytes, List<Long> hashes) throws IOException {
    Files.write(path(), bytes);
    return Journal.replay(path(), FILTER, hashes::add);
  }

  private static int frame(int hashes) {
    return 24 + 8 * hashes;
  }

  @Test
  void whatWasAppended_isReplayed() throws IOException {
    Files.deleteIfExists(path());
    try (Journal journal = Journal.create(path(), FILTER)) {
      for (long hash = 1; hash <= 20_000; hash++) {
        assertThat(journal.append(hash)).isEqualTo(hash);
      }
      journal.sync(20_000);
      assertThat(journal.appended()).isEqualTo(20_000);
    }
    List<Long> hashes = new ArrayList<>();
    assertThat(Journal.replay(path(), FILTER, hashes::add))
        .isEqualTo(new Journal.Replay(20_000, 0));
    assertThat(hashes).hasSize(20_000).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void everyTornEnd_isDropped_andTheRestReplayed() throws IOException {
    byte[] whole = journal(3, 1, 5);
    int[] ends = {HEADER, HEADER + frame(3), HEADER + frame(3) + frame(1), whole.length};
    long[] counts = {0, 3, 4, 9};
    for (int length = 0; length <= whole.length; length++) {
      int frames = 0;
      while (frames < 3 && ends[frames + 1] <= length) {
        frames++;
      }
      List<Long> hashes = new ArrayList<>();
      Journal.Replay replay = replay(Arrays.copyOf(whole, length), hashes);
      int kept = length < HEADER ? 0 : ends[frames];
      assertThat(replay)
          .as("length " + length)
          .isEqualTo(new Journal.Replay(length < HEADER ? 0 : counts[frames], length - kept));
      assertThat(hashes).hasSize((int) replay.hashes());
    }
  }

  @Test
  void anEndOfZerosOrRubbish_isDropped() throws IOException {
    byte[] whole = journal(3, 1, 5);
    SplittableRandom random = new SplittableRandom(FILTER);
    for (int more = 1; more < 300; more++) {
      byte[] longer = Arrays.copyOf(whole, whole.length + more);
      for (int i = whole.length; i < longer.length && more % 2 == 0; i++) {
        longer[i] = (byte) random.nextInt();
      }
      assertThat(replay(longer, new ArrayList<>())).isEqualTo(new Journal.Replay(9, more));
    }
    // A power cut may also leave zeros instead of the last frame.
    byte[] wiped = whole.clone();
    Arrays.fill(wiped, whole.length - frame(5), whole.length, (byte) 0);
    assertThat(replay(wiped, new ArrayList<>())).isEqualTo(new Journal.Replay(4, frame(5)));
  }

  @Test
  void damageToWhatWasOnDisk_isAnError_atEveryBit() throws IOException {
    byte[] whole = journal(3, 1, 5);
    int lastFrame = whole.length - frame(5);
    for (long bit = 0; bit < 8L * lastFrame; bit++) {
      byte[] damaged = Surgery.flipBit(whole, bit);
      boolean harmless = isPadding(bit / 8);
      if (harmless) {
        assertThat(replay(damaged, new ArrayList<>()).hashes()).isEqualTo(9);
        continue;
      }
      assertThatThrownBy(() -> replay(damaged, new ArrayList<>()))
          .as("bit " + bit)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining(path().toString());
    }
  }

  /** The last four bytes of a frame mean nothing. */
  private static boolean isPadding(long at) {
    long first = HEADER + frame(3);
    long second = first + frame(1);
    return (at >= first - 4 && at < first) || (at >= second - 4 && at < second);
  }

  @Test
  void damageThatWasOnDisk_saysWhere() throws IOException {
    byte[] damaged = Surgery.flipBit(journal(3, 1, 5), 8L * (HEADER + 20));
    assertThatThrownBy(() -> replay(damaged, new ArrayList<>()))
        .hasMessageContaining("damaged at byte 16, which had been on disk");
  }

  @Test
  void anUnsyncedFrameThatIsLost_doesNotHideAWholeOneBehindIt() throws IOException {
    Files.deleteIfExists(path());
    try (Journal journal = Journal.create(path(), FILTER)) {
      for (long hash = 1; hash <= 16_001; hash++) {
        journal.append(hash); // Two full frames go out by themselves, unsynced.
      }
      journal.sync(16_001);
    }
    byte[] bytes = Files.readAllBytes(path());
    bytes[HEADER + 100] ^= 1;
    // All three frames say that only the header was known to be on disk.
    assertThat(replay(bytes, new ArrayList<>()).hashes()).isEqualTo(8001);
  }

  @Test
  void theJournalOfAnotherFilter_isRefused() throws IOException {
    journal(1);
    assertThatThrownBy(() -> Journal.replay(path(), FILTER + 1, hash -> {}))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("the journal of another filter");
  }

  @Test
  void aJournalThatWasBeingMade_holdsNothing_whateverIsThere() throws IOException {
    for (int length = 0; length <= HEADER; length++) {
      assertThat(replay(new byte[length], new ArrayList<>()))
          .isEqualTo(new Journal.Replay(0, length));
    }
    assertThatThrownBy(() -> replay(new byte[HEADER + frame(1)], new ArrayList<>()))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("not a journal");
  }

  @Test
  void aJournalThatCouldNotBeMade_leavesNothing() {
    assertThatThrownBy(() -> Journal.create(folder.resolve("no/such/journal"), FILTER))
        .isInstanceOf(IOException.class);
    Thread.currentThread().interrupt(); // Closes the channel at the first write.
    assertThatThrownBy(() -> Journal.create(path(), FILTER)).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(path()).doesNotExist();
  }

  @Test
  void afterAnError_nothingIsTaken() throws IOException {
    try (Journal journal = Journal.create(path(), FILTER)) {
      journal.sync(journal.append(1));
      journal.append(2);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> journal.sync(2)).isInstanceOf(IOException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThatThrownBy(() -> journal.append(3)).hasMessageContaining("open the filter again");
      assertThatThrownBy(() -> journal.sync(2)).hasMessageContaining("open the filter again");
      journal.sync(1); // That one is safe.
    }
  }
}
