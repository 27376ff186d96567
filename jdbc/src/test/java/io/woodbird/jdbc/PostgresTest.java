package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.NetworkProxy;
import io.woodbird.testkit.ProcessTree;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Keys as PostgreSQL compares them, and a PostgreSQL that stops, freezes or is a standby. */
final class PostgresTest {
  private static final Database database = SharedPostgres.create("types");

  @BeforeAll
  static void create() {
    database.run(
        "create extension citext",
        "create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
  }

  private static Proof<String> confirm(String table, List<String> asked) throws Exception {
    Follower<String> follower =
        JdbcKeys.strings(database.source(), "select sku from " + table).follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    return follower.confirm(asked);
  }

  private static <K> void assertAbsent(Proof<K> proof, List<K> absent, List<K> present) {
    assertThat(absent).allMatch(proof::isAbsent);
    assertThat(present).noneMatch(proof::isAbsent);
  }

  private static void create(String table, String type, String... rows) {
    database.run("create table " + table + " (sku " + type + " primary key)");
    for (String row : rows) {
      database.run("insert into " + table + " values ('" + row + "')");
    }
  }

  @Test
  void charOfALength_ignoresSpacesAtTheEnd() throws Exception {
    create("padded", "char(8)", "crow");
    assertAbsent(
        confirm("padded", List.of("crow", "crow  ", "owl", "CROW")),
        List.of("owl", "CROW"),
        List.of("crow", "crow  "));
  }

  @Test
  void varchar_comparesEveryCharacter() throws Exception {
    create("exact", "varchar(20)", "crow");
    assertAbsent(
        confirm("exact", List.of("crow", "crow  ", "owl", "CROW")),
        List.of("crow  ", "owl", "CROW"),
        List.of("crow"));
  }

  @Test
  void citext_ignoresCase() throws Exception {
    database.run("create domain bird as citext check (value <> '')");
    create("birds", "bird", "Crow");
    assertAbsent(confirm("birds", List.of("crow", "owl", "")), List.of("owl", ""), List.of("crow"));
    create("citexts", "citext", "Crow");
    assertAbsent(
        confirm("citexts", List.of("crow", "owl", "CROW", "crow ")),
        List.of("owl", "crow "),
        List.of("crow", "CROW"));
  }

  /** What the server itself says about one key, written into the query. */
  private static boolean isAbsent(String table, String key) throws SQLException {
    try (Connection connection = database.source().getConnection();
        PreparedStatement query =
            connection.prepareStatement("select 1 from " + table + " where sku = '" + key + "'")) {
      return !query.executeQuery().next();
    }
  }

  @Test
  void aCollationThatIsNotDeterministic_decides() throws Exception {
    create("anycases", "text collate anycase", "Crow", "Stra\u00dfe", "R\u00e9sum\u00e9");
    List<String> asked =
        List.of(
            "crow",
            "owl",
            "CROW",
            "STRASSE",
            "stra\u00dfe",
            "cr\u00f6w",
            "resume",
            "RE\u0301SUME\u0301");
    Proof<String> proof = confirm("anycases", asked);
    for (String key : asked) {
      boolean isAbsent = isAbsent("anycases", key);
      assertThat(proof.isAbsent(key) && !isAbsent).as(key).isFalse();
      Proof<String> alone = confirm("anycases", List.of(key));
      assertThat(alone.isAbsent(key)).as(key).isEqualTo(isAbsent);
    }
    assertThat(asked).anyMatch(proof::isAbsent);
    assertThat(List.of("crow", "CROW", "stra\u00dfe")).noneMatch(proof::isAbsent);
  }

  @Test
  void uuids_areFound_inTheirOwnTypeAndAsText() throws Exception {
    UUID here = UUID.randomUUID();
    UUID absent = UUID.randomUUID();
    create("ids", "uuid", here.toString());
    create("textids", "char(36)", here.toString());
    for (String table : List.of("ids", "textids")) {
      Follower<UUID> follower =
          JdbcKeys.uuids(database.source(), "select sku from " + table).follower();
      follower.begin(Woodbird.bloom(Keys.uuids(), 100).build());
      assertAbsent(follower.confirm(List.of(here, absent)), List.of(absent), List.of(here));
      assertAbsent(
          confirm(table, List.of(here.toString(), absent.toString(), "crow")),
          List.of(absent.toString()),
          List.of(here.toString()));
    }
  }

  @Test
  void numbersOfOtherTypes_areFound() throws Exception {
    create("scaled", "numeric(10, 2)", "5");
    create("small", "integer", "5");
    for (String table : List.of("scaled", "small")) {
      Follower<Long> follower =
          JdbcKeys.longs(database.source(), "select sku from " + table).follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      List<Long> asked = List.of(4L, 5L, 6L, Long.MAX_VALUE);
      follower.confirm(asked);
      assertAbsent(follower.confirm(asked), List.of(4L, 6L, Long.MAX_VALUE), List.of(5L));
    }
  }

  /** All keys are listed for a query that is more than a table, also those far outside. */
  @Test
  void numbersThatAreTooLargeForTheColumn_areAbsent() throws Exception {
    for (String type : List.of("smallint", "integer", "bigint", "numeric(4, 1)")) {
      String table = "narrow_" + type.replaceAll("\\W", "");
      create(table, type, "5");
      Follower<Long> follower =
          JdbcKeys.longs(database.source(), "select sku from " + table + " where sku > 0")
              .follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      List<Long> absent = List.of(6L, 40_000L, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE);
      List<Long> asked = new ArrayList<>(absent);
      asked.add(5L);
      assertAbsent(follower.confirm(asked), absent, List.of(5L));
    }
  }

  @Test
  void keysThatTheColumnRefuses_spoilNothing() throws Exception {
    create("texts", "text", "crow");
    List<String> odd = List.of("a\0b", "\ud800");
    assertAbsent(
        confirm("texts", List.of(odd.get(0), "crow", odd.get(1), "owl")),
        List.of("owl"),
        List.of("crow", odd.get(0), odd.get(1)));
  }

  @Test
  void keysWithSignsOfALanguage_areLookedUpAsTheyAre() throws Exception {
    List<String> odd =
        List.of(
            "", "\"", "\\", "{a,b}", "null", "NULL", " a ", "a\"b\\c", "a,b", "\n", "'", "\\\"");
    for (String key : odd) {
      create("signs" + odd.indexOf(key), "text", key.replace("'", "''"));
      List<String> others = odd.stream().filter(other -> !other.equals(key)).toList();
      assertAbsent(confirm("signs" + odd.indexOf(key), odd), others, List.of(key));
    }
  }

  /** An attacker sends what no row can have, to make the others unknown. */
  @Test
  void manyKeysThatTheColumnRefuses_leaveNoOtherUnknown() throws Exception {
    List<String> numbers = List.of("5", "-7", "123");
    List<String> noNumbers = List.of("crow", "", "1e5x", "99999999999999999999", "0x", "1_", " ");
    UUID here = UUID.randomUUID();
    List<String> noIds = List.of("crow", here + "0", "{" + here, "g".repeat(32), "-".repeat(36));
    for (String type : List.of("smallint", "integer", "bigint", "numeric(9, 2)", "uuid")) {
      boolean isId = type.equals("uuid");
      String table = "refusing_" + type.replaceAll("\\W", "");
      create(table, type, isId ? here.toString() : "5");
      List<String> absent = new ArrayList<>(isId ? List.of() : List.of("-7", "123"));
      List<String> asked = new ArrayList<>(isId ? List.of(here.toString()) : numbers);
      for (int i = 0; i < 200; i++) {
        asked.addAll(isId ? noIds : noNumbers);
        asked.add("x" + i);
        if (isId) {
          absent.add(UUID.randomUUID().toString());
        }
      }
      asked.addAll(absent);
      assertAbsent(
          confirm(table, asked), absent, List.of(asked.get(0), asked.get(asked.indexOf("crow"))));
    }
  }

  private static <K> String plan(String table, KeyKind<K> kind, K key, boolean isNumber)
      throws SQLException {
    try (Connection connection = database.source().getConnection()) {
      KeyQuery about =
          KeyQuery.of(connection, "select sku from " + table, kind, new AtomicReference<>());
      LookUp<K> lookUp = new LookUp<>(connection, about, kind, new AtomicReference<>());
      String sql = LookUp.BEGIN + 0 + lookUp.sql(2, isNumber);
      try (PreparedStatement explain = connection.prepareStatement("explain " + sql)) {
        LookUp.Range range = isNumber ? new LookUp.Range(20_000, 30_000) : null;
        explain.setInt(1, 8);
        lookUp.bind(explain, List.of(key, key), range);
        StringBuilder lines = new StringBuilder();
        ResultSet rows = explain.executeQuery();
        while (rows.next()) {
          lines.append(rows.getString(1)).append('\n');
        }
        return lines.toString();
      }
    }
  }

  /** A question must not read the table. */
  @Test
  void questionsUseTheIndex() throws Exception {
    for (String type : List.of("char(12)", "citext", "text", "bigint")) {
      String table = "indexed_" + type.replaceAll("\\W", "");
      create(table, type);
      database.run(
          "insert into " + table + " select n from generate_series(1, 20000) n",
          "analyze " + table);
      String plan =
          type.equals("bigint")
              ? plan(table, new LongKind(), 7L, true)
              : plan(table, new StringKind(), "7", false);
      assertThat(plan).as(type).contains("Index").doesNotContain("Seq Scan on " + table);
    }
  }

  private static FollowingFilter<Long> follow(Database followed, Duration patience) {
    FollowingFilter<Long> filter =
        FollowingFilter.over(
                Woodbird.bloom(Keys.longs(), 1000).build(),
                JdbcKeys.longs(followed.source(), "select id from product").follower())
            .patience(patience)
            .start();
    while (filter.ask(-1L) != Answer.NOT_HERE) {
      LockSupport.parkNanos(1_000_000);
    }
    return filter;
  }

  private static EmbeddedPostgres.Builder keeping(Path data) {
    return EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false);
  }

  private static long postmaster(Path data) throws IOException {
    return Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
  }

  @Test
  void aServerThatFreezes_stops_andComesBack_deniesNoRow(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    EmbeddedPostgres first = keeping(data).start();
    Database own = new Database(first.getPostgresDatabase());
    own.run("create table product (id bigint primary key)");
    FollowingFilter<Long> filter = follow(own, Duration.ofMillis(300));
    long process = postmaster(data);
    ProcessTree.signal("STOP", process);
    assertThat(filter.ask(7L)).isEqualTo(Answer.UNKNOWN);
    ProcessTree.signal("CONT", process);
    own.run("insert into product values (7)");
    while (filter.ask(-2L) != Answer.NOT_HERE) {
      assertThat(filter.ask(7L)).isNotEqualTo(Answer.NOT_HERE);
    }
    Answers.requireFound(filter, 7L);
    int port = first.getPort();
    first.close();
    while (filter.doubt() == null) {
      assertThat(filter.ask(8L)).isEqualTo(Answer.UNKNOWN);
    }
    try (EmbeddedPostgres second = keeping(data).setPort(port).start()) {
      new Database(second.getPostgresDatabase()).run("insert into product values (8)");
      while (filter.ask(-3L) != Answer.NOT_HERE) {
        assertThat(filter.ask(8L)).isNotEqualTo(Answer.NOT_HERE);
      }
      Answers.requireFound(filter, 8L);
    }
    filter.close();
  }

  /** Clients are led to a replica that has not got the last rows, and that is promoted later. */
  @Test
  void aFailoverToAReplicaThatIsBehind_deniesNoRowOfIt(@TempDir Path folder) throws Exception {
    Path data = folder.resolve("data");
    Path copy = folder.resolve("copy");
    try (EmbeddedPostgres primary = keeping(data).start()) {
      new Database(primary.getPostgresDatabase())
          .run("create table product (id bigint primary key)", "insert into product values (1)");
    }
    assertThat(new ProcessBuilder("cp", "-a", data.toString(), copy.toString()).start().waitFor())
        .isZero();
    Files.createFile(copy.resolve("standby.signal"));
    EmbeddedPostgres primary = keeping(data).start();
    try (EmbeddedPostgres replica = keeping(copy).start();
        NetworkProxy proxy = new NetworkProxy(primary.getPort())) {
      PGSimpleDataSource far = new PGSimpleDataSource();
      far.setURL("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/postgres?user=postgres");
      FollowingFilter<Long> filter = follow(new Database(far), Duration.ofMinutes(5));
      new Database(primary.getPostgresDatabase()).run("insert into product values (2)");
      proxy.target(replica.getPort());
      proxy.cut();
      while (filter.doubt() == null) {
        assertThat(filter.ask(2L)).isNotEqualTo(Answer.NOT_HERE);
      }
      assertThat(filter.doubt()).contains("standby");
      assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      primary.close();
      Database promoted = new Database(replica.getPostgresDatabase());
      promoted.run("select pg_promote()", "insert into product values (3)");
      while (filter.ask(-4L) != Answer.NOT_HERE) {
        assertThat(filter.ask(1L)).isNotEqualTo(Answer.NOT_HERE);
      }
      assertThat(List.of(1L, 3L)).allMatch(row -> filter.ask(row) == Answer.MAYBE_HERE);
      filter.close();
    } finally {
      primary.close();
    }
  }

  /** A build reads all keys, and is named when it can't. */
  @Test
  void theSource_readsAllKeys_andNamesTheQueryThatFails() throws Exception {
    create("many", "bigint");
    database.run("insert into many select n from generate_series(1, 25000) n");
    JdbcKeys<Long> keys = JdbcKeys.longs(database.source(), "select sku from many").fetchSize(1000);
    try (var all = keys.open()) {
      assertThat(all.mapToLong(key -> key).sum()).isEqualTo(25_000L * 25_001 / 2);
    }
    assertThatThrownBy(() -> JdbcKeys.longs(database.source(), "select nr from many").open())
        .hasMessageContaining("select nr from many");
    assertThatThrownBy(() -> keys.fetchSize(0)).hasMessageContaining("fetchSize");
    assertThat(keys).hasToString("select sku from many");
  }
}
