package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.GtidSet;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Follows one column of one table of MySQL or MariaDB by the binary log, whichever program writes
 * the table.
 *
 * <pre>{@code
 * RebuildingFilter<Long> ids = RebuildingFilter.of(Keys.longs(), repository::streamIds).build();
 * Follower<Long> follower = BinlogFollower.longs()
 *     .dataSource(dataSource)
 *     .server("db.example.com", 3306, "follower", password)
 *     .table("shop", "product", "id")
 *     .rebuild(ids::rebuildNow)
 *     .build();
 * FollowingFilter<Long> known = FollowingFilter.over(ids, follower).start();
 * }</pre>
 *
 * <p>The server needs {@code log_bin}, {@code binlog_format=ROW}, and MySQL also {@code
 * gtid_mode=ON}. The user of the stream needs {@code REPLICATION SLAVE}; the one of the data source
 * {@code REPLICATION CLIENT} ({@code BINLOG MONITOR} in MariaDB), and must see the table. Settings
 * that hide rows from the log are refused. A server of MariaDB that is written to and also applies
 * what another one sends needs {@code log_slave_updates}. A replication group of MySQL must have a
 * single primary, and a {@code group_replication_consistency} other than {@code EVENTUAL}: else a
 * server that has not yet seen confirmed rows would answer. One connection of the data source is
 * kept.
 *
 * <p><b>What is proved.</b> A server writes a transaction to its log, and adds its GTID to {@code
 * gtid_binlog_pos} (MariaDB) or {@code gtid_owned} and then {@code gtid_executed} (MySQL), before
 * the commit returns, and before others see its rows. That holds for every value of {@code
 * sync_binlog} and {@code binlog_order_commits}; tables of MyISAM and Aria show rows earlier. A
 * confirmation reads these GTIDs from the server with one statement, and waits until the stream has
 * put the keys of all of them into the filter. The server that answers must be the one that the
 * stream reads, and must not be read-only.
 *
 * <p><b>Gaps.</b> At the beginning, and whenever changes may have been missed, the follower takes
 * the server's present position and calls {@link Builder#rebuild}. Nothing is denied until that has
 * ended. Changes may have been missed if the log was purged or reset; if MariaDB has given it up,
 * as it does when it can't begin a new file; if a statement came without its rows; if a table or
 * view of that name was made, dropped or changed; after a failover; and after a restart of a server
 * with {@code sync_binlog} other than 1, which is the default of MariaDB.
 *
 * <p><b>What can't be seen.</b> Rows whose commit waits for a semi-synchronous replica for longer
 * than new keys {@linkplain io.woodbird.guard.RebuildingFilterBuilder#settle settle}, ten minutes
 * if nothing is said: a build in between neither reads them nor keeps their keys. Rows written,
 * tables renamed, and columns moved back and forth, after {@code SET sql_log_bin=0}. Rows written
 * while MariaDB had given up its log, if nothing was confirmed meanwhile. Rows written to the
 * successor of a server that still accepts writes and can still be reached from here. Rows that
 * another server of a ring has accepted, until they are replicated. Rows of transactions without a
 * GTID, if {@code gtid_mode} was switched off and on again between two confirmations. {@code RESET
 * MASTER} is noticed because GTIDs begin again; but not if the stream is stuck until more
 * transactions have come after it than before it.
 *
 * @param <K> the type of the keys
 */
public final class BinlogFollower<K> implements Follower<K> {
  private static final long BUILD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long STREAM_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long VISIBLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Follow.Settings<K> settings;
  private final @Nullable Position saved;
  private final MySqlServer server;
  private final AtomicBoolean hasBegun = new AtomicBoolean();
  private volatile @Nullable Follow<K> follow;

  private BinlogFollower(Follow.Settings<K> settings, @Nullable Position saved) {
    this.settings = settings;
    this.saved = saved;
    this.server = new MySqlServer(settings.source());
  }

  /**
   * Begins a follower of an integer column. Values of {@code bigint unsigned} above {@link
   * Long#MAX_VALUE} are negative keys.
   *
   * @return a builder
   */
  public static Builder<Long> longs() {
    return new Builder<>(ColumnType.longs());
  }

  /**
   * Begins a follower of a text column. Its collation must be {@code utf8mb4_0900_bin} (MySQL) or
   * end in {@code _nopad_bin} (MariaDB), or there must be {@link Builder#normalize}: other
   * collations call strings equal that are different keys. Those that end in {@code _bin} do so
   * with spaces at the end, and {@code normalize(String::stripTrailing)} is enough for them.
   *
   * @return a builder
   */
  public static Builder<String> strings() {
    return new Builder<>(ColumnType.strings());
  }

  /**
   * Begins a follower of a column that holds UUIDs as {@code binary(16)}, the first byte first, or
   * as text.
   *
   * @return a builder
   */
  public static Builder<UUID> uuids() {
    return new Builder<>(ColumnType.uuids());
  }

  /**
   * Begins a follower of a binary column.
   *
   * @return a builder
   */
  public static Builder<byte[]> bytes() {
    return new Builder<>(ColumnType.bytes());
  }

  /**
   * Builds followers.
   *
   * @param <K> the type of the keys
   */
  public static final class Builder<K> {
    private static final long FIRST_ID = 1L << 31;
    private static final long MOST_ID = (1L << 32) - 1;

    private final ColumnType<K> keys;
    private @Nullable DataSource source;
    private @Nullable String host;
    private int port;
    private String user = "";
    private String password = "";
    private SSLMode tls = SSLMode.PREFERRED;
    private long serverId = ThreadLocalRandom.current().nextLong(FIRST_ID, MOST_ID);
    private @Nullable List<String> table;
    private @Nullable UnaryOperator<K> normalize;
    private @Nullable Supplier<? extends CompletableFuture<?>> rebuild;
    private @Nullable Position saved;

    private Builder(ColumnType<K> keys) {
      this.keys = keys;
    }

    /**
     * Says how the server is asked for its position. It must lead to the server that is written to.
     *
     * @param value gives connections to the server
     * @return this
     */
    public Builder<K> dataSource(DataSource value) {
      source = Objects.requireNonNull(value, "dataSource");
      return this;
    }

    /**
     * Says where the binary log is read.
     *
     * @param name of the machine
     * @param number its port
     * @param login of a user who has {@code REPLICATION SLAVE}
     * @param secret the user's password
     * @return this
     */
    public Builder<K> server(String name, int number, String login, String secret) {
      host = Objects.requireNonNull(name, "name");
      port = number;
      user = Objects.requireNonNull(login, "login");
      password = Objects.requireNonNull(secret, "secret");
      return this;
    }

    /**
     * Says whether the connection that reads the log is encrypted. If nothing is said, it is if the
     * server can, and its certificate is not checked.
     *
     * @param mode such as {@code VERIFY_IDENTITY}
     * @return this
     */
    public Builder<K> tls(SSLMode mode) {
      tls = Objects.requireNonNull(mode, "mode");
      return this;
    }

    /**
     * Chooses the number of the stream among the replicas of the server. A random one from 2^31 on
     * if nothing is said. A server ends a stream when another one with the same number begins.
     *
     * @param value from 1 to 2^32 - 1
     * @return this
     */
    public Builder<K> serverId(long value) {
      if (value < 1 || value > MOST_ID) {
        throw new IllegalArgumentException("serverId must be from 1 to 2^32 - 1: " + value);
      }
      serverId = value;
      return this;
    }

    /**
     * Says what is followed.
     *
     * @param schema the database
     * @param name the table
     * @param column the column that holds the keys
     * @return this
     */
    public Builder<K> table(String schema, String name, String column) {
      table = List.of(schema, name, column);
      return this;
    }

    /**
     * Changes keys before they are put, so that what the database takes for equal is one key. Ask
     * for keys in this form too.
     *
     * @param form such as {@code key -> key.toLowerCase(Locale.ROOT).stripTrailing()}
     * @return this
     */
    public Builder<K> normalize(UnaryOperator<K> form) {
      normalize = Objects.requireNonNull(form, "form");
      return this;
    }

    /**
     * Says how the filter gets all keys of the table, from the server that is followed: a replica
     * may lack the last rows before the position. Called at the beginning and after each gap; again
     * after some seconds if it fails.
     *
     * @param build begins to read the table when it is called, not before, and completes when the
     *     keys are in the filter; {@code RebuildingFilter.rebuildNow} does
     * @return this
     */
    public Builder<K> rebuild(Supplier<? extends CompletableFuture<?>> build) {
      rebuild = Objects.requireNonNull(build, "build");
      return this;
    }

    /**
     * Begins at a position of the past instead of with a build. The filter must have all keys up to
     * there. If the server no longer has its log from there on, or the key column is not as it was,
     * that is a gap.
     *
     * @param position what {@link BinlogFollower#position} gave before the filter was saved
     * @return this
     */
    public Builder<K> from(String position) {
      saved = Position.parse(position);
      return this;
    }

    /**
     * Makes the follower. It begins when a filter follows it.
     *
     * @return the follower
     */
    public BinlogFollower<K> build() {
      List<String> names = given(table, "table");
      return new BinlogFollower<>(
          new Follow.Settings<>(
              given(source, "dataSource"),
              new Address(given(host, "server"), port, user, password, tls, serverId),
              names.get(0),
              names.get(1),
              names.get(2),
              keys,
              normalize,
              given(rebuild, "rebuild")),
          saved);
    }

    private static <T> T given(@Nullable T value, String name) {
      if (value == null) {
        throw new IllegalStateException("a follower needs " + name + "()");
      }
      return value;
    }
  }

  @Override
  public boolean readsChanges() {
    return true;
  }

  /**
   * Checks the server and the table, takes the server's position, and begins to read from there.
   *
   * @throws IllegalStateException if the server or the table can't be followed; says what to set.
   *     Also if the follower has begun already: each filter needs one of its own
   */
  @Override
  public void begin(MutableFilter<K> filter) throws Exception {
    if (hasBegun.getAndSet(true)) {
      throw new IllegalStateException("the follower has begun already; make one for each filter");
    }
    Follow<K> begun = new Follow<>(settings, filter);
    follow = begun;
    begun.begin(saved);
  }

  @Override
  public Proof<K> confirm(List<K> asked) throws Exception {
    Follow<K> current = begun();
    long epoch = current.progress.check(BUILD_NANOS);
    Position before = current.progress.position();
    MySqlServer.Now now = present(before);
    if (now.isReadOnly()) {
      server.forget();
      throw new IllegalStateException("the server has become read-only: " + now.server());
    }
    if (!now.server().equals(before.server())) {
      server.forget();
      current.reconnect();
      throw new IllegalStateException(
          "the data source leads to the server %s, and the binary log is that of %s"
              .formatted(now.server(), before.server()));
    }
    current.progress.synced(now.isSynced());
    current.await(epoch, now, STREAM_NANOS);
    return Proof.complete();
  }

  /** What the server says. It must know all that the stream had already brought. */
  private MySqlServer.Now present(Position before) throws Exception {
    GtidSet seen = before.gtids(before.seen());
    long end = System.nanoTime() + VISIBLE_NANOS;
    while (true) {
      MySqlServer.Now now = asked();
      boolean isOther = !now.server().equals(before.server()) || now.isReadOnly();
      if (isOther || seen.isContainedWithin(now.known())) {
        return now;
      }
      // The server may send a transaction to its replicas some moments before it counts it.
      if (System.nanoTime() - end > 0) {
        begun().lose("the server does not know transactions that its binary log had: " + seen);
        throw new IllegalStateException("the binary log has been reset");
      }
      Thread.sleep(1);
    }
  }

  private MySqlServer.Now asked() throws SQLException {
    try {
      return server.now();
    } catch (SQLException e) {
      if (MySqlServer.hasNoLog(e)) { // And will have none until it is started again.
        begun().lose("the server no longer writes its binary log");
      }
      throw e;
    }
  }

  private Follow<K> begun() {
    Follow<K> current = follow;
    if (current == null) {
      throw new IllegalStateException("the follower has not begun");
    }
    return current;
  }

  /**
   * Up to where the filter has all keys. Take it before the filter is saved, and give both to a
   * later process.
   *
   * @return for {@link Builder#from}; null if there is a gap, or if no build has ended yet
   */
  public @Nullable String position() {
    Position trusted = begun().progress.trusted();
    return trusted == null ? null : trusted.toString();
  }

  /**
   * How many rows have been deleted since the follower began, as far as the log shows them: the
   * filter still has their keys until it is rebuilt.
   *
   * @return the number; rows of {@code TRUNCATE TABLE} are not counted
   */
  public long deleted() {
    return begun().deleted.sum();
  }

  /**
   * How often changes may have been missed since the follower began.
   *
   * @return the number
   */
  public long gaps() {
    return begun().gaps.sum();
  }

  @Override
  public void close() {
    server.close();
    Follow<K> current = follow;
    if (current != null) {
      current.close();
    }
  }
}
