package io.woodbird.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** UUIDs, in a column of that type or as text. */
final class UuidKind implements KeyKind<UUID> {
  private static final int DIGITS = 32;

  @Override
  public @Nullable UUID read(ResultSet row) throws SQLException {
    Object value = row.getObject(1);
    return value == null || value instanceof UUID ? (UUID) value : parse(value.toString().strip());
  }

  private static UUID parse(String text) {
    return UUID.fromString(
        text.length() == DIGITS
            ? text.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5")
            : text);
  }

  @Override
  public boolean fits(int sqlType, String typeName) {
    String name = typeName.toLowerCase(Locale.ROOT);
    return name.equals("uuid") || name.equals("uniqueidentifier") || KeyQuery.isText(sqlType);
  }

  /** Text may be in small letters or capitals, and with dashes or without. */
  @Override
  public int parameters(KeyQuery server) {
    return server.columnIsText() ? 4 : 1;
  }

  @Override
  public void bind(PreparedStatement statement, int index, UUID key, KeyQuery server)
      throws SQLException {
    if (server.columnIsText()) {
      int next = index;
      for (String form : forms(key)) {
        statement.setString(next++, form);
      }
    } else {
      statement.setObject(index, key);
    }
  }

  @Override
  public void write(StringBuilder list, UUID key, KeyQuery server) {
    list.append(server.columnIsText() ? String.join(",", forms(key)) : key);
  }

  private static List<String> forms(UUID key) {
    String text = key.toString();
    String plain = text.replace("-", "");
    return List.of(text, text.toUpperCase(Locale.ROOT), plain, plain.toUpperCase(Locale.ROOT));
  }

  @Override
  public String toString() {
    return "UUIDs";
  }
}
