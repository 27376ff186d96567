package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.key.Keys;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** Values of a column are keys if those that Spark takes for equal have the same hash. */
final class EqualKeysTest {
  /** Case, spaces, accents, two forms of one letter, and letters that are ignored. */
  private static final List<List<String>> PAIRS =
      List.of(
          List.of("a", "A"),
          List.of("a", "a "),
          List.of("a", " a"),
          List.of("e", "\u00e9"),
          List.of("e\u0301", "\u00e9"),
          List.of("K", "\u212a"),
          List.of("a", "a\u200b"));

  @Test
  void aCollationInWhichOtherBytesAreEqual_isRefused() {
    List<String> taken = new ArrayList<>();
    for (String name :
        List.of(
            "UTF8_BINARY",
            "UTF8_BINARY_RTRIM",
            "UTF8_LCASE",
            "UNICODE",
            "UNICODE_RTRIM",
            "UNICODE_CI",
            "UNICODE_AI",
            "UNICODE_CI_AI",
            "de",
            "de_CI",
            "tr")) {
      StringType type = StringType$.MODULE$.apply(name);
      if (isByBytes(type)) {
        assertThat(KeyColumn.of(type)).as(name).isEqualTo(KeyColumn.STRING);
        taken.add(name);
      } else {
        assertThatThrownBy(() -> KeyColumn.of(type))
            .as(name)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("the collation " + name);
      }
    }
    assertThat(taken).contains("UTF8_BINARY");
  }

  @Test
  void charOfALength_isRefused_asJoinsPadIt() {
    // A query sees a string, and what the table says is beside it.
    for (String type : List.of("char(2)", "varchar(2)")) {
      Metadata more = new MetadataBuilder().putString("__CHAR_VARCHAR_TYPE_STRING", type).build();
      StructField column = new StructField("c", DataTypes.StringType, true, more);
      if (type.startsWith("var")) {
        assertThat(KeyColumn.of(column)).isEqualTo(KeyColumn.STRING);
      } else {
        assertThatThrownBy(() -> KeyColumn.of(column))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("char(2)")
            .hasMessageContaining("rtrim");
      }
    }
    assertThatThrownBy(() -> KeyColumn.of(DataTypes.createCharType(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("char(2)");
  }

  @Test
  void shortIntegers_areNoKeysOfGroups_asSparkCutsLongerOnes() {
    assertThatThrownBy(
            () -> WoodbirdSpark.bloomPerGroup(Keys.ints(), Encoders.INT(), 1000, 0.001, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Encoders.LONG()");
  }

  private static boolean isByBytes(StringType type) {
    var collation = CollationFactory.fetchCollation(type.collationId());
    return PAIRS.stream()
        .noneMatch(
            pair ->
                collation.equalsFunction.apply(
                    UTF8String.fromString(pair.get(0)), UTF8String.fromString(pair.get(1))));
  }
}
