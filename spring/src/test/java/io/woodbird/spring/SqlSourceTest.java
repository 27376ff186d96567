package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Rows as keys. */
final class SqlSourceTest {
  private final SingleConnectionDataSource dataSource =
      new SingleConnectionDataSource(
          "jdbc:h2:mem:" + UUID.randomUUID() + ";LAZY_QUERY_EXECUTION=1", true);

  private Stream<Object> keys(String sql, KeyType type) throws SQLException {
    return type.keys(dataSource, sql).fetchSize(10).open();
  }

  @Test
  void everyRowIsAKeyAndTheConnectionIsLeftAsItWas() throws SQLException {
    Connection connection = dataSource.getConnection();
    try (Stream<Object> keys = keys("select x from system_range(1, 1000)", KeyType.LONG)) {
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(keys).hasSize(1000).contains(1L, 1000L);
    }
    assertThat(connection.getAutoCommit()).isTrue();
    assertThat(connection.isReadOnly()).isFalse();
    dataSource.destroy();
  }

  @Test
  void stringsAndUuidsAreRead() throws SQLException {
    try (Stream<Object> keys = keys("select 'a' union select ''", KeyType.STRING)) {
      assertThat(keys).containsExactlyInAnyOrder("a", "");
    }
    UUID uuid = new UUID(5, 6);
    try (Stream<Object> keys = keys("select cast('" + uuid + "' as uuid)", KeyType.UUID)) {
      assertThat(keys).containsExactly(uuid);
    }
    try (Stream<Object> keys = keys("select '" + uuid + "'", KeyType.UUID)) {
      assertThat(keys).containsExactly(uuid);
    }
    dataSource.destroy();
  }

  @Test
  void aNullIsNoKeyAndEndsTheReadingByAnException() throws SQLException {
    for (KeyType type : KeyType.values()) {
      try (Stream<Object> keys = keys("select null", type)) {
        assertThatThrownBy(keys::toList).hasRootCauseMessage("a key is null");
      }
    }
    dataSource.destroy();
  }

  @Test
  void aConnectionThatBreaksMidwayEndsTheReadingByAnException() throws SQLException {
    DataSource own = dataSource;
    Stream<Object> keys =
        KeyType.LONG
            .keys(own, "select 10 / (500 - x) from system_range(1, 1000)")
            .fetchSize(10)
            .open();
    assertThatThrownBy(keys::toList).hasMessageContaining("the query failed");
    keys.close();
    dataSource.destroy();
  }
}
