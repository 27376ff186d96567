package io.woodbird.mysql;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Makes keys of what the binary log holds. */
abstract class ColumnType<K> {
  private static final Map<String, Long> MASKS =
      Map.of(
          "tinyint", 0xFFL,
          "smallint", 0xFFFFL,
          "mediumint", 0xFF_FFFFL,
          "int", 0xFFFF_FFFFL,
          "bigint", -1L);

  /** The names that the servers have for them. */
  private static final Map<String, Charset> CHARSETS =
      Map.of(
          "ascii", StandardCharsets.US_ASCII,
          "latin1", Charset.forName("windows-1252"),
          "utf8", StandardCharsets.UTF_8,
          "utf8mb3", StandardCharsets.UTF_8,
          "utf8mb4", StandardCharsets.UTF_8);

  private static final Set<String> TEXT =
      Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
  private static final Set<String> BYTES =
      Set.of("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob");

  private static final int UUID_BYTES = 16;
  private static final char REPLACEMENT = '\uFFFD';

  /**
   * Refuses a column that does not give such keys.
   *
   * @param isNormalized whether the keys are normalized before they are put
   */
  abstract void check(Column column, boolean isNormalized);

  /** The key in a row. */
  abstract K key(Serializable value, Column column);

  static ColumnType<Long> longs() {
    return new ColumnType<>() {
      @Override
      void check(Column column, boolean isNormalized) {
        require(MASKS.containsKey(column.type()), column, "an integer");
      }

      @Override
      Long key(Serializable value, Column column) {
        long signed = ((Number) value).longValue();
        return column.isUnsigned() ? signed & MASKS.getOrDefault(column.type(), -1L) : signed;
      }
    };
  }

  static ColumnType<String> strings() {
    return new ColumnType<>() {
      @Override
      void check(Column column, boolean isNormalized) {
        require(TEXT.contains(column.type()), column, "text");
        if (!CHARSETS.containsKey(String.valueOf(column.charset()))) {
          throw new IllegalStateException(
              column + " has the character set " + column.charset() + "; known are " + CHARSETS);
        }
        String collation = String.valueOf(column.collation());
        if (!isNormalized && !isExact(collation)) {
          throw new IllegalStateException(
              column
                  + " has the collation "
                  + collation
                  + ", which takes different strings for equal"
                  + (collation.endsWith("_bin") ? ": those with spaces at the end" : "")
                  + ". Give normalize(), and ask for normalized keys, or choose utf8mb4_0900_bin in"
                  + " MySQL, or a collation that ends in _nopad_bin in MariaDB");
        }
      }

      @Override
      String key(Serializable value, Column column) {
        return text((byte[]) value, String.valueOf(column.charset()));
      }
    };
  }

  static ColumnType<byte[]> bytes() {
    return new ColumnType<>() {
      @Override
      void check(Column column, boolean isNormalized) {
        require(BYTES.contains(column.type()), column, "binary");
      }

      @Override
      byte[] key(Serializable value, Column column) {
        return padded((byte[]) value, column);
      }
    };
  }

  static ColumnType<UUID> uuids() {
    return new ColumnType<>() {
      @Override
      void check(Column column, boolean isNormalized) {
        boolean isText =
            TEXT.contains(column.type()) && CHARSETS.containsKey("" + column.charset());
        boolean isBinary = column.type().equals("binary") && column.length() == UUID_BYTES;
        require(isText || isBinary, column, "binary(16), or the text of a UUID");
      }

      @Override
      UUID key(Serializable value, Column column) {
        byte[] bytes = (byte[]) value;
        if (TEXT.contains(column.type())) {
          return UUID.fromString(new String(bytes, StandardCharsets.US_ASCII).trim());
        }
        ByteBuffer both = ByteBuffer.wrap(padded(bytes, column));
        return new UUID(both.getLong(), both.getLong());
      }
    };
  }

  /** Text as a query gives it. A character that is not known would become another key. */
  private static String text(byte[] value, String charset) {
    CharBuffer decoded;
    try {
      decoded =
          Objects.requireNonNull(CHARSETS.get(charset), charset)
              .newDecoder()
              .onUnmappableCharacter(
                  charset.equals("latin1") ? CodingErrorAction.REPLACE : CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(value));
    } catch (CharacterCodingException e) {
      throw new IllegalStateException("the binary log has text that is not " + charset, e);
    }
    for (int i = 0; charset.equals("latin1") && i < value.length; i++) {
      if (decoded.get(i) == REPLACEMENT) { // The servers give five bytes a meaning of their own.
        decoded.put(i, (char) (value[i] & 0xFF));
      }
    }
    return decoded.toString();
  }

  /** Whether strings are equal only if their bytes are. Others fill up the shorter with spaces. */
  private static boolean isExact(String collation) {
    return collation.endsWith("_nopad_bin") || collation.equals("utf8mb4_0900_bin");
  }

  /** The log leaves out the zeros at the end of binary(n). */
  private static byte[] padded(byte[] value, Column column) {
    boolean isPadded = column.type().equals("binary") && value.length < column.length();
    return isPadded ? Arrays.copyOf(value, (int) column.length()) : value;
  }

  private static void require(boolean holds, Column column, String wanted) {
    if (!holds) {
      throw new IllegalStateException(column + " is not " + wanted);
    }
  }
}
