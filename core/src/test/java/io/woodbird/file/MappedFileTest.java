package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files so large that they are not read at once. */
@Tag("jdk")
class MappedFileTest {
  private static final long SEED = 11;
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  private Path saved(long dataBytes, long keys) throws IOException {
    BloomShape shape = new BloomShape.Blocked(new BlockedBloom(dataBytes / 64, BlockShape.TWO_3));
    BloomFilter<Long> filter =
        BloomFilters.empty(new FilterSpec<>(Keys.longs(), SEED, keys, 0.01), shape, null);
    for (long key = 0; key < keys; key++) {
      filter.putLong(key);
    }
    Path path = folder.resolve("large.wbird");
    filter.save(path);
    assertThat(path).hasSize(filter.sizeInBytes());
    return path;
  }

  @Test
  void aMappedFile_answersLikeTheFilterItCameFrom() throws IOException {
    Path path = saved(18 * MIB, 200_000);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      int wrong = 0;
      for (long key = 0; key < 200_000; key++) {
        wrong += filter.ask(key) == Answer.MAYBE_HERE ? 0 : 1;
        wrong += filter.mightContainLong(key + 1_000_000) ? 1 : 0;
      }
      assertThat(wrong).isZero();
      filter.verify();
      assertThat(filter.stats().doubts()).isEmpty();
      Path copy = folder.resolve("copy.wbird");
      filter.save(copy);
      assertThat(copy).hasSameBinaryContentAs(path);
    }
  }

  @Test
  void close_whileThreadsAsk_givesRightAnswersOrAnException() throws Exception {
    Path path = saved(18 * MIB, 100_000);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 20; round++) {
        OpenFilter<Long> filter = Woodbird.open(path, Keys.longs());
        AtomicLong denied = new AtomicLong();
        CountDownLatch running = new CountDownLatch(4);
        List<Future<?>> futures = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
          int way = thread;
          futures.add(threads.submit(() -> askUntilClosed(filter, way, denied, running)));
        }
        running.await();
        Thread.sleep(round % 5);
        filter.close();
        for (Future<?> future : futures) {
          future.get(10, TimeUnit.MINUTES); // Throws if a thread met anything else.
        }
        assertThat(denied).hasValue(0);
        assertThatThrownBy(() -> filter.mightContainLong(1L))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("the filter is closed");
        assertThatThrownBy(() -> filter.ask(1L)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> filter.candidates(List.of(1L)))
            .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(filter::verify).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(filter::stats).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> filter.save(folder.resolve("closed")))
            .isInstanceOf(IllegalStateException.class);
        filter.close(); // Twice is as good as once.
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void askUntilClosed(
      OpenFilter<Long> filter, int way, AtomicLong denied, CountDownLatch running) {
    try {
      for (long key = way; ; key = (key + 1) % 100_000) {
        long present = key;
        boolean maybe =
            switch (way) {
              case 0 -> filter.mightContainLong(present);
              case 1 -> filter.ask(present) == Answer.MAYBE_HERE;
              case 2 -> filter.candidates(List.of(present, present)).size() == 2;
              default -> filter.mightContainHash(filter.hashOfLong(present));
            };
        if (!maybe) {
          denied.incrementAndGet();
        }
        running.countDown();
      }
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("the filter is closed");
    }
  }

  @Test
  void aMappedFileThatIsCutShort_saysSo_andAnswersUnknown() throws IOException {
    Path path = saved(18 * MIB, 1000);
    try (OpenFilter<Long> filter = Woodbird.map(path, Keys.longs())) {
      assertThat(filter.ask(-5L)).isEqualTo(Answer.NOT_HERE);
      cutLastByte(path); // Within the last page of the system, so that no read faults.
      assertThat(filter.ask(-5L)).as("the footer is no longer whole").isEqualTo(Answer.UNKNOWN);
      assertThat(filter.ask(5L)).isEqualTo(Answer.UNKNOWN);
      assertSaysThatItIsCut(filter);
    }
  }

  @Test
  void anOpenFileThatIsCutShort_saysSo_andAnswersFromThePagesThatItHas() throws IOException {
    Path path = saved(18 * MIB, 1000);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      assertThat(filter.ask(-5L)).isEqualTo(Answer.NOT_HERE);
      cutLastByte(path);
      assertThat(filter.ask(-5L)).as("its page is ours").isEqualTo(Answer.NOT_HERE);
      assertThat(filter.ask(5L)).as("not read before").isEqualTo(Answer.UNKNOWN);
      assertThat(filter.candidates(List.of(-5L, 5L, -6L))).containsExactly(5L, -6L);
      assertSaysThatItIsCut(filter);
    }
  }

  private static void cutLastByte(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - 1);
    }
  }

  private void assertSaysThatItIsCut(OpenFilter<Long> filter) {
    assertThat(filter.stats().doubts()).contains("the file was cut short while it was open");
    assertThatThrownBy(filter::verify).hasMessageContaining("cut short");
    assertThatThrownBy(() -> filter.save(folder.resolve("copy"))).hasMessageContaining("cut short");
    assertThat(folder.resolve("copy")).doesNotExist();
  }

  @Test
  void aDamagedPage_isTriedAgain_andAnswersWhenItIsWhole() throws IOException {
    Path path = saved(18 * MIB, 1000);
    byte[] whole = Files.readAllBytes(path);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      Files.write(path, new byte[whole.length], StandardOpenOption.WRITE);
      assertThat(filter.ask(-5L)).isEqualTo(Answer.UNKNOWN);
      assertThat(filter.stats().doubts())
          .contains("the file was overwritten while it was open")
          .hasSize(2);
      Files.write(path, whole, StandardOpenOption.WRITE);
      filter.verify();
      assertThat(filter.ask(-5L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.stats().doubts()).isEmpty();
    }
  }

  @Test
  void replacingAnOpenFile_leavesTheOpenOneAsItWas() throws IOException {
    Path path = saved(18 * MIB, 1000);
    try (OpenFilter<Long> old = Woodbird.open(path, Keys.longs())) {
      saved(19 * MIB, 2000);
      assertThat(old.ask(1500L)).isEqualTo(Answer.NOT_HERE);
      old.verify();
      try (OpenFilter<Long> fresh = Woodbird.open(path, Keys.longs())) {
        assertThat(fresh.ask(1500L)).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  @Test
  void opening_takesATwentiethOfReading() throws IOException {
    assertOpensFast(saved(200 * MIB, 1000));
  }

  @Tag("slow")
  @Test
  void openingAGigabyte_takesATwentiethOfReading() throws IOException {
    assertOpensFast(saved(1024 * MIB, 1000));
  }

  private static void assertOpensFast(Path path) throws IOException {
    long reading = Long.MAX_VALUE;
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) MIB);
    for (int i = 0; i < 3; i++) {
      long start = System.nanoTime();
      try (FileChannel channel = FileChannel.open(path)) {
        while (channel.read(buffer.clear()) > 0) {
          // To the end.
        }
      }
      reading = Math.min(reading, System.nanoTime() - start);
    }
    long opening = Long.MAX_VALUE;
    for (int i = 0; i < 10; i++) {
      long start = System.nanoTime();
      try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
        opening = Math.min(opening, System.nanoTime() - start);
        assertThat(filter.mightContainLong(1L)).isTrue();
      }
    }
    System.out.printf(
        "%,d bytes: opened in %.2f ms, read in %.1f ms%n",
        Files.size(path), opening / 1e6, reading / 1e6);
    assertThat(opening).isLessThan(reading / 20);
  }

  @Tag("slow")
  @Test
  void aFilePastTwoGibibytes_answers() throws IOException {
    Path path = saved(2200 * MIB, 3_000_000);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      int wrong = 0;
      for (long key = 0; key < 3_000_000; key++) {
        wrong += filter.mightContainLong(key) ? 0 : 1;
        wrong += filter.mightContainLong(~key) ? 1 : 0;
      }
      assertThat(wrong).isZero();
      filter.verify();
    }
  }
}
