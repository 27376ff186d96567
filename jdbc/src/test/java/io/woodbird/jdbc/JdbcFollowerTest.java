package io.woodbird.jdbc;

import static io.woodbird.jdbc.Answers.assertAbsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.key.Keys;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What a follower proves about keys, on H2. */
final class JdbcFollowerTest {
  private final MutableFilter<Long> filter =
      Woodbird.bloom(Keys.longs(), 100_000).fpp(0.0001).seed(3).build();
  private Database database;
  private CountingDataSource counting;

  @BeforeEach
  void create(TestInfo test) {
    database = Database.h2(test.getTestMethod().orElseThrow().getName());
    counting = new CountingDataSource(database.source());
    database.run("create table product (id bigint primary key, active boolean default true)");
  }

  @AfterEach
  void drop() {
    database.run("shutdown");
  }

  private Follower<Long> follower(String sql) throws Exception {
    Follower<Long> follower = JdbcKeys.longs(counting.proxy(), sql).follower();
    follower.begin(filter);
    return follower;
  }

  private Follower<Long> follower() throws Exception {
    return follower("select id from product");
  }

  private void insert(long... ids) {
    for (long id : ids) {
      database.run("insert into product (id) values (" + id + ")");
    }
  }

  /** One that may keep an old result after a commit, for as long as nothing else is committed. */
  @Test
  void oldVersionsOfH2_proveNothing() throws Exception {
    for (String version : List.of("1.4.200 (2019-10-14)", "2.2.224 (2023-09-17)", "2.3.230 (x)")) {
      DataSource old =
          CountingDataSource.proxy(
              DataSource.class,
              (self, method, arguments) -> olderConnection(database.source(), version));
      Follower<Long> follower = JdbcKeys.longs(old, "select id from product").follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      assertThatThrownBy(() -> follower.confirm(List.of(1L)))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("H2 " + version + " may keep an old result");
    }
  }

  private static Connection olderConnection(DataSource source, String version) throws SQLException {
    Connection connection = source.getConnection();
    return CountingDataSource.proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object result = CountingDataSource.invoke(method, connection, arguments);
          return result instanceof DatabaseMetaData about
              ? CountingDataSource.proxy(
                  DatabaseMetaData.class,
                  (same, asked, given) ->
                      asked.getName().equals("getDatabaseProductVersion")
                          ? version
                          : CountingDataSource.invoke(asked, about, given))
              : result;
        });
  }

  @Test
  void absentKeys_areProved_andRowsAreNot_wherverTheyAre() throws Exception {
    Follower<Long> follower = follower();
    assertAbsent(follower.confirm(List.of(1L, 2L)), List.of(1L, 2L, 3L), List.of());
    insert(10, 20, 30);
    List<Long> around = List.of(9L, 10L, 11L, 20L, 30L, 31L, Long.MIN_VALUE, Long.MAX_VALUE);
    List<Long> gone = List.of(9L, 11L, 31L, Long.MIN_VALUE, Long.MAX_VALUE);
    assertAbsent(follower.confirm(around), gone, List.of(10L, 20L, 30L));
  }

  @Test
  void aKeyThatWasNotAskedAbout_isNotProved_unlessItIsOutsideTheTable() throws Exception {
    insert(10, 20);
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    Proof<Long> proof = follower.confirm(List.of(11L));
    assertAbsent(proof, List.of(9L, 11L, 21L), List.of(12L, 10L, 20L));
  }

  @Test
  void rowsCommittedOutOfOrder_areFound() throws Exception {
    insert(1, 100, 200);
    Follower<Long> follower = follower();
    follower.confirm(List.of(150L));
    insert(50); // A block of numbers that somebody took long ago.
    insert(-7); // Below all others.
    insert(300, 250);
    List<Long> asked = List.of(50L, -7L, 300L, 250L, 51L, -8L, 301L);
    assertAbsent(follower.confirm(asked), List.of(51L, -8L, 301L), List.of(50L, -7L, 300L, 250L));
  }

  @Test
  void newRows_areReadIntoTheFilter_whetherTheyWereAskedForOrNot() throws Exception {
    insert(1);
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    insert(5, 6, 9);
    follower.confirm(List.of(77L));
    assertThat(List.of(5L, 6L, 9L)).allMatch(filter::mightContain);
  }

  @Test
  void manyNewRows_areReadInParts_andNoneIsDenied() throws Exception {
    insert(1);
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    database.run("insert into product (id) select x + 1 from system_range(1, 22000)");
    List<Long> asked = LongStream.rangeClosed(1, 22_010).boxed().toList();
    Proof<Long> proof = follower.confirm(asked);
    assertThat(asked.subList(0, 22_001)).noneMatch(proof::isAbsent);
    assertThat(asked.subList(22_001, 22_010)).allMatch(proof::isAbsent);
    assertThat(asked.subList(1, 22_001)).allMatch(proof::isPresent);
  }

  @Test
  void keysAtTheEndOfTheRange_areFound() throws Exception {
    insert(Long.MAX_VALUE - 5);
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    insert(Long.MAX_VALUE, Long.MIN_VALUE);
    List<Long> asked = List.of(Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE);
    assertAbsent(
        follower.confirm(asked),
        List.of(Long.MAX_VALUE - 1),
        List.of(Long.MAX_VALUE, Long.MIN_VALUE));
  }

  @Test
  void deletedRows_areAbsent() throws Exception {
    insert(1, 2, 3);
    Follower<Long> follower = follower();
    follower.confirm(List.of(2L));
    database.run("delete from product where id <> 2");
    assertAbsent(follower.confirm(List.of(1L, 2L, 3L)), List.of(1L, 3L), List.of(2L));
    insert(3);
    assertAbsent(follower.confirm(List.of(1L, 3L)), List.of(1L), List.of(3L));
  }

  @Test
  void onlyRowsOfTheQueryCount() throws Exception {
    insert(1, 2, 3);
    database.run("update product set active = false where id = 2");
    Follower<Long> follower = follower("select id as nr from product where active order by id;");
    assertAbsent(follower.confirm(List.of(1L, 2L, 3L)), List.of(2L), List.of(1L, 3L));
    database.run("update product set active = true where id = 2");
    assertAbsent(follower.confirm(List.of(2L)), List.of(), List.of(2L));
  }

  @Test
  void keysOutsideTheTable_costOneStatement_howeverManyThereAre() throws Exception {
    insert(1, 1000);
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    long before = counting.statements.get();
    List<Long> many = LongStream.range(1_000_000, 1_010_000).boxed().toList();
    Proof<Long> proof = follower.confirm(many);
    assertThat(many).allMatch(proof::isAbsent);
    assertThat(counting.statements.get() - before).isEqualTo(1);
    before = counting.statements.get();
    List<Long> gaps = LongStream.range(2, 900).boxed().toList();
    assertThat(gaps).allMatch(follower.confirm(gaps)::isAbsent);
    assertThat(counting.statements.get() - before).isEqualTo(1);
  }

  @Test
  void aKeyThatManyRowsHave_isReadOnce() throws Exception {
    database.run("create table review (product bigint)", "insert into review values (1)");
    Follower<Long> follower = follower("select product from review");
    follower.confirm(List.of());
    database.run("insert into review select mod(x, 3) + 5 from system_range(1, 100000)");
    assertAbsent(follower.confirm(List.of(4L, 5L, 8L)), List.of(4L, 8L), List.of(5L));
    assertThat(counting.rows.get()).isLessThan(100);
  }

  @Test
  void aTableThatWasEmpty_isReadAheadOf() throws Exception {
    Follower<Long> follower = follower();
    follower.confirm(List.of());
    insert(5);
    follower.confirm(List.of());
    insert(6, 7);
    follower.confirm(List.of());
    assertThat(List.of(6L, 7L)).allMatch(filter::mightContain);
  }

  @Test
  void aQueryMayEndWithACommentAndSemicolons() throws Exception {
    insert(5);
    for (String sql : List.of("select id from product -- all", "select id from product;; ")) {
      assertAbsent(follower(sql).confirm(List.of(5L, 6L)), List.of(6L), List.of(5L));
    }
  }

  /** Rows that another transaction has deleted, and will not. */
  @Test
  void uncommittedDeletions_areNotBelieved() throws Exception {
    insert(5);
    Connection reader = database.source().getConnection();
    reader.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
    reader.setAutoCommit(false);
    Follower<Long> follower =
        JdbcKeys.longs(CountingDataSource.ofOne(reader), "select id from product").follower();
    follower.begin(filter);
    try (Connection other = database.source().getConnection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("delete from product");
      assertAbsent(follower.confirm(List.of(5L, 6L)), List.of(6L), List.of(5L));
      other.rollback();
    }
    assertThat(reader.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_UNCOMMITTED);
    assertThat(reader.getAutoCommit()).isFalse();
    database.run("drop table product");
    assertThatThrownBy(() -> follower.confirm(List.of(5L))).isInstanceOf(SQLException.class);
    assertThat(reader.getAutoCommit()).as("after a failure").isFalse();
    assertThatThrownBy(
            () -> JdbcKeys.longs(CountingDataSource.ofOne(reader), "select id from gone").open())
        .isInstanceOf(SQLException.class);
    assertThat(reader.isReadOnly()).isFalse();
    reader.close();
  }

  @Test
  void aFollower_beginsForOneFilterOnly() throws Exception {
    Follower<Long> follower = follower();
    assertThatThrownBy(() -> follower.begin(Woodbird.bloom(Keys.longs(), 100).build()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("one for each filter");
  }

  @Test
  void noConnection_isAFailure_untilThereIsOne() throws Exception {
    Follower<Long> follower = follower();
    counting.isBroken = true;
    assertThatThrownBy(() -> follower.confirm(List.of(1L))).hasMessage("no connection");
    counting.isBroken = false;
    assertAbsent(follower.confirm(List.of(1L)), List.of(1L), List.of());
  }

  @Test
  void aConnectionThatWaitsForACommit_isReadAfresh_andGivenBackAsItWas() throws Exception {
    var connection = database.source().getConnection();
    connection.setAutoCommit(false);
    var source = CountingDataSource.ofOne(connection);
    Follower<Long> follower = JdbcKeys.longs(source, "select id from product").follower();
    follower.begin(filter);
    assertAbsent(follower.confirm(List.of(1L)), List.of(1L), List.of());
    insert(1);
    assertAbsent(follower.confirm(List.of(1L)), List.of(), List.of(1L));
    assertThat(connection.getAutoCommit()).isFalse();
    connection.close();
  }

  /** As MySQL's driver does with jdbcCompliantTruncation=false. */
  @Test
  void aKeyThatALongCanNotHold_isNoSmallBound_ifTheDriverCutsItOff() throws Exception {
    database.run(
        "create table wide (id numeric(30) primary key)",
        "insert into wide values (1), (18446744073709551615)");
    JdbcKeys<Long> keys = JdbcKeys.longs(cuttingOff(database.source()), "select id from wide");
    try (var read = keys.open()) {
      assertThat(read).as("what the driver makes of it").containsExactlyInAnyOrder(1L, -1L);
    }
    Follower<Long> follower = keys.follower();
    follower.begin(filter);
    follower.confirm(List.of());
    database.run("insert into wide values (5)");
    assertAbsent(follower.confirm(List.of(4L, 5L, 6L)), List.of(4L, 6L), List.of(5L));
  }

  @Test
  void aBuild_doesNotWaitForEverForAServer_andRespectsALimit() throws Exception {
    insert(1);
    for (int own : List.of(0, 5000)) {
      AtomicInteger limit = new AtomicInteger(own);
      Connection connection = database.source().getConnection();
      Connection limited =
          CountingDataSource.proxy(
              Connection.class,
              (self, method, arguments) -> {
                if (method.getName().equals("setNetworkTimeout")) {
                  limit.set((int) arguments[1]);
                }
                return method.getName().equals("getNetworkTimeout")
                    ? (Object) limit.get()
                    : CountingDataSource.invoke(method, connection, arguments);
              });
      DataSource source =
          CountingDataSource.proxy(DataSource.class, (self, method, arguments) -> limited);
      try (var keys = JdbcKeys.longs(source, "select id from product").open()) {
        assertThat(limit).as("meanwhile").hasValue(own == 0 ? 3_600_000 : own);
        assertThat(keys).containsExactly(1L);
      }
      assertThat(limit).hasValue(own);
    }
  }

  private static DataSource cuttingOff(DataSource source) {
    return CountingDataSource.proxy(
        DataSource.class,
        (self, method, arguments) -> cuttingOff(Connection.class, source.getConnection()));
  }

  /** Gives what a connection, a statement or a result gives, and a long whatever the number is. */
  private static <T> T cuttingOff(Class<T> type, Object target) {
    return CountingDataSource.proxy(
        type,
        (self, method, arguments) -> {
          if (target instanceof ResultSet row && method.getName().equals("getLong")) {
            BigDecimal exact = row.getBigDecimal((int) arguments[0]);
            return exact == null ? 0L : exact.longValue();
          }
          Object result = CountingDataSource.invoke(method, target, arguments);
          if (result instanceof PreparedStatement) {
            return cuttingOff(PreparedStatement.class, result);
          }
          return result instanceof ResultSet ? cuttingOff(ResultSet.class, result) : result;
        });
  }
}
