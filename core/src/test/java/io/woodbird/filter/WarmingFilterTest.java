package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.bloom.BloomCodec;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large files: answered page by page, then from the heap. */
@Tag("compiled")
class WarmingFilterTest {
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

  @Test
  void close_aQuestionMeanwhile_isAnswered() throws Exception {
    StoredFile file = FileReader.open(large(Family.BLOCKED), OpenRules.ANY);
    FilterSpec<Long> spec = StoredFilters.spec(file, Keys.longs());
    AtomicReference<Runnable> beforeClose = new AtomicReference<>(() -> {});
    WarmingFilter<Long> filter = new WarmingFilter<>(spec, file, new Told(beforeClose));
    filter.verify();
    await(filter);
    AtomicBoolean answer = new AtomicBoolean();
    beforeClose.set(() -> answer.set(filter.mightContain(1L)));
    filter.close();
    assertThat(answer).isTrue();
    assertThatThrownBy(() -> filter.mightContain(1L)).isInstanceOf(IllegalStateException.class);
  }

  /** Makes stored filters that call back when they are about to be closed. */
  private record Told(AtomicReference<Runnable> beforeClose) implements Codec {
    @Override
    @SuppressWarnings("unchecked") // A proxy of the interface.
    public <K> OpenFilter<K> stored(FilterSpec<K> spec, StoredFile file)
        throws CorruptFilterException {
      OpenFilter<K> stored = BloomCodec.INSTANCE.stored(spec, file);
      return (OpenFilter<K>)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {OpenFilter.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("close")) {
                  beforeClose.get().run();
                }
                try {
                  return method.invoke(stored, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getTargetException();
                }
              });
    }

    @Override
    public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
      return BloomCodec.INSTANCE.onHeap(spec, file);
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
    return ((WarmingFilter<Long>) filter).isWarm();
  }

  private static void await(OpenFilter<Long> filter) throws InterruptedException {
    while (!isWarm(filter)) {
      Thread.sleep(5);
    }
  }
}
