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
  public void bind(PreparedStatement statement, int index, String key, Server server)
      throws SQLException {
    if (server.infersTypes()) {
      // As a varchar it would be compared as text: for citext with case, for char(n) without index.
      statement.setObject(index, key, Types.OTHER);
    } else {
      statement.setString(index, key);
    }
  }

  /** No database stores a broken surrogate, and some refuse U+0000. */
  @Override
  public boolean canBeAsked(String key) {
    return key.length() <= LONGEST
        && key.indexOf('\0') < 0
        && StandardCharsets.UTF_8.newEncoder().canEncode(key);
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
