package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetProvider;

/** Remembers the last result of each statement, as a proxy with a cache that is set up badly. */
final class RememberingDataSource {
  volatile boolean answersFromMemory;
  private final DataSource source;
  private final Map<String, CachedRowSet> results = new ConcurrentHashMap<>();

  RememberingDataSource(DataSource source) {
    this.source = source;
  }

  DataSource proxy() {
    return CountingDataSource.proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Connection connection = source.getConnection();
          return CountingDataSource.proxy(
              Connection.class,
              (same, called, given) -> {
                Object result = CountingDataSource.invoke(called, connection, given);
                return result instanceof PreparedStatement statement
                    ? remembering(statement, (String) given[0])
                    : result;
              });
        });
  }

  private PreparedStatement remembering(PreparedStatement statement, String sql) {
    return CountingDataSource.proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("executeQuery")) {
            return CountingDataSource.invoke(method, statement, arguments);
          }
          CachedRowSet known = results.get(sql);
          if (known == null || !answersFromMemory) {
            known = RowSetProvider.newFactory().createCachedRowSet();
            known.populate((ResultSet) CountingDataSource.invoke(method, statement, arguments));
            results.put(sql, known);
          }
          known.beforeFirst();
          return known.createCopy();
        });
  }
}
