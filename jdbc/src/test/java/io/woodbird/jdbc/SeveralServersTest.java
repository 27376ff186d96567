package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLNonTransientConnectionException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proxy that runs each statement on two servers, and gives the rows of both. */
final class SeveralServersTest {
  private final Database one = Database.h2("one");
  private final Database two = Database.h2("two");

  @BeforeEach
  void create() {
    String table = "create table product (id bigint primary key, sku varchar(9))";
    one.run(table, "insert into product values (1, 'a'), (700, 'b'), (900, 'c')");
    two.run(table, "insert into product values (2, 'd'), (500, 'e')");
  }

  @AfterEach
  void drop() {
    one.run("shutdown");
    two.run("shutdown");
  }

  private DataSource both() {
    return CountingDataSource.proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Connection first = one.source().getConnection();
          Connection second = two.source().getConnection();
          return CountingDataSource.proxy(
              Connection.class,
              (same, called, given) -> {
                Object result = CountingDataSource.invoke(called, first, given);
                Object other = CountingDataSource.invoke(called, second, given);
                return result instanceof PreparedStatement statement
                    ? both(statement, (PreparedStatement) other)
                    : result;
              });
        });
  }

  private static PreparedStatement both(PreparedStatement first, PreparedStatement second) {
    return CountingDataSource.proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          Object result = CountingDataSource.invoke(method, first, arguments);
          Object other = CountingDataSource.invoke(method, second, arguments);
          return result instanceof ResultSet rows ? both(rows, (ResultSet) other) : result;
        });
  }

  /** All rows of one, and then those of the other. */
  private static ResultSet both(ResultSet first, ResultSet second) {
    ResultSet[] now = {first};
    return CountingDataSource.proxy(
        ResultSet.class,
        (self, method, arguments) -> {
          Object result = CountingDataSource.invoke(method, now[0], arguments);
          if (method.getName().equals("next") && result.equals(false) && now[0] == first) {
            now[0] = second;
            return second.next();
          }
          return result;
        });
  }

  @Test
  void theLargestKeyOfTheLastServer_isNotThatOfAll() throws Exception {
    Follower<Long> follower = JdbcKeys.longs(both(), "select id from product").follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThatThrownBy(() -> follower.confirm(List.of(700L)))
        .isInstanceOf(SQLNonTransientConnectionException.class)
        .hasMessageContaining("several servers answered");
  }

  /** As the doubt of the first server would be forgotten. */
  @Test
  void twoEndsOfAResult_proveNothing() throws Exception {
    Follower<String> follower = JdbcKeys.strings(both(), "select sku from product").follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    assertThatThrownBy(() -> follower.confirm(List.of("x")))
        .isInstanceOf(SQLNonTransientConnectionException.class)
        .hasMessageContaining("several servers answered");
  }

  @Test
  void oneServer_proves() throws Exception {
    Follower<Long> follower = JdbcKeys.longs(one.source(), "select id from product").follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThat(follower.confirm(List.of(500L, 700L)).isAbsent(500L)).isTrue();
    assertThat(follower.confirm(List.of(500L, 700L)).isAbsent(700L)).isFalse();
  }
}
