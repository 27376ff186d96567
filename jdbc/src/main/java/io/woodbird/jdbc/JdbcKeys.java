package io.woodbird.jdbc;

import io.woodbird.guard.Follower;
import io.woodbird.guard.KeySource;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a query returns: the source of a filter, and what proves that a key is absent.
 *
 * <pre>{@code
 * JdbcKeys<Long> ids = JdbcKeys.longs(dataSource, "select id from product");
 * RebuildingFilter<Long> built = RebuildingFilter.of(Keys.longs(), ids).start();
 * FollowingFilter<Long> filter = FollowingFilter.over(built, ids.follower()).start();
 * }</pre>
 *
 * <p>Then a row is found as soon as its commit has returned, whichever program wrote it. What is
 * denied was looked up in the database after the question was asked, together with all other
 * questions of the same milliseconds, by one statement. Two keys are equal if the database says so:
 * with its collations, padding and case.
 *
 * @param <K> the type of the keys
 */
public final class JdbcKeys<K> implements KeySource<K> {
  private static final int USUAL_FETCH_SIZE = 10_000;

  private final DataSource dataSource;
  private final String sql;
  private final KeyKind<K> kind;
  private final int fetchSize;
  private final boolean keeps;
  private final boolean isWhole;

  /** Of builds and look-ups alike: both must read the same table. */
  private final AtomicReference<Circumstances.@Nullable Place> first;

  private JdbcKeys(
      DataSource dataSource,
      String sql,
      KeyKind<K> kind,
      int fetchSize,
      boolean keeps,
      boolean isWhole,
      AtomicReference<Circumstances.@Nullable Place> first) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    this.sql = Objects.requireNonNull(sql, "sql");
    this.kind = kind;
    this.fetchSize = fetchSize;
    this.keeps = keeps;
    this.isWhole = isWhole;
    this.first = first;
  }

  private JdbcKeys(DataSource dataSource, String sql, KeyKind<K> kind) {
    this(dataSource, sql, kind, USUAL_FETCH_SIZE, false, false, new AtomicReference<>());
  }

  /**
   * Keys that are whole numbers.
   *
   * @param dataSource leads to the primary server, where rows are written
   * @param sql a query whose first column is the key, such as {@code select id from product}
   * @return the keys
   */
  public static JdbcKeys<Long> longs(DataSource dataSource, String sql) {
    return new JdbcKeys<>(dataSource, sql, new LongKind());
  }

  /**
   * Keys that are text.
   *
   * @param dataSource leads to the primary server, where rows are written
   * @param sql a query whose first column is the key
   * @return the keys
   */
  public static JdbcKeys<String> strings(DataSource dataSource, String sql) {
    return new JdbcKeys<>(dataSource, sql, new StringKind());
  }

  /**
   * Keys that are UUIDs, in a column of that type or as text.
   *
   * @param dataSource leads to the primary server, where rows are written
   * @param sql a query whose first column is the key
   * @return the keys
   */
  public static JdbcKeys<UUID> uuids(DataSource dataSource, String sql) {
    return new JdbcKeys<>(dataSource, sql, new UuidKind());
  }

  /**
   * The same keys, with another number of rows that the driver fetches at a time. 10,000 if nothing
   * is said.
   *
   * @param rows positive
   * @return the keys
   */
  public JdbcKeys<K> fetchSize(int rows) {
    if (rows <= 0) {
      throw new IllegalArgumentException("fetchSize must be positive: " + rows);
    }
    return new JdbcKeys<>(dataSource, sql, kind, rows, keeps, isWhole, first);
  }

  /**
   * The same keys, whose {@linkplain #follower followers} keep a connection from when they start
   * until they are closed. All of the same pool share one. Use this with a pool of some connections
   * if guarded methods are called in transactions that only read: callers that wait for a proof may
   * hold all connections, and the proof needs one.
   *
   * @return the keys
   */
  public JdbcKeys<K> keepConnection() {
    return new JdbcKeys<>(dataSource, sql, kind, fetchSize, true, isWhole, first);
  }

  /**
   * The same keys, for a filter into which a follower reads the changes of the table. It needs a
   * build that has every row which the changes don't bring. So a build fails if it would read a
   * view, or a standby, as far as the server tells.
   *
   * @return the keys
   * @throws IllegalArgumentException if the query is more than {@code select column from table}: a
   *     row that matches a condition only later would be denied
   */
  public JdbcKeys<K> wholeTable() {
    if (!KeyQuery.isSimple(sql)) {
      throw new IllegalArgumentException(
          "changes of a table can be followed only if all its rows are read, as by \"select column"
              + " from table\": "
              + sql);
    }
    return new JdbcKeys<>(dataSource, sql, kind, fetchSize, keeps, true, first);
  }

  /**
   * Looks keys up in the database, for {@link io.woodbird.guard.FollowingFilter}.
   *
   * @return a follower of its own
   */
  public Follower<K> follower() {
    return new JdbcFollower<>(
        () -> keeps ? KeptConnection.of(dataSource) : Connections.each(dataSource),
        sql,
        kind,
        first);
  }

  /**
   * Reads all keys. If the connection has no limit for how long it waits for the server ({@code
   * Connection.setNetworkTimeout}), it has one of an hour meanwhile.
   *
   * @return every key, in the order of the query; ends by an exception if the query fails
   * @throws SQLException if the query can't begin
   */
  @Override
  public Stream<K> open() throws SQLException {
    SourceReading reading = SourceReading.from(dataSource);
    try {
      return RowKeys.stream(reading.begin(sql, fetchSize, first, isWhole ? kind : null), kind, sql)
          .onClose(reading::end);
    } catch (SQLException e) {
      reading.close();
      throw AllRows.explained(sql, e);
    } catch (RuntimeException | Error e) {
      reading.close();
      throw e;
    }
  }

  /** Says which query. */
  @Override
  public String toString() {
    return sql;
  }
}
