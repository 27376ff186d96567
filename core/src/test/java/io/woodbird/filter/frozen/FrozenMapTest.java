package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.FrozenMap;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Maps, filters of a given size and exact ones, on the heap and from the bytes of a file. */
final class FrozenMapTest {
  private static final int KEYS = 2000;

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static byte[] bytes(Filter<Long> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Test
  void aMap_givesTheValueOfEachKey_fromItsBytesToo() throws IOException {
    FrozenMap<Long> built =
        Woodbird.frozenMap(Keys.longs())
            .fpp(1e-6)
            .seed(3)
            .buildFrom(keys(0, KEYS).stream().map(key -> Map.entry(key, key % 7)).toList());
    byte[] bytes = bytes(built);
    for (Filter<Long> filter :
        List.of(
            built,
            Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()),
            Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))) {
      FrozenMap<Long> map = (FrozenMap<Long>) filter;
      for (long key = 0; key < KEYS; key++) {
        assertThat(map.get(key)).isEqualTo(OptionalLong.of(key % 7));
        assertThat(map.getOrDefault(key, -5)).isEqualTo(key % 7);
      }
      assertThat(map.candidates(keys(0, 2 * KEYS))).isEqualTo(keys(0, KEYS));
      for (long key = KEYS; key < 2 * KEYS; key++) {
        assertThat(map.getOrDefault(key, -5)).isEqualTo(-5);
        assertThat(map.get(key)).isEmpty();
      }
      assertThat(bytes(map)).isEqualTo(bytes);
    }
  }

  @Test
  void aFilterOfAGivenSize_takesNoMore_andHasEveryKey() throws IOException {
    Filter<Long> filter =
        Woodbird.frozen(Keys.longs()).maxBytes(3000).seed(3).buildFrom(keys(0, KEYS));
    assertThat(bytes(filter).length).isBetween(2000, 3000);
    assertThat(filter.candidates(keys(0, KEYS))).hasSize(KEYS);
  }

  @Test
  void anExactFilter_isNeverWrong_overTheKeysThatItKnows() {
    Filter<Long> filter =
        Woodbird.frozen(Keys.longs())
            .exactAgainst(keys(KEYS, 5 * KEYS))
            .seed(3)
            .buildFrom(keys(0, KEYS));
    assertThat(filter.candidates(keys(0, 5 * KEYS))).isEqualTo(keys(0, KEYS));
  }
}
