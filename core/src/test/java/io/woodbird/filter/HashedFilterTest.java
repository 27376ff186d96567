package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MergeableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What filters of all layouts share: batches, and what they refuse. */
final class HashedFilterTest {
  @TempDir private Path folder;

  private static MutableFilter<Long> filter() {
    return Woodbird.bloom(Keys.longs(), 1000).fpp(1e-9).seed(3).build();
  }

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** More and fewer keys than a chunk has, and as many. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 129, 300})
  void aBatch_ofAnyLength_isPutAndFound(int count) {
    MutableFilter<Long> filter = filter();
    assertThat(filter.putAll(keys(0, count))).isEqualTo(count);
    assertThat(filter.putAll(keys(0, count))).isZero();
    assertThat(filter.candidates(keys(-300, 600))).isEqualTo(keys(0, count));
    long[] hashes = LongStream.range(0, count + 10).map(filter::hashOfLong).toArray();
    int[] selected = new int[count + 10];
    assertThat(filter.candidates(hashes, count + 10, selected)).isEqualTo(count);
    assertThat(Arrays.copyOf(selected, count))
        .isEqualTo(LongStream.range(0, count).mapToInt(i -> (int) i).toArray());
  }

  @Test
  void aBatchWithANull_putsNothing() {
    MutableFilter<Long> filter = filter();
    assertThatNullPointerException().isThrownBy(() -> filter.putAll(Arrays.asList(1L, null)));
    assertThat(filter.mightContainLong(1)).isFalse();
    assertThatNullPointerException().isThrownBy(() -> filter.candidates(Arrays.asList(1L, null)));
  }

  @Test
  void aCountThatIsNoLength_isRefused() {
    MutableFilter<Long> filter = filter();
    long[] hashes = new long[3];
    assertThat(filter.putHashes(hashes, 3)).isEqualTo(1);
    assertThat(filter.candidates(hashes, 3, new int[3])).isEqualTo(3);
    assertThat(filter.candidates(hashes, 0, new int[0])).isZero();
    for (int count : new int[] {-1, 4}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.putHashes(hashes, count))
          .withMessage("count must be from 0 to the length of hashes (3): " + count);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.candidates(hashes, count, new int[9]))
          .withMessageEndingWith("of hashes (3) and of selected (9): " + count);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.candidates(hashes, 3, new int[2]))
        .withMessageEndingWith("of hashes (3) and of selected (2): 3");
  }

  @Test
  void aFilterLargerThanTheHeap_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.deletable(Keys.longs(), 1L << 37).build())
        .withMessageContaining("137,438,953,472 keys at fpp")
        .withMessageContaining("the heap has at most");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.deletable(Keys.longs(), 1L << 60).build())
        .withMessageContaining("more than a filter on the heap holds");
  }

  @Test
  void aFilter_saysWhatItIs_alsoAfterItWasClosed() throws IOException {
    Path path = folder.resolve("f.wbird");
    MutableFilter<Long> filter = filter();
    filter.save(path);
    OpenFilter<Long> opened = Woodbird.open(path, Keys.longs());
    assertThat(opened).hasToString(filter.stats().toString());
    assertThat(opened.sizeInBytes()).isEqualTo(filter.sizeInBytes());
    assertThat(path).hasSize(filter.sizeInBytes());
    opened.close();
    assertThat(opened).hasToString("the filter is closed");
  }

  @Test
  void onlyFiltersOfOneShape_areUnited() {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 1000).seed(3).build();
    BloomFilter<Long> same = Woodbird.bloom(Keys.longs(), 1000).seed(3).build();
    same.put(7L);
    filter.union(same);
    assertThat(filter.mightContainLong(7)).isTrue();
    for (BloomFilter<Long> other :
        List.of(
            Woodbird.bloom(Keys.longs(), 5000).seed(3).build(),
            Woodbird.bloom(Keys.longs(), 1000).seed(4).build(),
            Woodbird.bloom(Keys.longs(), 1000).seed(3).classic().build())) {
      assertThatThrownBy(() -> filter.union(other))
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("only filters of one layout, size, seed and key encoding")
          .hasMessageContaining(String.format("%,d bits, seed 3", filter.stats().bits()))
          .hasMessageContaining("keys " + Keys.longs().id());
    }
    MergeableFilter<Long> counting = Woodbird.deletable(Keys.longs(), 9).counting().seed(3).build();
    MergeableFilter<Long> quotient = Woodbird.deletable(Keys.longs(), 9).seed(3).build();
    assertThatThrownBy(() -> counting.merge(quotient))
        .isInstanceOf(IncompatibleFilterException.class);
    assertThatNullPointerException().isThrownBy(() -> filter.union(null));
  }

  @Test
  void writeTo_givesWhatSaveSaves() throws IOException {
    Path path = folder.resolve("f.wbird");
    MutableFilter<Long> filter = filter();
    filter.putAll(keys(0, 500));
    filter.save(path);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    assertThat(path).hasBinaryContent(out.toByteArray());
    try (OpenFilter<Long> opened = Woodbird.open(path, Keys.longs())) {
      ByteArrayOutputStream again = new ByteArrayOutputStream();
      opened.writeTo(again);
      Path copy = folder.resolve("copy.wbird");
      opened.save(copy);
      assertThat(path).hasBinaryContent(again.toByteArray());
      assertThat(copy).hasSameBinaryContentAs(path);
    }
  }
}
