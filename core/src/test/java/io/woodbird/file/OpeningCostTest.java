package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.BloomBuilder;
import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.layout.Quotient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What opening a file takes: memory by its size at most, and no descriptor after its end. */
@Tag("jdk")
class OpeningCostTest {
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("large.wbird");
  }

  /** A file with holes for data and page table, and right checksums of header and footer. */
  private void sparse(Header header) throws IOException {
    long length = FileWriter.sizeInBytes(header.dataBytes());
    CRC32C crc = new CRC32C();
    byte[] zeros = new byte[1 << 16];
    long left = 4 * PageChecksums.pages(header.dataBytes());
    assumeTrue(left < 1L << 31 || left > 1L << 32); // Beyond it nobody looks at it.
    for (; left > 0 && left < 1L << 31; left -= Math.min(left, zeros.length)) {
      crc.update(zeros, 0, (int) Math.min(left, zeros.length));
    }
    ByteBuffer footer = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    footer.putLong(FileWriter.END_MAGIC).putInt((int) crc.getValue()).putInt(header.crc());
    Files.deleteIfExists(path());
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.write(header.encode().array());
      file.seek(length - 16);
      file.write(footer.array());
    }
  }

  @Test
  void aFileOfManyTinyShards_takesLessMemoryThanItsSize() throws IOException {
    for (int shardBits : new int[] {17, 18}) {
      Quotient layout = new Quotient(shardBits, 1, 1);
      sparse(
          new Header(
              LayoutId.QUOTIENT,
              1,
              Keys.longs().id(),
              1,
              0.5,
              0,
              layout.bitCount() / 8,
              List.of((long) shardBits, 1L, 1L)));
      for (int round = 0; round < 2; round++) { // The first also loads classes.
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try (OpenFilter<Long> filter = Woodbird.open(path(), Keys.longs())) {
          assertThat(filter.mightContain(1L)).as("its pages are damaged").isTrue();
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        // Up to 16 MiB a file is read into memory.
        long limit = Math.min(Files.size(path()), 16 << 20) + (2 << 20);
        assertThat(round == 0 ? 0 : allocated).isLessThan(limit);
      }
    }
  }

  @Test
  void aSparseFileBeyondWhatCanBeOpened_isRefused() throws IOException {
    long blocks = (9L << 40) / 64;
    Header header =
        new Header(
            LayoutId.BLOCKED_BLOOM,
            1,
            Keys.longs().id(),
            1,
            0.5,
            0,
            blocks * 64,
            List.of(blocks, 1L));
    try {
      sparse(header);
    } catch (IOException e) {
      assumeTrue(false, "no file can be so large here: " + e);
    }
    assertThatThrownBy(() -> Woodbird.open(path(), Keys.longs()))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("more data than can be opened");
    Files.delete(path());
  }

  private static long descriptors(Path file) throws IOException {
    Path all = Path.of("/proc/self/fd");
    assumeTrue(Files.isDirectory(all), "descriptors can't be counted here");
    long count = 0;
    try (Stream<Path> open = Files.list(all)) {
      for (Path descriptor : open.toList()) {
        try {
          count += Files.readSymbolicLink(descriptor).equals(file) ? 1 : 0;
        } catch (IOException e) {
          // Closed meanwhile, such as that of the listing.
        }
      }
    }
    return count;
  }

  @Test
  void close_givesTheDescriptorBack_andSoDoesARefusal() throws IOException {
    Woodbird.bloom(Keys.longs(), 15_000_000).build().save(path());
    Path real = path().toRealPath();
    for (int i = 0; i < 20; i++) {
      try (OpenFilter<Long> filter = Woodbird.open(path(), Keys.longs())) {
        assertThat(filter.mightContain(1L)).isFalse();
        assertThat(descriptors(real)).as("control").isEqualTo(1);
      }
      assertThat(descriptors(real)).isZero();
      assertThatThrownBy(() -> Woodbird.open(path(), Keys.strings()))
          .isInstanceOf(IncompatibleFilterException.class);
      assertThat(descriptors(real)).isZero();
    }
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.seek(100);
      file.write(1);
    }
    assertThatThrownBy(() -> Woodbird.open(path(), Keys.longs()))
        .isInstanceOf(CorruptFilterException.class);
    assertThat(descriptors(real)).isZero();
  }

  @Test
  void close_ofAMappedFileGivesTheDescriptorBack() throws IOException {
    Woodbird.bloom(Keys.longs(), 15_000_000).build().save(path());
    Path real = path().toRealPath();
    try (OpenFilter<Long> filter = Woodbird.map(path(), Keys.longs())) {
      assertThat(filter.mightContain(1L)).isFalse();
      assertThat(descriptors(real)).as("control").isPositive();
    }
    assertThat(descriptors(real)).isZero();
    assertThatThrownBy(() -> Woodbird.map(path(), Keys.strings()))
        .isInstanceOf(IncompatibleFilterException.class);
    assertThat(descriptors(real)).isZero();
  }

  @Test
  void anInterruptedThread_opensAndAsks() throws IOException {
    Woodbird.bloom(Keys.longs(), 15_000_000).build().save(path());
    Thread.currentThread().interrupt();
    try (OpenFilter<Long> filter = Woodbird.open(path(), Keys.longs())) {
      assertThat(filter.mightContain(1L)).isFalse();
      assertThat(filter.candidates(List.of(1L, 2L))).isEmpty();
      filter.save(folder.resolve("copy"));
    }
    assertThat(Thread.interrupted()).as("still interrupted").isTrue();
    assertThat(folder.resolve("copy")).hasSameBinaryContentAs(path());
  }

  /** A filter that was made in the memory at hand must open again in it. */
  @Test
  void aDurableFilterThatIsOpenedAgain_takesItsSizeOnce() throws IOException {
    BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), 16_000_000).seed(1);
    try (DurableFilter<Long> filter = builder.file(path())) {
      filter.put(1L);
    }
    long size = Files.size(path());
    assertThat(size).as("more than is read at once").isGreaterThan(16 << 20);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    DurableFilter<Long> filter = builder.file(path());
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(filter.mightContain(1L)).isTrue();
    assertThat(filter.mightContain(2L)).isFalse();
    filter.close();
    assertThat(allocated).isLessThan(size + size / 2);
  }
}
