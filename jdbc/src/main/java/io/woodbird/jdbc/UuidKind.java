package io.woodbird.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** UUIDs, in a column of that type or as text. */
final class UuidKind implements KeyKind<UUID> {
  @Override
  public @Nullable UUID read(ResultSet row) throws SQLException {
    Object value = row.getObject(1);
    return value == null || value instanceof UUID
        ? (UUID) value
        : UUID.fromString(value.toString().strip());
  }

  @Override
  public void bind(PreparedStatement statement, int index, UUID key, Server server)
      throws SQLException {
    if (server.infersTypes()) {
      statement.setObject(index, key.toString(), Types.OTHER);
    } else if (server.columnIsText()) {
      statement.setString(index, key.toString());
    } else {
      statement.setObject(index, key);
    }
  }
}
