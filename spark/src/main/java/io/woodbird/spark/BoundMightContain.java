package io.woodbird.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The function {@code might_contain(path, key)} for keys of one type. Called by Spark. */
public final class BoundMightContain implements ScalarFunction<Boolean> {
  private static final long serialVersionUID = 1L;

  private final KeyColumn column;

  BoundMightContain(KeyColumn column) {
    this.column = column;
  }

  /*
   * Spark calls the static method with the types of inputTypes() from the code that it generates for
   * a query. Nothing is boxed, and of a string only the bytes are looked at, where they lie.
   */

  /**
   * Asks about a string.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here; null if the key is null
   */
  public static @Nullable Boolean invoke(UTF8String path, @Nullable UTF8String key) {
    return key == null ? null : OpenFilters.BYTES.of(path).mightContain(key.getByteBuffer());
  }

  /**
   * Asks about a binary value.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here; null if the key is null
   */
  public static @Nullable Boolean invoke(UTF8String path, byte @Nullable [] key) {
    return key == null
        ? null
        : OpenFilters.BYTES.of(path).mightContain(java.nio.ByteBuffer.wrap(key));
  }

  /**
   * Asks about an integer. Spark itself answers null to a null.
   *
   * @param path the file of the filter
   * @param key the key
   * @return whether the key may be here
   */
  public static boolean invoke(UTF8String path, long key) {
    return OpenFilters.LONGS.of(path).mightContainLong(key);
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
}
