package io.woodbird.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Text. */
final class StringKind implements KeyKind<String> {
  /** Longer keys would make a statement of megabytes; a key is shorter than a page of an index. */
  private static final int LONGEST = 8192;

  private static final Pattern ESCAPED = Pattern.compile("[\"\\\\]");
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");

  @Override
  public @Nullable String read(ResultSet row) throws SQLException {
    return row.getString(1);
  }

  @Override
  public boolean fits(int sqlType, String typeName) {
    return switch (sqlType) {
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
          typeName.equalsIgnoreCase("uuid"); // As H2 says it.
      default -> true;
    };
  }

  @Override
  public void bind(PreparedStatement statement, int index, String key, KeyQuery server)
      throws SQLException {
    statement.setString(index, key);
  }

  @Override
  public void write(StringBuilder list, String key, KeyQuery server) {
    list.append('"').append(ESCAPED.matcher(key).replaceAll("\\\\$0")).append('"');
  }

  /**
   * No database stores a broken surrogate, and some refuse U+0000. A column of another type refuses
   * what is not written as that type, and with it the whole statement.
   */
  @Override
  public boolean canBeAsked(String key, KeyQuery server) {
    return key.length() <= LONGEST
        && key.indexOf('\0') < 0
        && StandardCharsets.UTF_8.newEncoder().canEncode(key)
        && server.isWritten(key);
  }

  @Override
  public int bytes(String key) {
    return 3 * key.length(); // In UTF-8, at most.
  }

  /** Without case, accents and trailing spaces, which many collations ignore. */
  @Override
  public Object form(String key) {
    String plain = MARKS.matcher(Normalizer.normalize(key, Normalizer.Form.NFKD)).replaceAll("");
    return plain.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).stripTrailing();
  }

  @Override
  public boolean isExact() {
    return false;
  }

  @Override
  public String toString() {
    return "text";
  }
}
