package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.woodbird.BloomBuilder;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters in streams and in slices of buffers. */
@Tag("jdk")
class BufferTest {
  @TempDir private Path folder;

  static Stream<Sample> samples() {
    return Sample.ofBytes(64 << 10).stream();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void aSlice_answersLikeTheFile_whereverItLies(Sample sample) throws IOException {
    Filter<Long> expected =
        Woodbird.readFrom(new ByteArrayInputStream(sample.bytes()), Keys.longs());
    for (int position : List.of(0, 1, 3, 7, 8, 4093)) {
      for (ByteBuffer whole :
          List.of(
              ByteBuffer.allocate(sample.bytes().length + 5000),
              ByteBuffer.allocateDirect(sample.bytes().length + 5000))) {
        whole.position(position).put(sample.bytes());
        ByteBuffer slice = whole.duplicate().flip().position(position);
        for (ByteBuffer view :
            List.of(
                slice, slice.asReadOnlyBuffer(), slice.slice().order(ByteOrder.nativeOrder()))) {
          Filter<Long> filter = Woodbird.wrap(view, Keys.longs());
          assertSameAnswers(filter, expected, sample);
          assertThat(view.position()).isEqualTo(view.limit() - sample.bytes().length);
        }
      }
    }
  }

  private static void assertSameAnswers(Filter<Long> filter, Filter<Long> expected, Sample sample) {
    SplittableRandom random = new SplittableRandom(1);
    int wrong = 0;
    for (int i = 0; i < 2000; i++) {
      long present = sample.hashes()[random.nextInt(sample.hashes().length)];
      long any = random.nextLong();
      wrong += filter.mightContainHash(present) ? 0 : 1;
      wrong += filter.mightContainHash(any) == expected.mightContainHash(any) ? 0 : 1;
    }
    assertThat(wrong).isZero();
    assertThat(GoldenFiles.bytes(filter)).isEqualTo(sample.bytes());
    assertThat(filter.sizeInBytes()).isEqualTo(sample.bytes().length);
    assertThat(filter.stats()).isEqualTo(expected.stats());
  }

  @Test
  void aSlice_isAskedWithoutCopyingIt() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    byte[] bytes = Sample.ofBytes(4 << 20, BlockShape.TWO_3).bytes();
    ByteBuffer heap = ByteBuffer.wrap(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    Woodbird.wrap(heap, Keys.longs()); // Loads the classes.
    for (ByteBuffer buffer : List.of(heap, direct)) {
      long before = threads.getCurrentThreadAllocatedBytes();
      Filter<Long> filter = Woodbird.wrap(buffer, Keys.longs());
      long opened = threads.getCurrentThreadAllocatedBytes() - before;
      // A byte per page of 4096, a part of the page table, and small objects.
      assertThat(opened).isLessThan(100_000);
      assertThat(filter.mightContainHash(1)).isFalse();
    }
  }

  @Test
  void manyFiltersInOneStream_areReadOneAfterTheOther() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    List<Sample> samples = Sample.small();
    for (Sample sample : samples) {
      Woodbird.wrap(ByteBuffer.wrap(sample.bytes()), Keys.longs()).writeTo(out);
    }
    out.write("the end".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
    for (Sample sample : samples) {
      Filter<Long> filter = Woodbird.readFrom(in, Keys.longs());
      assertThat(GoldenFiles.bytes(filter)).isEqualTo(sample.bytes());
    }
    assertThat(in.readAllBytes()).asString().isEqualTo("the end");
  }

  @Test
  void writeTo_flushesTheStream() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    var filter = Woodbird.bloom(Keys.longs(), 10).seed(7).build();
    filter.writeTo(new BufferedOutputStream(out, 1 << 20));
    assertThat(out.toByteArray()).isEqualTo(GoldenFiles.bytes(filter));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSizeIsKnownBeforeWriting_andTheBytesDependOnKeysAndSeedAlone(boolean classic)
      throws IOException {
    for (long keys : new long[] {1, 2, 10, 1000, 3276, 50_000}) {
      BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), keys).seed(7);
      var first = (classic ? builder.classic() : builder).build();
      var second = builder.build();
      long size = first.sizeInBytes();
      for (long key = 0; key < keys; key++) {
        first.putLong(key);
        second.putLong(keys - 1 - key);
        second.putLong(key); // Twice, and in another order.
      }
      Path path = folder.resolve("saved.wbird");
      second.save(path);
      assertThat(GoldenFiles.bytes(first)).hasSize((int) size).isEqualTo(Files.readAllBytes(path));
    }
  }

  @Test
  void aFilter_isAskedStraightFromAMappedSliceOfALargerFile() throws IOException {
    Sample sample = Sample.ofBytes(64 << 10, BlockShape.TWO_1);
    Path path = folder.resolve("table");
    byte[] table = new byte[sample.bytes().length + 200];
    System.arraycopy(sample.bytes(), 0, table, 77, sample.bytes().length);
    Files.write(path, table);
    try (FileChannel channel = FileChannel.open(path)) {
      ByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      ByteBuffer slice = map.slice(77, sample.bytes().length);
      Filter<Long> expected = Woodbird.wrap(ByteBuffer.wrap(sample.bytes()), Keys.longs());
      assertSameAnswers(Woodbird.wrap(slice, Keys.longs()), expected, sample);
      assertThatThrownBy(() -> Woodbird.wrap(map, Keys.longs()))
          .hasMessageContaining("not a .wbird file");
    }
  }

  /** One buffer can be larger than the segments of a mapped file. */
  @Tag("slow")
  @Test
  void aBufferOfMoreThanAGigabyte_isAsked() throws IOException {
    long blocks = (1100L << 20) / 64;
    BloomShape shape = new BloomShape.Blocked(new BlockedBloom(blocks, BlockShape.TWO_3));
    Sample sample = Sample.of("large", shape, 1_000_000);
    ByteBuffer direct = ByteBuffer.allocateDirect(sample.bytes().length + 3);
    ByteBuffer slice = direct.position(3).put(sample.bytes()).flip().position(3);
    for (ByteBuffer buffer : List.of(ByteBuffer.wrap(sample.bytes()), slice)) {
      Filter<Long> filter = Woodbird.wrap(buffer, Keys.longs());
      int wrong = 0;
      for (long hash : sample.hashes()) {
        wrong += filter.mightContainHash(hash) ? 0 : 1;
        wrong += filter.mightContainHash(~hash) ? 1 : 0;
      }
      assertThat(wrong).isZero();
    }
  }
}
