package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.Growing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Growing filters whose checksums are right and whose shards contradict each other. */
class ContradictingShardsTest {
  private static final Growing LAYOUT = Growing.forFpp(1L << 40, 0.01);

  private static byte[] file(List<GrowingShard> shards) throws IOException {
    GrowingFilter<Long> filter =
        new GrowingFilter<>(new FilterSpec<>(Keys.longs(), 7, 1L << 40, 0.01), LAYOUT, shards, 0);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static byte[] file(int... shardBits) throws IOException {
    List<GrowingShard> shards = new ArrayList<>();
    for (int bits : shardBits) {
      shards.add(new GrowingShard(LAYOUT, bits, 13));
    }
    return file(shards);
  }

  private static void assertRefused(byte[] bytes, String what) {
    assertThatThrownBy(() -> Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining(what);
  }

  @Test
  void shardsThatFollowTheirBits_areRead() throws IOException {
    for (int[] bits : new int[][] {{0}, {1, 1}, {2, 2, 1}, {1, 2, 2}, {2, 3, 3, 1}}) {
      Filter<Long> filter = Woodbird.readFrom(new ByteArrayInputStream(file(bits)), Keys.longs());
      assertThat(filter.mightContain(1L)).isFalse();
    }
  }

  @Test
  void shardsThatBeginWithinAnother_areRefused() throws IOException {
    for (int[] bits : new int[][] {{2, 1, 2}, {3, 2, 3, 1}, {2, 1, 3, 3}}) {
      byte[] bytes = file(bits);
      assertRefused(bytes, "impossible place of shard: 1");
      assertThatThrownBy(() -> Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()))
          .isInstanceOf(CorruptFilterException.class);
    }
  }

  @Test
  void payloadsWithoutAnEnd_areRefused() throws IOException {
    QuotientTable table = new QuotientTable(1 << 13, Growing.slots(13), LAYOUT.width());
    assertThat(table.add(5, 0)).isTrue();
    byte[] bytes = file(List.of(new GrowingShard(LAYOUT, 0, 13, table, 0)));
    assertRefused(bytes, "contradict");
  }

  @Test
  void ratesThatAreNone_areRefused() throws IOException {
    for (double passes : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      QuotientTable table = new QuotientTable(1 << 13, Growing.slots(13), LAYOUT.width());
      assertRefused(file(List.of(new GrowingShard(LAYOUT, 0, 13, table, passes))), "passes");
    }
  }
}
