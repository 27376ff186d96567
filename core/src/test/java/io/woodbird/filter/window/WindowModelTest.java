package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Windows against the model, one thread, and what a clock or a file may do to them. */
final class WindowModelTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();

  private static Generational layout(int blocks, BlockShape shape) {
    return new Generational(new BlockedBloom(blocks, shape));
  }

  private static WindowFilter<Long> window(long keys, long span, AtomicLong clock) {
    FilterSpec<Long> spec = new FilterSpec<>(Keys.longs(), 4, keys, 0.01);
    return new WindowFilter<>(spec, layout(40, BlockShape.FOUR_2), span, clock::get);
  }

  private static byte[] bytes(MutableFilter<Long> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Test
  void everyKeyOfTheWindowIsHereWhateverIsPutSavedAndReadAgain() throws IOException {
    long seed = new SplittableRandom().nextLong();
    for (long i = seed; i < seed + 100; i++) {
      SplittableRandom random = new SplittableRandom(i);
      int keys = 1 + random.nextInt(40);
      long span = random.nextBoolean() ? HOUR : 0;
      WindowModel model = new WindowModel(span, keys);
      FilterSpec<Long> spec = new FilterSpec<>(Keys.longs(), i, keys, 0.01);
      BlockShape shape = BlockShape.values()[random.nextInt(BlockShape.values().length)];
      Generational layout = layout(1 + random.nextInt(8), shape);
      WindowFilter<Long> filter = new WindowFilter<>(spec, layout, span, model);
      int often = 1 + random.nextInt(2 * keys);
      for (int act = 0; act < 400; act++) {
        long key = random.nextInt(4) == 0 ? random.nextInt(4 * keys) : random.nextInt(often);
        switch (random.nextInt(40)) {
          case 0 -> model.move(-random.nextLong(1L << 50));
          case 1, 2, 3 -> model.move(random.nextLong(HOUR / 3));
          case 4 -> {
            byte[] saved = bytes(filter);
            filter = new WindowFilter<>(spec, layout, span, model);
            WindowCodec.fill(filter, FileReader.read(new ByteArrayInputStream(saved)));
          }
          default -> {
            Object put = model.called(key);
            int moment = model.moment();
            boolean known = model.mustKnow(key, moment, moment);
            assertThat(filter.put((Long) key) && known).as("new, seed %d", i).isFalse();
            model.returned(put);
          }
        }
        int now = model.moment();
        long asked = random.nextInt(4 * keys);
        assertThat(filter.mightContain((Long) asked) || !model.mustKnow(asked, now, now))
            .as("key %d, seed %d", asked, i)
            .isTrue();
      }
    }
  }

  @Test
  void theLastDistinctKeysAreHereHoweverOftenSomeComeAgain() {
    for (int often : new int[] {1, 142, 143, 249, 250, 999}) {
      WindowFilter<Long> filter = window(1000, 0, new AtomicLong());
      filter.put((Long) (-1L));
      for (long put = 0; put < 100_000; put++) {
        filter.put((Long) (put % often));
      }
      assertThat(filter.mightContain((Long) (-1L))).as("%d others", often).isTrue();
      assertThat(filter.stats().overfull()).isFalse();
      for (long key = 0; key < 3 * 1000; key++) {
        filter.put((Long) (key + 1_000_000));
      }
      assertThat(filter.mightContain((Long) (-1L))).as("3,000 others later").isFalse();
    }
  }

  @Test
  void aWindowThatIsSavedAndReadAllTheTimeRemembersNoLess() throws IOException {
    WindowFilter<Long> filter = window(100, 0, new AtomicLong());
    for (long key = 0; key < 1000; key++) {
      filter.put((Long) key);
      for (long recent = Math.max(0, key - 99); recent <= key; recent++) {
        assertThat(filter.mightContain((Long) recent)).as("%d of %d", recent, key).isTrue();
      }
      byte[] saved = bytes(filter);
      filter = window(100, 0, new AtomicLong());
      WindowCodec.fill(filter, FileReader.read(new ByteArrayInputStream(saved)));
    }
    assertThat(filter.mightContain((Long) 0L)).isFalse();
  }

  /** A thread has read the clock and goes on when it was set back and another has seen that. */
  @Test
  void aThreadThatPausesAfterReadingTheClockDoesNotPushTheWindowOn() throws Exception {
    AtomicLong time = new AtomicLong();
    AtomicReference<Thread> slow = new AtomicReference<>();
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    MutableFilter<Long> filter =
        Woodbird.window(Keys.longs(), 1000, Duration.ofMinutes(30))
            .seed(4)
            .clock(
                () -> {
                  long now = time.get();
                  if (slow.compareAndSet(Thread.currentThread(), null)) {
                    read.countDown();
                    try {
                      go.await();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }
                  return now;
                })
            .build();
    time.set(2 * HOUR);
    filter.put((Long) 5L);
    time.addAndGet(HOUR / 12);
    filter.put((Long) 6L); // Begins another generation.
    Thread thread = new Thread(() -> filter.mightContain((Long) 0L));
    slow.set(thread);
    thread.start();
    read.await();
    time.addAndGet(-HOUR);
    assertThat(filter.mightContain((Long) 5L)).isTrue();
    go.countDown();
    thread.join();
    assertThat(filter.mightContain((Long) 5L)).isTrue();
    assertThat(filter.put((Long) 5L)).isFalse();
  }

  @Test
  void aClockThatThrowsLosesNoKeyAndStopsNothing() {
    AtomicLong time = new AtomicLong();
    AtomicLong broken = new AtomicLong(Long.MAX_VALUE);
    FilterSpec<Long> spec = new FilterSpec<>(Keys.longs(), 4, 1000, 0.01);
    WindowFilter<Long> filter =
        new WindowFilter<>(
            spec,
            layout(40, BlockShape.FOUR_2),
            7 * HOUR,
            () -> {
              if (broken.getAndDecrement() <= 0) {
                throw new IllegalStateException("no time");
              }
              return time.get();
            });
    for (long key = 0; key < 100; key++) {
      time.addAndGet(HOUR);
      broken.set(key % 4); // Later and later in a put.
      try {
        filter.put((Long) key);
      } catch (IllegalStateException e) {
        broken.set(Long.MAX_VALUE);
        filter.put((Long) key);
      }
      broken.set(Long.MAX_VALUE);
      for (long recent = Math.max(0, key - 6); recent <= key; recent++) {
        assertThat(filter.mightContain((Long) recent)).isTrue();
      }
    }
    assertThat(filter.mightContain((Long) 0L)).isFalse();
  }

  @Test
  void aFileForMoreKeysThanCanBeKeepsWhatIsPut() throws IOException {
    for (long span : new long[] {0, HOUR}) {
      WindowFilter<Long> filter = window(1000, span, new AtomicLong());
      Header honest = filter.image().header();
      Header lie =
          new Header(
              honest.layout(),
              honest.seed(),
              honest.keyId(),
              Long.MAX_VALUE,
              honest.promisedFpp(),
              0,
              honest.dataBytes(),
              honest.parameters());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      FileWriter.writeTo(lie, filter.image().data(), out);
      MutableFilter<Long> read = read(out.toByteArray());
      read.put((Long) (-1L));
      for (long key = 0; key < 20_000; key++) {
        read.put((Long) key);
        assertThat(read.mightContain((Long) (-1L))).isTrue();
      }
    }
  }

  @Test
  void aFileWithTheOldestAgesAndSpansForgetsNothingEarly() throws IOException {
    for (long age : new long[] {-1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      for (long span : new long[] {0, 1, HOUR, Long.MAX_VALUE}) {
        MutableFilter<Long> read = read(crafted(span, 1L << 62, age));
        for (long key = 0; key < 3000; key++) {
          read.put((Long) key);
          assertThat(span == 1 || read.mightContain((Long) key)).isTrue();
          long recent = Math.max(0, key - 999);
          assertThat(span == 1 || read.mightContain((Long) recent)).isTrue();
        }
      }
    }
    assertThatThrownBy(() -> read(crafted(HOUR, (1L << 62) + 1, 0)))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("generation");
  }

  /** A file with all bits of all generations set, and a state as wanted. */
  private static byte[] crafted(long span, long newest, long age) throws IOException {
    WindowFilter<Long> filter = window(1000, span, new AtomicLong());
    long words = filter.words().count();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileWriter.writeTo(
        filter.image().header(),
        (offset, target) -> {
          for (long word = offset / 8; target.hasRemaining(); word++) {
            long state = word == words ? newest : age;
            target.putLong(~(word < words ? (word % 2 == 0 ? -1 : 0) : state));
          }
        },
        out);
    return out.toByteArray();
  }

  private static MutableFilter<Long> read(byte[] file) throws IOException {
    return (MutableFilter<Long>) Woodbird.readFrom(new ByteArrayInputStream(file), Keys.longs());
  }
}
