package io.woodbird.spark;

import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** The function {@code might_contain(path, key)} before the type of the key is known. */
final class MightContain implements UnboundFunction {
  private static final long serialVersionUID = 1L;

  static final String NAME = "might_contain";

  @Override
  public BoundFunction bind(StructType input) {
    try {
      if (input.length() != 2 || !(input.fields()[0].dataType() instanceof StringType)) {
        throw new IllegalArgumentException("its arguments are the path of a filter, and a key");
      }
      DataType key = input.fields()[1].dataType();
      return new BoundMightContain(KeyColumn.of(key));
    } catch (IllegalArgumentException e) {
      // The exception that Spark expects here, and turns into its error of analysis.
      throw new UnsupportedOperationException(NAME + ": " + e.getMessage(), e);
    }
  }

  @Override
  public String description() {
    return NAME
        + "(path, key): false if the filter in the file certainly lacks the key, null if the key is"
        + " null, else true";
  }

  @Override
  public String name() {
    return NAME;
  }
}
