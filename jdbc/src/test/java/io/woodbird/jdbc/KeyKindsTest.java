package io.woodbird.jdbc;

import static io.woodbird.jdbc.Answers.assertAbsent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.key.Keys;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Keys that are text or UUIDs, as the database compares them. */
final class KeyKindsTest {
  private Database database;
  private CountingDataSource counting;

  @BeforeEach
  void create(TestInfo test) {
    database = Database.h2(test.getTestMethod().orElseThrow().getName());
    counting = new CountingDataSource(database.source());
  }

  @AfterEach
  void drop() {
    database.run("shutdown");
  }

  @Test
  void uuids_areLookedUp_inAColumnOfTheirTypeAndAsText() throws Exception {
    database.run("create table a (id uuid primary key)", "create table b (id char(36))");
    UUID here = UUID.randomUUID();
    UUID absent = UUID.randomUUID();
    for (String table : List.of("a", "b")) {
      database.run("insert into " + table + " values ('" + here + "')");
      Follower<UUID> follower =
          JdbcKeys.uuids(database.source(), "select id from " + table).follower();
      follower.begin(Woodbird.bloom(Keys.uuids(), 100).build());
      assertAbsent(follower.confirm(List.of(here, absent)), List.of(absent), List.of(here));
    }
  }

  @Test
  void text_isComparedAsTheDatabaseDoes() throws Exception {
    database.run(
        "create table plain (sku varchar primary key)",
        "create table padded (sku char(8) primary key)",
        "create table anycase (sku varchar_ignorecase primary key)",
        "insert into plain values ('crow')",
        "insert into padded values ('crow')",
        "insert into anycase values ('crow')");
    List<String> asked = List.of("crow", "CROW", "crow  ", "owl", "stra\u00dfe", "\u9e1f", "");
    assertAbsent(
        text("plain").confirm(asked),
        List.of("CROW", "crow  ", "owl", "\u9e1f", ""),
        List.of("crow"));
    assertAbsent(text("padded").confirm(asked), List.of("owl", ""), List.of("crow", "crow  "));
    assertAbsent(text("anycase").confirm(asked), List.of("owl", ""), List.of("crow", "CROW"));
  }

  private Follower<String> text(String table) throws Exception {
    Follower<String> follower =
        JdbcKeys.strings(counting.proxy(), "select sku from " + table).follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    return follower;
  }

  /** "ss" and sharp s are equal here, which no rule of ours knows. */
  @Test
  void aRowThatLooksLikeNoKey_isNotDenied() throws Exception {
    database.run(
        "set collation german strength primary",
        "create table street (sku varchar primary key)",
        "insert into street values ('strasse')");
    List<String> asked = List.of("a", "b", "stra\u00dfe", "c", "STRASSE", "d");
    assertAbsent(
        text("street").confirm(asked),
        List.of("a", "b", "c", "d"),
        List.of("stra\u00dfe", "STRASSE"));
  }

  @Test
  void keysThatNoDatabaseTakes_areNotDenied_andSpoilNothing() throws Exception {
    database.run("create table plain (sku varchar primary key)");
    List<String> odd = List.of("a\0b", "\ud800", "x".repeat(10_000));
    List<String> asked = List.of(odd.get(0), "owl", odd.get(1), odd.get(2));
    assertAbsent(text("plain").confirm(asked), List.of("owl"), odd);
  }

  @Test
  void longKeys_makeSeveralStatements() throws Exception {
    database.run("create table plain (sku varchar primary key)");
    List<String> asked = LongStream.range(0, 800).mapToObj(i -> "x".repeat(4000) + i).toList();
    Follower<String> follower = text("plain");
    Proof<String> proof = follower.confirm(asked);
    assertThat(asked).allMatch(proof::isAbsent);
    assertThat(counting.statements).hasValueBetween(9, 12); // One of them looks at the table.
  }

  @Test
  void keysThatTheColumnRefuses_areNotDenied_andSpoilNothing() throws Exception {
    UUID here = UUID.randomUUID();
    UUID absent = UUID.randomUUID();
    database.run(
        "create table plain (sku uuid primary key)", "insert into plain values ('" + here + "')");
    List<String> asked = List.of(here.toString(), "poison", absent.toString(), "p2", "p3");
    assertAbsent(
        text("plain").confirm(asked),
        List.of(absent.toString()),
        List.of(here.toString(), "poison", "p2", "p3"));
    assertAbsent(text("plain").confirm(List.of("poison")), List.of(), List.of("poison"));
  }

  @Test
  void aColumnOfAnotherType_isRefused_andNamed() throws Exception {
    database.run("create table t (a varchar(9), b binary(16))", "insert into t (a) values ('9')");
    Follower<Long> numbers = JdbcKeys.longs(database.source(), "select a from t").follower();
    numbers.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThatThrownBy(() -> numbers.confirm(List.of(9L, 10L)))
        .hasMessageContaining("CHARACTER VARYING")
        .hasMessageContaining("whole numbers");
    Follower<UUID> uuids = JdbcKeys.uuids(database.source(), "select b from t").follower();
    uuids.begin(Woodbird.bloom(Keys.uuids(), 100).build());
    assertThatThrownBy(() -> uuids.confirm(List.of())).hasMessageContaining("UUIDs");
  }

  @Test
  void uuidsAsText_areFound_howeverTheyAreWritten() throws Exception {
    database.run("create table u (id varchar(36) primary key)");
    Follower<UUID> follower = JdbcKeys.uuids(database.source(), "select id from u").follower();
    follower.begin(Woodbird.bloom(Keys.uuids(), 100).build());
    for (int i = 0; i < 4; i++) {
      UUID here = UUID.randomUUID();
      String text = i < 2 ? here.toString() : here.toString().replace("-", "");
      text = i % 2 == 0 ? text : text.toUpperCase(java.util.Locale.ROOT);
      database.run("insert into u values ('" + text + "')");
      UUID absent = UUID.randomUUID();
      assertAbsent(follower.confirm(List.of(here, absent)), List.of(absent), List.of(here));
    }
  }

  @Test
  void oneLongKey_makesNoLargeStatement() throws Exception {
    database.run("create table plain (sku varchar primary key)");
    List<String> asked = new java.util.ArrayList<>();
    for (int i = 0; i < 1025; i++) {
      asked.add("k" + i);
    }
    for (int i = 0; i < 40; i++) {
      asked.add("x".repeat(8000) + i); // Wherever it is in the list, it stands there once.
    }
    Proof<String> proof = text("plain").confirm(asked);
    assertThat(asked).allMatch(proof::isAbsent);
    assertThat(counting.boundCharacters.get()).isLessThan(1_000_000);
  }

  @Test
  void aStatementThatAlwaysFails_isAFailure() throws Exception {
    database.run("create table plain (sku varchar primary key)");
    Follower<String> follower = text("plain");
    follower.confirm(List.of("a"));
    database.run("drop table plain");
    assertThatThrownBy(() -> follower.confirm(List.of("a"))).isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> follower.confirm(List.of("a", "b")))
        .hasMessageContaining("select sku from plain");
    database.run("create table plain (sku varchar primary key)", "insert into plain values ('b')");
    assertAbsent(follower.confirm(List.of("a", "b")), List.of("a"), List.of("b"));
  }
}
