package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Bloom filters over columns and groups, and filters that are sent. */
@ExtendWith(Cluster.class)
final class BloomTest {
  @Test
  void bloom_overAColumn_isTheFilterOfOneMachine() throws IOException {
    long count = 50_000;
    Dataset<Row> rows =
        Cluster.session()
            .range(0, 2 * count, 1, 5)
            .selectExpr("if(id % 2 = 0, concat('k', id / 2), null) AS k");
    BloomFilter<String> one = Woodbird.bloom(Keys.strings(), count).fpp(0.001).seed(5).build();
    for (Row row : rows.collectAsList()) {
      if (!row.isNullAt(0)) {
        one.put(row.getString(0));
      }
    }
    BloomFilter<String> filter =
        WoodbirdSpark.bloom(rows, "k", Keys.strings(), count).fpp(0.001).seed(5).build();
    assertThat(SerializableFilter.bytes(filter)).isEqualTo(SerializableFilter.bytes(one));
    filter.put("later");
    assertThat(filter.mightContain("later")).isTrue();
  }

  @Test
  void bloom_withoutRows_isEmpty() throws IOException {
    Dataset<Row> none = Cluster.session().range(10).where("id < 0").toDF();
    BloomFilter<Long> filter = WoodbirdSpark.bloom(none, "id", Keys.longs(), 100).build();
    assertThat(LongStream.range(0, 1000).noneMatch(filter::mightContain)).isTrue();
  }

  @Test
  void bloom_refusesOtherKeys_andFiltersThatCantBeSent() {
    Dataset<Long> rows = Cluster.session().range(10);
    assertThatThrownBy(() -> WoodbirdSpark.bloom(rows, "id", Keys.strings(), 10).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes:rapidhash3");
    assertThatThrownBy(() -> WoodbirdSpark.bloom(rows, "id", Keys.longs(), 1L << 32).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too large to be sent");
  }

  @Test
  void bloomPerGroup_hasTheKeysOfItsGroup() throws IOException {
    var aggregate = WoodbirdSpark.bloomPerGroup(Keys.longs(), Encoders.LONG(), 1000, 0.001, 5);
    Dataset<Row> groups =
        Cluster.session()
            .range(0, 3000, 1, 4)
            .selectExpr("id % 3 AS g", "if(id > 2990, null, id) AS id")
            .groupBy("g")
            .agg(aggregate.apply(functions.col("id")).as("filter"));
    assertThat(groups.count()).isEqualTo(3);
    for (Row row : groups.collectAsList()) {
      long group = row.getLong(0);
      Filter<Long> filter =
          Woodbird.readFrom(new ByteArrayInputStream((byte[]) row.get(1)), Keys.longs());
      assertThat(LongStream.rangeClosed(0, 2990).filter(i -> i % 3 == group))
          .allMatch(filter::mightContain);
      // 0.1 % of 2,000 other keys are 2, with a deviation of 1.4.
      long wrong =
          LongStream.rangeClosed(0, 2990)
              .filter(i -> i % 3 != group && filter.mightContain(i))
              .count();
      assertThat(wrong).isLessThan(10);
    }
  }

  @Test
  void serializableFilter_isSentByJavaAndByKryo_andChecked() {
    Filter<String> filter =
        Woodbird.frozen(Keys.strings())
            .fpp(1e-6)
            .buildFrom(LongStream.range(0, 1000).mapToObj(i -> "k" + i));
    ClassTag<SerializableFilter<String>> tag = ClassTag$.MODULE$.apply(SerializableFilter.class);
    SparkConf conf = new SparkConf(false);
    for (Serializer serializer :
        new Serializer[] {new JavaSerializer(conf), new KryoSerializer(conf)}) {
      var instance = serializer.newInstance();
      ByteBuffer sent =
          instance.serialize(SerializableFilter.of(filter, Keys.strings()), tag).duplicate();
      Filter<String> copy = instance.deserialize(sent.duplicate(), tag).filter();
      assertThat(copy.mightContain("k7")).isTrue();
      assertThat(copy.mightContain("absent")).isFalse();
      byte[] damaged = new byte[sent.remaining()];
      sent.get(damaged);
      damaged[damaged.length / 2] ^= 1;
      assertThatThrownBy(() -> instance.deserialize(ByteBuffer.wrap(damaged), tag))
          .satisfiesAnyOf(
              e -> assertThat(e).isInstanceOf(CorruptFilterException.class),
              e -> assertThat(e).hasRootCauseInstanceOf(CorruptFilterException.class));
    }
    assertThatThrownBy(() -> SerializableFilter.of(filter, Keys.keyed(new byte[16]).strings()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
