package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.woodbird.CorruptFilterException;
import io.woodbird.file.JournalReader.Replay;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal: what was synced comes back or is missed aloud, what was not may be dropped. */
class JournalTest {
  private static final int FILTER = 0x5eed;
  private static final long NUMBER = 7;
  private static final int FRAMES = 1536;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("journal");
  }

  private Journal create() throws IOException {
    Files.deleteIfExists(path());
    return Journal.create(path(), NUMBER, FILTER);
  }

  /** Frames of so many hashes, each on disk before the next; the hashes are 1, 2, 3 and so on. */
  private byte[] journal(int... synced) throws IOException {
    try (Journal journal = create()) {
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

  /** The same, but as a crash may leave it: with the marks of so many fsyncs only. */
  private byte[] marked(byte[] whole, int... synced) throws IOException {
    byte[] marks = journal(synced);
    byte[] copy = whole.clone();
    System.arraycopy(marks, 0, copy, 0, FRAMES);
    return copy;
  }

  private Replay replay(byte[] bytes, List<Long> hashes) throws IOException {
    Files.write(path(), bytes);
    return JournalReader.replay(path(), NUMBER, FILTER, hashes::add);
  }

  private Replay replay(byte[] bytes) throws IOException {
    return replay(bytes, new ArrayList<>());
  }

  private static Replay whole(long hashes, long dropped) {
    return new Replay(false, hashes, dropped, false, null);
  }

  private static int frame(int hashes) {
    return 16 + 8 * hashes;
  }

  @Test
  void whatWasAppended_isReplayed() throws IOException {
    try (Journal journal = create()) {
      for (long hash = 1; hash <= 20_000; hash++) {
        assertThat(journal.append(hash)).isEqualTo(hash);
      }
      journal.sync(20_000);
      assertThat(journal.appended()).isEqualTo(20_000);
    }
    List<Long> hashes = new ArrayList<>();
    assertThat(replay(Files.readAllBytes(path()), hashes)).isEqualTo(whole(20_000, 0));
    assertThat(hashes).hasSize(20_000).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void everyEndThatWasNotOnDisk_isDropped_andTheRestReplayed() throws IOException {
    byte[] whole = marked(journal(3, 1, 5), 3);
    int[] ends = {FRAMES, FRAMES + frame(3), FRAMES + frame(3) + frame(1), whole.length};
    long[] counts = {0, 3, 4, 9};
    for (int length = ends[1]; length <= whole.length; length++) {
      int frames = 1;
      while (frames < 3 && ends[frames + 1] <= length) {
        frames++;
      }
      List<Long> hashes = new ArrayList<>();
      Replay replay = replay(Arrays.copyOf(whole, length), hashes);
      assertThat(replay)
          .as("length " + length)
          .isEqualTo(whole(counts[frames], length - ends[frames]));
      assertThat(hashes).hasSize((int) replay.hashes());
    }
  }

  @Test
  void aJournalThatLosesAnyPartOfWhatWasOnDisk_isMissed() throws IOException {
    byte[] whole = journal(3, 1, 5);
    for (int length = FRAMES + 1; length < whole.length; length++) {
      assertThat(replay(Arrays.copyOf(whole, length)).loss())
          .as("length " + length)
          .isEqualTo(
              String.format(
                  Locale.ROOT,
                  "%s: cut short: %,d bytes where 1,656 had been on disk",
                  path(),
                  length));
    }
    for (int length = 0; length < FRAMES; length++) {
      Replay replay = replay(Arrays.copyOf(whole, length));
      assertThat(replay.unfinished() || replay.loss() != null).as("length " + length).isTrue();
      assertThat(replay.hashes()).isZero();
    }
    assertThat(replay(Arrays.copyOf(whole, FRAMES)).loss()).contains("cut short");
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
      assertThat(replay(longer)).isEqualTo(whole(9, more));
    }
    // A power cut may also leave zeros instead of the last frame, if its mark is not there.
    byte[] wiped = marked(whole, 3, 1);
    Arrays.fill(wiped, whole.length - frame(5), whole.length, (byte) 0);
    assertThat(replay(wiped)).isEqualTo(whole(4, frame(5)));
  }

  @Test
  void damageToWhatWasOnDisk_isMissed_atEveryBit() throws IOException {
    byte[] whole = journal(3, 1, 5);
    for (long bit = 0; bit < 8L * whole.length; bit++) {
      if (isUnused(bit / 8) && bit % 8 != bit / 8 % 8) {
        continue; // Of a byte that nobody reads, one bit is as good as eight.
      }
      byte[] damaged = Surgery.flipBit(whole, bit);
      Replay replay = replay(damaged);
      String where = "bit " + bit;
      if (isPadding(bit / 8)) {
        assertThat(replay).as(where).isEqualTo(whole(9, 0));
      } else if (bit / 8 >= 512 && bit / 8 < FRAMES) {
        // One of the two marks is enough; the frames are there anyway.
        assertThat(replay).as(where).isEqualTo(whole(9, 0));
      } else {
        assertThat(replay.loss()).as(where).startsWith(path().toString());
      }
    }
  }

  /** The sectors of the header and of the marks, behind these. */
  private static boolean isUnused(long at) {
    return at < FRAMES && at % Journal.MARK_AT >= Journal.HEADER_BYTES;
  }

  /** What means nothing: the ends of the sectors, and of each frame. */
  private static boolean isPadding(long at) {
    long first = FRAMES + frame(3);
    long second = first + frame(1);
    long third = second + frame(5);
    return (at >= 20 && at < 512)
        || (at >= first - 4 && at < first)
        || (at >= second - 4 && at < second)
        || at >= third - 4;
  }

  @Test
  void damage_saysWhere_andTheOtherFramesAreRead() throws IOException {
    byte[] whole = journal(3, 1, 5);
    Replay replay = replay(Surgery.flipBit(whole, 8L * (FRAMES + 12)));
    assertThat(replay.loss()).endsWith("damaged at byte 1,536, which had been on disk");
    assertThat(replay.hashes()).isEqualTo(6);
    Replay headless = replay(Surgery.flipBit(whole, 80));
    assertThat(headless.loss()).endsWith("not a journal, or its header is damaged");
    assertThat(headless.hashes()).isEqualTo(9);
    byte[] markless = whole.clone();
    Arrays.fill(markless, 512, FRAMES, (byte) 0);
    assertThat(replay(markless).loss()).endsWith("not a journal, or its header is damaged");
  }

  @Test
  void aFrameInAnotherPlace_orOfAnotherJournal_isMissed() throws IOException {
    byte[] whole = journal(2, 2, 2);
    byte[] moved = whole.clone();
    System.arraycopy(whole, FRAMES, moved, FRAMES + frame(2), frame(2));
    assertThat(replay(moved).loss()).contains("damaged at byte 1,568");
    byte[] other;
    Files.delete(path());
    try (Journal journal = Journal.create(path(), NUMBER - 1, FILTER)) {
      journal.append(11);
      journal.sync(journal.append(12));
    }
    other = Files.readAllBytes(path());
    byte[] mixed = whole.clone();
    System.arraycopy(other, FRAMES, mixed, FRAMES, frame(2));
    assertThat(replay(mixed).loss()).contains("damaged at byte 1,536");
    assertThatThrownBy(() -> replay(other))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("the journal of another filter");
  }

  @Test
  void anUnsyncedFrameThatIsLost_doesNotHideAWholeOneBehindIt() throws IOException {
    try (Journal journal = create()) {
      for (long hash = 1; hash <= 16_001; hash++) {
        journal.append(hash); // Two full frames go out by themselves, unsynced.
      }
      journal.sync(16_001);
    }
    byte[] bytes = marked(Files.readAllBytes(path()));
    bytes[FRAMES + 100] ^= 1;
    assertThat(replay(bytes)).isEqualTo(whole(8001, frame(8000)));
  }

  @Test
  void theJournalOfAnotherFilter_isRefused() throws IOException {
    journal(1);
    assertThatThrownBy(() -> JournalReader.replay(path(), NUMBER, FILTER + 1, hash -> {}))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("the journal of another filter");
  }

  @Test
  void aJournalThatWasBeingMade_holdsNothing_whateverIsThere() throws IOException {
    for (int length = 0; length <= FRAMES; length++) {
      assertThat(replay(new byte[length])).isEqualTo(new Replay(true, 0, length, false, null));
    }
    assertThat(replay(new byte[FRAMES + frame(1)]).loss()).contains("not a journal");
  }

  @Test
  void anEnd_isOnDisk_withAllThatCameBefore() throws IOException {
    try (Journal journal = create()) {
      journal.append(1);
      journal.end();
    }
    byte[] ended = Files.readAllBytes(path());
    assertThat(replay(ended)).isEqualTo(new Replay(false, 1, 0, true, null));
    assertThat(replay(journal(1)).ended()).as("control").isFalse();
  }

  @Test
  void hostileBytes_takeLittleMoreThanTheirChecksum() throws IOException {
    int size = 32 << 20;
    for (boolean heads : new boolean[] {false, true}) {
      ByteBuffer bytes = ByteBuffer.allocate(FRAMES + size).order(ByteOrder.LITTLE_ENDIAN);
      bytes.put(journal());
      while (heads && bytes.remaining() >= 8) {
        bytes.putInt(0x314d_5246).putInt(8000); // Each says that a frame of 64 kB begins.
      }
      Files.write(path(), bytes.array());
      long before = THREADS.getCurrentThreadCpuTime();
      Surgery.crc(bytes.array(), 0, size);
      long checksum = THREADS.getCurrentThreadCpuTime() - before;
      before = THREADS.getCurrentThreadCpuTime();
      assertThat(JournalReader.replay(path(), NUMBER, FILTER, hash -> {}))
          .isEqualTo(whole(0, size));
      long replay = THREADS.getCurrentThreadCpuTime() - before;
      // Checking a frame at each place it may begin took 1,000 and 10,000 times as long.
      assertThat(replay).as("nanoseconds").isLessThan(200 * Math.max(checksum, 2_000_000));
    }
  }

  @Test
  void aJournalThatCouldNotBeMade_leavesNothing() throws IOException {
    assertThatThrownBy(() -> Journal.create(folder.resolve("no/such/journal"), 1, FILTER))
        .isInstanceOf(IOException.class);
    Files.write(path(), new byte[] {1});
    assertThatThrownBy(() -> Journal.create(path(), 1, FILTER)).isInstanceOf(IOException.class);
    assertThat(path()).as("not ours").hasBinaryContent(new byte[] {1});
  }

  @Test
  void aJournalThatCanNotBeClosed_holdsUpNoOtherThread() throws Exception {
    SteadyFile file =
        new SteadyFile(new RandomAccessFile(path().toFile(), "rw")) {
          @Override
          public void close() throws IOException {
            super.close();
            throw new IOException("the disk is away");
          }
        };
    Journal journal = Journal.create(file, path(), 1, FILTER);
    assertThatThrownBy(journal::close).hasMessage("the disk is away");
    assertThat(CompletableFuture.runAsync(journal::superseded))
        .succeedsWithin(Duration.ofMinutes(1));
  }

  @Test
  void anInterruptedThread_closesNothing() throws IOException {
    try (Journal journal = create()) {
      Thread.currentThread().interrupt();
      journal.sync(journal.append(1));
      for (long hash = 2; hash <= 8002; hash++) {
        journal.append(hash); // A full frame is written.
      }
      assertThat(Thread.interrupted()).as("still interrupted").isTrue();
      journal.sync(8002);
    }
    Thread.currentThread().interrupt();
    assertThat(replay(Files.readAllBytes(path()))).isEqualTo(whole(8002, 0));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void afterAnError_nothingIsTaken() throws IOException {
    Journal journal = create();
    journal.sync(journal.append(1));
    journal.append(2);
    journal.close(); // As good as an error: nothing more can be written.
    assertThatThrownBy(() -> journal.sync(2)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> journal.append(3)).hasMessageContaining("open the filter again");
    assertThatThrownBy(journal::end).hasMessageContaining("open the filter again");
    journal.sync(1); // That one is safe.
    journal.superseded();
    journal.sync(2); // And now this one too.
  }

  private static List<Throwable> failures() {
    return List.of(new IOException("full"), new OutOfMemoryError(), new StackOverflowError());
  }

  /** A native write allocates memory, and any call may be the last that fits the stack. */
  @Test
  void afterAnyError_anywhere_nothingReturnsThatIsNotOnDisk() throws IOException {
    for (Throwable failure : failures()) {
      int failed = 0;
      boolean toFail = false;
      while (!toFail) {
        Files.deleteIfExists(path());
        FailingFile file = FailingFile.at(path());
        Journal journal = file.journal(path(), NUMBER, FILTER);
        journal.sync(journal.append(1));
        journal.append(2);
        file.failAfter(failed, failure);
        Throwable thrown = catchThrowable(journal::end);
        toFail = file.isToFail();
        if (!toFail) {
          assertThat(thrown).isSameAs(failure);
          String where = failure + " in call " + failed;
          assertThatThrownBy(() -> journal.append(3)).as(where).isInstanceOf(IOException.class);
          assertThatThrownBy(journal::end).as(where).isInstanceOf(IOException.class);
          assertReturnsOnlyIfOnDisk(journal, 2, where);
          assertThat(replay(Files.readAllBytes(path())).loss()).as(where).isNull();
          failed++;
        }
        journal.close();
      }
      assertThat(failed).as("two writes and two fsyncs, and the mark of the first").isEqualTo(5);
    }
  }

  private void assertReturnsOnlyIfOnDisk(Journal journal, long hash, String where)
      throws IOException {
    if (catchThrowable(() -> journal.sync(hash)) == null) {
      List<Long> hashes = new ArrayList<>();
      replay(Files.readAllBytes(path()), hashes);
      assertThat(hashes).as(where).contains(hash);
    }
  }

  @Test
  void afterAnErrorInAnAppend_nothingIsTaken() throws IOException {
    for (Throwable failure : failures()) {
      Files.deleteIfExists(path());
      FailingFile file = FailingFile.at(path());
      try (Journal journal = file.journal(path(), NUMBER, FILTER)) {
        file.failAfter(0, failure);
        Throwable thrown = null;
        for (int i = 0; i <= 8000 && thrown == null; i++) { // A frame is full.
          thrown = catchThrowable(() -> journal.append(1));
        }
        assertThat(thrown).isSameAs(failure);
        assertThatThrownBy(() -> journal.append(2)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> journal.sync(1)).isInstanceOf(IOException.class);
      }
    }
  }
}
