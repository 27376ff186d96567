package io.woodbird.spark;

import io.woodbird.Filter;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The function {@code might_contain(path, key)} for keys of one type. Called by Spark. */
public final class BoundMightContain implements ScalarFunction<Boolean> {
  /*
   * Spark calls the method with the types of inputTypes() from the code that it generates for a
   * query. Nothing is boxed but the answer, and of a string only the bytes are looked at, where they
   * lie.
   *
   * The method is not static, as Spark sends the object to each task, which so has one of its own. It
   * remembers the filter of the path that was asked last. A query hands over the path with each row,
   * and within a task that is the same object.
   */
  private static final long serialVersionUID = 2L;

  private final KeyColumn column;
  private transient OpenFilters.@Nullable Asked<ByteBuffer> bytes;
  private transient OpenFilters.@Nullable Asked<Long> longs;

  BoundMightContain(KeyColumn column) {
    this.column = column;
  }

  /**
   * Asks about a string.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here; null if the key is null
   */
  public @Nullable Boolean invoke(UTF8String path, @Nullable UTF8String key) {
    return key == null ? null : bytes(path).mightContain(key.getByteBuffer());
  }

  /**
   * Asks about a binary value.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here; null if the key is null
   */
  public @Nullable Boolean invoke(UTF8String path, byte @Nullable [] key) {
    return key == null ? null : bytes(path).mightContain(ByteBuffer.wrap(key));
  }

  /**
   * Asks about an integer. Spark itself answers null to a null.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here
   */
  public boolean invoke(UTF8String path, long key) {
    return longs(path).mightContainLong(key);
  }

  private Filter<ByteBuffer> bytes(UTF8String path) {
    OpenFilters.Asked<ByteBuffer> asked = bytes;
    if (asked == null || !asked.isOf(path)) {
      asked = OpenFilters.BYTES.ask(path);
      bytes = asked;
    }
    return asked.filter();
  }

  private Filter<Long> longs(UTF8String path) {
    OpenFilters.Asked<Long> asked = longs;
    if (asked == null || !asked.isOf(path)) {
      asked = OpenFilters.LONGS.ask(path);
      longs = asked;
    }
    return asked.filter();
  }

  @Override
  public @Nullable Boolean produceResult(InternalRow input) {
    UTF8String path = input.getUTF8String(0);
    if (input.isNullAt(1)) {
      return null;
    }
    return switch (column) {
      case STRING -> invoke(path, input.getUTF8String(1));
      case BINARY -> invoke(path, input.getBinary(1));
      default -> invoke(path, input.getLong(1));
    };
  }

  @Override
  public DataType[] inputTypes() {
    DataType key =
        switch (column) {
          case STRING -> DataTypes.StringType;
          case BINARY -> DataTypes.BinaryType;
          default -> DataTypes.LongType; // Spark casts the others, which keeps their value.
        };
    return new DataType[] {DataTypes.StringType, key};
  }

  @Override
  public DataType resultType() {
    return DataTypes.BooleanType;
  }

  @Override
  public String name() {
    return MightContain.NAME;
  }

  @Override
  public String canonicalName() {
    return "io.woodbird." + MightContain.NAME + "(" + inputTypes()[1].simpleString() + ")";
  }

  // Spark compares functions to find an expression again, such as that of GROUP BY.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BoundMightContain same && same.column == column;
  }

  @Override
  public int hashCode() {
    return column.hashCode();
  }

  @Override
  public String toString() {
    return name();
  }
}
