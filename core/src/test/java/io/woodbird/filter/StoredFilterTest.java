package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWithHook;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.bloom.BloomCodec;
import io.woodbird.filter.frozen.FrozenCodec;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The states of an opened filter: large files are cold, then warm; small ones are loaded. */
@Tag("compiled")
class StoredFilterTest {
  private static final long KEYS = 100_000;

  /** Fewer bytes are read at once. */
  private static final long LARGE = 16 << 20;

  @TempDir private static Path all;
  @TempDir private Path folder;

  private enum Family {
    BLOCKED,
    CLASSIC,
    RIBBON
  }

  @ParameterizedTest
  @EnumSource(Family.class)
  void open_allPagesRead_answersFromTheHeap(Family family) throws Exception {
    Path path = large(family);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      assertThat(isWarm(filter)).isFalse();
      assertAllAreHere(filter);
      filter.verify();
      await(filter);
      assertAllAreHere(filter);
      assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.stats().doubts()).isEmpty();
      filter.verify();
      Path copy = folder.resolve("copy.wbird");
      filter.save(copy);
      assertThat(copy).hasSameBinaryContentAs(path);
    }
  }

  @ParameterizedTest
  @EnumSource(Family.class)
  void open_wipedAfterAllWasRead_answersOn(Family family) throws Exception {
    Path path = large(family);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      filter.verify();
      await(filter);
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        file.setLength(0);
      }
      assertAllAreHere(filter);
      assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.stats().doubts())
          .containsExactly("the file was cut short while it was open");
      assertThatThrownBy(filter::verify).isInstanceOf(CorruptFilterException.class);
    }
  }

  @Test
  void open_aPageIsDamaged_staysWithItsPages() throws Exception {
    Path path = large(Family.BLOCKED);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(LARGE / 2);
      int flipped = file.read() ^ 1;
      file.seek(LARGE / 2);
      file.write(flipped);
    }
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      assertThatThrownBy(filter::verify).isInstanceOf(CorruptFilterException.class);
      assertAllAreHere(filter);
      assertThat(isWarm(filter)).isFalse();
      assertThat(filter.stats().doubts()).hasSize(1);
    }
  }

  @Test
  void close_whileItMovesToTheHeap_isClosed() throws Exception {
    Path path = large(Family.BLOCKED);
    for (int round = 0; round < 20; round++) {
      OpenFilter<Long> filter = Woodbird.open(path, Keys.longs());
      filter.verify(); // The copying begins.
      for (int i = 0; i < round; i++) {
        Thread.sleep(1);
      }
      filter.close();
      assertThatThrownBy(() -> filter.mightContain(1L)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> filter.candidates(List.of(1L)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /** The file is closed, and the filter does not say so yet. */
  @Test
  void close_aQuestionMeanwhile_isAnswered() throws Exception {
    AtomicReference<Runnable> afterClose = new AtomicReference<>(() -> {});
    StoredFilter<Long> filter = warming(large(Family.BLOCKED), afterClose, BloomCodec.INSTANCE);
    filter.verify();
    await(filter);
    AtomicBoolean answer = new AtomicBoolean();
    afterClose.set(() -> answer.set(filter.mightContain(1L)));
    filter.close();
    assertThat(answer).isTrue();
    assertIsClosed(filter);
  }

  @ParameterizedTest
  @EnumSource(Family.class)
  void close_aQuestionMeanwhileToThePages_throws(Family family) throws Exception {
    Codec codec = family == Family.RIBBON ? FrozenCodec.INSTANCE : BloomCodec.INSTANCE;
    AtomicReference<Runnable> afterClose = new AtomicReference<>(() -> {});
    StoredFilter<Long> filter = warming(large(family), afterClose, codec);
    assertThat(filter.mightContain(1L)).isTrue(); // Its page was read.
    afterClose.set(() -> assertIsClosed(filter));
    filter.close();
    assertIsClosed(filter);
  }

  @Test
  void close_whenTheCopyWasAboutToAnswer_dropsTheCopy() throws Exception {
    AtomicReference<Runnable> copied = new AtomicReference<>(() -> {});
    CountDownLatch closed = new CountDownLatch(1);
    StoredFilter<Long> filter =
        warming(
            large(Family.BLOCKED),
            new AtomicReference<>(() -> {}),
            new CodecWithHooks(new AtomicReference<>(() -> {}), copied));
    copied.set(
        () -> {
          filter.close();
          closed.countDown();
        });
    filter.verify();
    closed.await();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("woodbird-warm")) {
        thread.join();
      }
    }
    assertThat(filter.isWarm()).isFalse();
    assertIsClosed(filter);
  }

  /** A question that began with the pages ends with them, whatever happens to the filter. */
  @Test
  void aQuestionThatBeganBeforeTheMove_isAnsweredByItsPages() throws Exception {
    AtomicReference<Runnable> asked = new AtomicReference<>(() -> {});
    StoredFilter<Long> filter =
        warming(
            large(Family.BLOCKED),
            new AtomicReference<>(() -> {}),
            new CodecWithHooks(asked, new AtomicReference<>(() -> {})));
    asked.set(
        () -> {
          asked.set(() -> {});
          try {
            filter.verify(); // All pages are read, and the filter moves.
            await(filter);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
          filter.close(); // Closes what is warm, and that does not have the pages.
        });
    assertThat(filter.mightContain(1L)).isTrue();
    assertIsClosed(filter);
  }

  @Test
  void close_ofASmallFile_closesIt_andItsSizeIsStillKnown() throws Exception {
    MutableFilter<Long> small = Woodbird.bloom(Keys.longs(), 1000).build();
    small.put(1L);
    Path path = folder.resolve("small.wbird");
    small.save(path);
    OpenFilter<Long> filter = Woodbird.open(path, Keys.longs());
    assertThat(filter.mightContain(1L)).isTrue();
    filter.close();
    filter.close();
    assertIsClosed((StoredFilter<Long>) filter);
    assertThat(filter.sizeInBytes()).isEqualTo(Files.size(path));
  }

  private static StoredFilter<Long> warming(
      Path path, AtomicReference<Runnable> afterClose, Codec codec) throws IOException {
    StoredFile file = new FileWithHook(FileReader.open(path, OpenRules.ANY), afterClose);
    return StoredFilter.warming(StoredFilters.spec(file, Keys.longs()), file, codec);
  }

  private static void assertIsClosed(StoredFilter<Long> filter) {
    List<ThrowingCallable> calls =
        List.of(
            () -> filter.mightContain(1L),
            () -> filter.mightContain(-1L),
            () -> filter.ask(1L),
            () -> filter.candidates(List.of(1L, -1L)),
            filter::stats,
            filter::verify,
            () -> filter.writeTo(OutputStream.nullOutputStream()));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the filter is closed");
    }
    assertThat(filter).hasToString("the filter is closed"); // A log line must not throw.
  }

  /**
   * Bloom filters that call back.
   *
   * @param asked before the pages are asked about a hash
   * @param copied when all was copied to the heap, and nothing answers from there yet
   */
  private record CodecWithHooks(AtomicReference<Runnable> asked, AtomicReference<Runnable> copied)
      implements Codec {
    @Override
    public StoredForm stored(StoredFile file) throws CorruptFilterException {
      StoredForm form = BloomCodec.INSTANCE.stored(file);
      return new StoredForm(file) {
        @Override
        protected boolean denies(long hash) {
          return form.denies(hash);
        }

        @Override
        protected int keptIfWhole(long hash) {
          asked.get().run();
          return form.keptIfWhole(hash);
        }

        @Override
        protected boolean lacks(long hash) {
          return form.lacks(hash);
        }

        @Override
        protected long touch(long hash) {
          return form.touch(hash);
        }

        @Override
        protected FilterStats look(FilterSpec<?> spec) {
          return form.look(spec);
        }
      };
    }

    @Override
    public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
      Filter<K> heap = BloomCodec.INSTANCE.onHeap(spec, file);
      copied.get().run();
      return heap;
    }
  }

  /** A copy of the file of a family, which is built once: that takes most of the time. */
  private Path large(Family family) throws IOException {
    Path path = all.resolve(family + ".wbird");
    if (!Files.exists(path)) {
      build(family, path);
    }
    return Files.copy(path, folder.resolve(family + ".wbird"));
  }

  private static void build(Family family, Path path) throws IOException {
    if (family == Family.RIBBON) {
      Woodbird.frozen(Keys.longs())
          .fpp(0x1p-32)
          .withoutVerifying()
          .buildTo(path, LongStream.range(0, 4_400_000).boxed());
    } else {
      var builder = Woodbird.bloom(Keys.longs(), 15_000_000);
      MutableFilter<Long> filter = (family == Family.CLASSIC ? builder.classic() : builder).build();
      LongStream.range(0, KEYS).forEach(filter::putLong);
      filter.save(path);
    }
    assertThat(Files.size(path)).isGreaterThan(LARGE);
  }

  private static void assertAllAreHere(OpenFilter<Long> filter) {
    long here = LongStream.range(0, KEYS).filter(filter::mightContainLong).count();
    assertThat(here).isEqualTo(KEYS);
    List<Long> keys = LongStream.range(0, KEYS).boxed().toList();
    assertThat(filter.candidates(keys)).hasSize((int) KEYS);
  }

  private static boolean isWarm(OpenFilter<Long> filter) {
    return ((StoredFilter<Long>) filter).isWarm();
  }

  private static void await(OpenFilter<Long> filter) throws InterruptedException {
    while (!isWarm(filter)) {
      Thread.sleep(5);
    }
  }
}
