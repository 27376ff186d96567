package io.woodbird.spark;

import io.woodbird.key.Keys;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.unsafe.types.UTF8String;

/** The types of columns that can be keys, and how a value of each is hashed. */
enum KeyColumn {
  STRING {
    @Override
    long hash(InternalRow row, long seed) {
      return hashOf(row.getUTF8String(0), seed);
    }
  },
  BINARY {
    @Override
    long hash(InternalRow row, long seed) {
      return Keys.bytes().hash(row.getBinary(0), seed);
    }
  },
  BYTE {
    @Override
    long hash(InternalRow row, long seed) {
      return Keys.longs().hashLong(row.getByte(0), seed);
    }
  },
  SHORT {
    @Override
    long hash(InternalRow row, long seed) {
      return Keys.longs().hashLong(row.getShort(0), seed);
    }
  },
  INT {
    @Override
    long hash(InternalRow row, long seed) {
      return Keys.longs().hashLong(row.getInt(0), seed);
    }
  },
  LONG {
    @Override
    long hash(InternalRow row, long seed) {
      return Keys.longs().hashLong(row.getLong(0), seed);
    }
  };

  /*
   * Strings and binary values are hashed by their bytes, integers of every width as the long of the
   * same value. So a filter built from one can be asked with the other, in Spark and outside it.
   */

  /** What Spark says about a column of a table that is CHAR or VARCHAR, and a string to queries. */
  private static final String CHAR = "__CHAR_VARCHAR_TYPE_STRING";

  /** Returns the hash of the first value of a row, which is not null. */
  abstract long hash(InternalRow row, long seed);

  /** Returns the hash of a string without making a String of it. */
  static long hashOf(UTF8String key, long seed) {
    ByteBuffer bytes = key.getByteBuffer();
    return Keys.buffers().hash(bytes, seed);
  }

  /** Whether the keys are hashed by their bytes; otherwise as longs. */
  boolean isBytes() {
    return this == STRING || this == BINARY;
  }

  /** The id of the encoding, as in the header of the file. */
  String id() {
    return isBytes() ? Keys.bytes().id() : Keys.longs().id();
  }

  /**
   * Returns the kind of keys that a column holds.
   *
   * @throws IllegalArgumentException if its values can't be keys
   */
  static KeyColumn of(StructField column) {
    Metadata more = column.metadata();
    if (more.contains(CHAR) && more.getString(CHAR).startsWith("char")) {
      throw padded(more.getString(CHAR));
    }
    return of(column.dataType());
  }

  /**
   * Returns the kind of keys that values of a type are.
   *
   * @throws IllegalArgumentException if they can't be keys
   */
  static KeyColumn of(DataType type) {
    if (type instanceof CharType) {
      throw padded(type.catalogString());
    }
    if (type.equals(DataTypes.StringType)) {
      return STRING;
    }
    if (type instanceof StringType string) { // Not in Spark 3.5, which has no collations.
      // With such a collation "a" can be equal to "A", and their bytes differ: a filter would deny
      // a key that a join finds.
      if (!string.supportsBinaryEquality()) {
        throw new IllegalArgumentException(
            "strings of the collation "
                + string.collationName()
                + " can be equal though their bytes differ: use a column of UTF8_BINARY, such as"
                + " lower(column) COLLATE UTF8_BINARY");
      }
      return STRING;
    }
    if (type instanceof BinaryType) {
      return BINARY;
    }
    if (type instanceof LongType) {
      return LONG;
    }
    if (type instanceof IntegerType) {
      return INT;
    }
    if (type instanceof ShortType) {
      return SHORT;
    }
    if (type instanceof ByteType) {
      return BYTE;
    }
    throw new IllegalArgumentException(
        "keys must be string, binary, bigint, int, smallint or tinyint, not "
            + type.catalogString()
            + ": cast the column");
  }

  // A join of char(2) with char(5) pads the shorter value. A filter can't, and would deny it.
  private static IllegalArgumentException padded(String type) {
    return new IllegalArgumentException(
        "values of "
            + type
            + " are padded with spaces, and are equal to shorter ones: use rtrim(column), here and"
            + " where the filter is asked");
  }
}
