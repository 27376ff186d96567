package io.woodbird.mysql;

import io.woodbird.key.Keys;
import org.jspecify.annotations.Nullable;

/**
 * The key column of the table that is followed.
 *
 * @param schema as the catalogue writes it
 * @param table as the catalogue writes it
 * @param name of the column
 * @param index from 0
 * @param columns how many the table has
 * @param type such as bigint
 * @param isUnsigned of numbers
 * @param charset of text; null of all else
 * @param collation of text; null of all else
 * @param length of text, in characters, or of binary strings, in bytes
 * @param ignoresCase whether names of tables are compared without their case
 */
record Column(
    String schema,
    String table,
    String name,
    int index,
    int columns,
    String type,
    boolean isUnsigned,
    @Nullable String charset,
    @Nullable String collation,
    long length,
    boolean ignoresCase) {

  boolean isIn(String otherSchema, String otherTable) {
    return ignoresCase
        ? schema.equalsIgnoreCase(otherSchema) && table.equalsIgnoreCase(otherTable)
        : schema.equals(otherSchema) && table.equals(otherTable);
  }

  /** A hash of all that decides where the log has the key, and what it looks like there. */
  String layout() {
    String all =
        String.join(
            "\0",
            schema,
            table,
            name,
            index + " of " + columns,
            type + (isUnsigned ? " unsigned " : " ") + length,
            charset + " " + collation,
            ignoresCase ? "ignores case" : "");
    return Long.toHexString(Keys.strings().hash(all, 0));
  }

  @Override
  public String toString() {
    return schema + "." + table + "." + name + " (" + type + ")";
  }
}
