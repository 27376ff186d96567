package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
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
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mapped file that is overwritten, as cp and rsync --inplace do: no answer rests on it again. */
class OverwrittenFileTest {
  private static final int KEYS = 20_000;

  @TempDir private Path folder;

  private enum Kind {
    BLOOM,
    RIBBON,
    FUSE,
    QUOTIENT,
    GROWING,
    WINDOW;

    Filter<Long> build(long seed, long firstKey) throws IOException {
      MutableFilter<Long> filter =
          switch (this) {
            case BLOOM -> Woodbird.bloom(Keys.longs(), KEYS).seed(seed).build();
            case QUOTIENT -> Woodbird.deletable(Keys.longs(), KEYS).seed(seed).build();
            case GROWING -> Woodbird.growing(Keys.longs()).seed(seed).build();
            case WINDOW -> Woodbird.window(Keys.longs(), KEYS).seed(seed).build();
            default -> null;
          };
      if (filter == null) {
        var builder = Woodbird.frozen(Keys.longs()).fpp(1 / 4096.0).seed(seed).threads(1);
        return (this == FUSE ? builder.fastToAsk() : builder)
            .buildFrom(LongStream.range(firstKey, firstKey + KEYS).boxed().iterator());
      }
      for (long key = firstKey; key < firstKey + KEYS; key++) {
        filter.put(key);
      }
      return filter;
    }
  }

  private static int denied(Filter<Long> filter, long firstKey) {
    int denied = 0;
    for (long key = firstKey; key < firstKey + KEYS; key++) {
      denied += filter.mightContain(key) ? 0 : 1;
    }
    return denied;
  }

  private static int deniedInBatch(Filter<Long> filter) {
    return KEYS - filter.candidates(LongStream.range(0, KEYS).boxed().toList()).size();
  }

  /** Writes into the file, so that whoever has it mapped sees it. */
  private static void overwrite(Path path, byte[] bytes, boolean emptyFirst) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      if (emptyFirst) {
        channel.truncate(0);
      }
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  private static ByteBuffer map(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
    }
  }

  /** A delta would be taken for one of this base, or made for another. */
  @Test
  void aPageTableThatIsOverwritten_isNoReferenceOfADelta() throws IOException {
    Path path = folder.resolve("base.wbird");
    Kind.RIBBON.build(1, 0).save(path);
    try (StoredFile owned = AsLarge.opened(path);
        StoredFile mapped = AsLarge.mapped(path)) {
      assertThat(owned.reference()).isEqualTo(mapped.reference());
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), owned.frame().tableAt());
      }
      for (StoredFile opened : new StoredFile[] {owned, mapped}) {
        assertThatThrownBy(opened::reference)
            .isInstanceOf(CorruptFilterException.class)
            .hasMessageContaining("page table");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void underAnotherSeed_nothingIsDenied(Kind kind) throws IOException {
    assertDeniesNothing(kind, kind.build(2, 0), kind.build(3, 0));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void underTheSameSeed_nothingIsDenied(Kind kind) throws IOException {
    assertDeniesNothing(kind, kind.build(2, 0), kind.build(2, 1_000_000));
  }

  private void assertDeniesNothing(Kind kind, Filter<Long> old, Filter<Long> other)
      throws IOException {
    Path path = folder.resolve(kind + ".wbird");
    old.save(path);
    Filter<Long> mapped = Woodbird.wrap(map(path), Keys.longs());
    assertThat(denied(mapped, 0)).isZero();
    assertThat(denied(mapped, 5_000_000)).as("pages that are good").isPositive();
    byte[] bytes = GoldenFiles.bytes(other);
    // Files of equal length, as it is where the size follows from the number of keys.
    byte[] fitted = java.util.Arrays.copyOf(bytes, (int) Files.size(path));
    System.arraycopy(bytes, bytes.length - 16, fitted, fitted.length - 16, 16);
    overwrite(path, fitted, false);
    assertThat(denied(mapped, 0)).isZero();
    assertThat(deniedInBatch(mapped)).isZero();
    assertThat(mapped.ask(5_000_000L)).isEqualTo(Answer.UNKNOWN);
    assertThat(mapped.stats().doubts()).contains("the file was overwritten while it was open");
    overwrite(path, GoldenFiles.bytes(old), false);
    assertThat(mapped.ask(5_000_000L)).as("for ever").isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> mapped.save(folder.resolve("copy")))
        .hasMessageContaining("overwritten while it was open");
  }

  /** Large enough to be mapped. */
  private static byte[] large(long seed, long firstKey) {
    BloomShape shape = new BloomShape.Blocked(new BlockedBloom(18 << 14, BlockShape.TWO_3));
    var filter = BloomFilters.empty(new FilterSpec<>(Keys.longs(), seed, KEYS, 0.01), shape, null);
    for (long key = firstKey; key < firstKey + KEYS; key++) {
      filter.put(key);
    }
    return GoldenFiles.bytes(filter);
  }

  @Test
  void anOpenFileOfWhichSomePagesAreLoaded_deniesNothingOfItsOwn() throws IOException {
    for (long seed = 1; seed <= 2; seed++) {
      for (boolean emptied : new boolean[] {false, true}) {
        Path path = folder.resolve("large.wbird");
        Files.write(path, large(1, 0));
        try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
          int before = 0;
          for (long key = 5_000_000; key < 5_000_500; key++) {
            before += filter.mightContain(key) ? 0 : 1;
          }
          assertThat(before).as("some pages are loaded").isGreaterThan(400);
          overwrite(path, large(seed, 1_000_000), emptied);
          assertThat(denied(filter, 0)).isZero();
          assertThat(deniedInBatch(filter)).isZero();
          int after = 0;
          for (long key = 5_000_000; key < 5_000_500; key++) {
            after += filter.mightContain(key) ? 0 : 1;
          }
          assertThat(after).as("these pages are ours").isEqualTo(before);
          assertThat(filter.stats().doubts())
              .contains("the file was overwritten while it was open");
          assertThatThrownBy(filter::verify).hasMessageContaining("while it was open");
        }
        Files.delete(path);
      }
    }
  }

  @Test
  void aMappedFile_emptiedAndWrittenAnew_deniesNothing() throws IOException {
    for (long seed = 1; seed <= 2; seed++) {
      for (boolean batch : new boolean[] {false, true}) {
        Path path = folder.resolve("large.wbird");
        Files.write(path, large(1, 0));
        try (OpenFilter<Long> filter = Woodbird.map(path, Keys.longs())) {
          assertThat(denied(filter, 5_000_000)).isPositive();
          overwrite(path, large(seed, 1_000_000), true);
          assertThat(batch ? deniedInBatch(filter) : denied(filter, 0)).isZero();
          assertThat(filter.stats().doubts()).hasSize(1);
          assertThatThrownBy(filter::verify).hasMessageContaining("while it was open");
        }
        Files.delete(path);
      }
    }
  }

  @Test
  void aFileThatWasCutAndIsWholeAgain_deniesNothingInABatch() throws IOException {
    Path path = folder.resolve("large.wbird");
    byte[] bytes = large(1, 0);
    Files.write(path, bytes);
    try (OpenFilter<Long> filter = Woodbird.map(path, Keys.longs())) {
      overwrite(path, new byte[0], true);
      assertThat(filter.stats().doubts()).contains("the file was cut short while it was open");
      overwrite(path, bytes, false);
      assertThat(deniedInBatch(filter)).isZero();
    }
  }

  @Test
  void aFileThatIsReplaced_staysAsItWas() throws IOException {
    Path path = folder.resolve("large.wbird");
    Files.write(path, large(1, 0));
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      Path next = folder.resolve("next.wbird");
      Files.write(next, large(2, 0));
      Files.move(next, path, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      assertThat(denied(filter, 0)).isZero();
      assertThat(denied(filter, 5_000_000)).isPositive();
      assertThat(filter.stats().doubts()).isEmpty();
    }
  }
}
