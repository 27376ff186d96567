package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.testkit.MariaDbServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetProvider;
import org.junit.jupiter.api.Test;

/** A proxy between the follower and the server that answers from what it has kept. */
final class KeptResultsTest {
  @Test
  void aPositionThatSomebodyKept_isNotTheServersPresentOne() throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--sync-binlog=1")) {
      server.run("create table product (id bigint primary key)");
      DataSource byText = keeping(server.dataSource(), sql -> sql);
      try (MySqlServer asked = new MySqlServer(byText)) {
        String before = asked.now().executed().toString();
        server.run("insert into product values (1)");
        assertThat(asked.now().executed().toString()).isNotEqualTo(before);
      }
      // Takes statements for the same that differ in numbers alone.
      DataSource byForm = keeping(server.dataSource(), sql -> sql.replaceAll("\\d+", "?"));
      try (MySqlServer asked = new MySqlServer(byForm)) {
        assertThat(asked.now().executed().toString()).isNotEmpty();
        assertThatThrownBy(asked::now)
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("keeps results");
      }
    }
  }

  @Test
  void aConnection_goesBackToItsPoolAsItWas_alsoAtTheEnd() throws Exception {
    try (MariaDbServer database = MariaDbServer.start("--sync-binlog=1")) {
      List<String> givenBack = new ArrayList<>();
      DataSource pool =
          proxy(
              DataSource.class,
              (self, method, arguments) -> lent(database.dataSource().getConnection(), givenBack));
      try (MySqlServer asked = new MySqlServer(pool)) {
        assertThat(asked.now().server()).isNotEmpty();
        assertThat(givenBack).as("kept").isEmpty();
        asked.forget();
        assertThat(givenBack).containsExactly("waits 7000 ms, false");
        asked.now();
      }
      assertThat(givenBack).containsExactly("waits 7000 ms, false", "waits 7000 ms, false");
    }
  }

  /** A connection of a pool that restores nothing; says how it came back. */
  private static Connection lent(Connection connection, List<String> givenBack) throws Exception {
    connection.setNetworkTimeout(Runnable::run, 7000);
    connection.setAutoCommit(false);
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("close")) {
            givenBack.add(
                "waits " + connection.getNetworkTimeout() + " ms, " + connection.getAutoCommit());
          }
          return invoke(method, connection, arguments);
        });
  }

  /** Keeps the first result of each statement, by the text that a function makes of its own. */
  private static DataSource keeping(DataSource source, UnaryOperator<String> form) {
    Map<String, CachedRowSet> kept = new HashMap<>();
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Connection connection = source.getConnection();
          return proxy(
              Connection.class,
              (same, called, given) -> {
                Object result = invoke(called, connection, given);
                return called.getName().equals("createStatement")
                    ? keeping((Statement) result, form, kept)
                    : result;
              });
        });
  }

  private static Statement keeping(
      Statement statement, UnaryOperator<String> form, Map<String, CachedRowSet> kept) {
    return proxy(
        Statement.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("executeQuery")) {
            return invoke(method, statement, arguments);
          }
          String text = form.apply((String) arguments[0]);
          CachedRowSet known = kept.get(text);
          if (known == null) {
            known = RowSetProvider.newFactory().createCachedRowSet();
            known.populate((ResultSet) invoke(method, statement, arguments));
            kept.put(text, known);
          }
          known.beforeFirst();
          return known.createCopy();
        });
  }

  private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            KeptResultsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
