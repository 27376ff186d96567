package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keys that come from the log are those that a query of the table gives. */
final class KeyTypesTest {
  private static MariaDbServer server;

  @BeforeAll
  static void start() throws Exception {
    server = MariaDbServer.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void integersOfAllKinds_areTheSameKeysAsInTheTable() throws Exception {
    for (String type : new String[] {"tinyint", "smallint", "mediumint", "int", "bigint"}) {
      assertFollowed(type + " unsigned", 200);
      assertFollowed(type, -100);
    }
  }

  private static void assertFollowed(String type, long key) throws Exception {
    server.create("numbers", "(id " + type + " primary key)");
    try (FollowedTable<Long> numbers =
        FollowedTable.of(
            server, Keys.longs(), BinlogFollower.longs(), "numbers", row -> row.getLong(1))) {
      numbers.awaitDenied(7L);
      server.run("insert into numbers values (" + key + ")");
      assertThat(numbers.ask(key)).as(type).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void texts_areFollowed_asTheirCollationCompares() throws Exception {
    String exact = server.isMySql() ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    server.create("codes", "(id varchar(40) collate " + exact + " primary key)");
    try (FollowedTable<String> codes =
        FollowedTable.of(
            server, Keys.strings(), BinlogFollower.strings(), "codes", row -> row.getString(1))) {
      codes.awaitDenied("absent");
      server.run("insert into codes values ('Gr\u00fcn \u9ce5')");
      assertThat(codes.ask("Gr\u00fcn \u9ce5")).isEqualTo(Answer.MAYBE_HERE);
      server.run("insert into codes values ('Blau ')");
      assertThat(codes.ask("Blau")).isEqualTo(Answer.NOT_HERE);
      assertThat(server.ask("select count(*) from codes where id = 'Blau'")).isEqualTo("0");
    }
    server.create("padded", "(id varchar(40) collate utf8mb4_bin primary key)");
    BinlogFollower.Builder<String> stripped =
        BinlogFollower.strings().normalize(String::stripTrailing);
    try (FollowedTable<String> padded =
        FollowedTable.of(server, Keys.strings(), stripped, "padded", row -> row.getString(1))) {
      padded.awaitDenied("absent");
      server.run("insert into padded values ('Blau ')");
      assertThat(padded.ask("Blau")).isEqualTo(Answer.MAYBE_HERE);
      assertThat(server.ask("select count(*) from padded where id = 'Blau'")).isEqualTo("1");
    }
    server.create("names", "(id char(40) character set latin1 primary key)");
    BinlogFollower.Builder<String> lower =
        BinlogFollower.strings().normalize(key -> key.toLowerCase(Locale.ROOT).stripTrailing());
    try (FollowedTable<String> names =
        FollowedTable.of(server, Keys.strings(), lower, "names", row -> row.getString(1))) {
      names.awaitDenied("absent");
      server.run("insert into names values ('\u00d6RE  ')");
      assertThat(names.ask("\u00f6re")).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  /** A query finds the row "crow" by "crow " too. */
  @Test
  void aCollationThatIgnoresSpacesAtTheEnd_isFollowedOnlyIfKeysAreNormalized() throws Exception {
    server.create("padded", "(id varchar(40) collate utf8mb4_bin primary key)");
    String exact = server.isMySql() ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    assertThat(server.ask("select 'crow' = 'crow ' collate utf8mb4_bin")).isEqualTo("1");
    assertThat(server.ask("select 'crow' = 'crow ' collate " + exact)).isEqualTo("0");
    assertThatThrownBy(() -> padded(BinlogFollower.strings()))
        .hasStackTraceContaining("spaces at the end");
    try (FollowedTable<String> padded =
        padded(BinlogFollower.strings().normalize(String::stripTrailing))) {
      padded.awaitDenied("absent");
      server.run("insert into padded values ('crow ')");
      assertThat(padded.ask("crow")).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  private static FollowedTable<String> padded(BinlogFollower.Builder<String> kind)
      throws Exception {
    return FollowedTable.of(server, Keys.strings(), kind, "padded", row -> row.getString(1));
  }

  /** The servers call cp1252 latin1, and give a meaning to the five bytes that it leaves out. */
  @Test
  void everyByteOfLatin1_isTheKeyThatAQueryGives() throws Exception {
    server.create("bytes", "(id varchar(300) character set latin1 collate latin1_bin primary key)");
    byte[] all = new byte[255];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) (i + 1);
    }
    BinlogFollower.Builder<String> asTheyAre =
        BinlogFollower.strings().normalize(UnaryOperator.identity());
    try (FollowedTable<String> texts =
        FollowedTable.of(server, Keys.strings(), asTheyAre, "bytes", row -> row.getString(1))) {
      texts.awaitDenied("absent");
      server.run(
          "insert into bytes values (convert(unhex('"
              + HexFormat.of().formatHex(all)
              + "') using latin1))");
      assertThat(texts.ask(server.ask("select id from bytes"))).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void bytes_areFollowed_withTheZerosAtTheirEnd() throws Exception {
    for (String type : new String[] {"binary(4)", "varbinary(9)"}) {
      server.create("raw", "(id " + type + " primary key)");
      try (FollowedTable<byte[]> raw =
          FollowedTable.of(
              server, Keys.bytes(), BinlogFollower.bytes(), "raw", row -> row.getBytes(1))) {
        raw.awaitDenied(new byte[] {9});
        server.run("insert into raw values (unhex('01ff0000'))");
        assertThat(raw.ask(new byte[] {1, -1, 0, 0})).as(type).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  @Test
  void uuids_areFollowed_asBytesAndAsText() throws Exception {
    UUID zeros = UUID.fromString("00112233-4455-6677-8899-aabbcc000000");
    server.create("uuid_bytes", "(id binary(16) primary key)");
    try (FollowedTable<UUID> bytes =
        FollowedTable.of(
            server,
            Keys.uuids(),
            BinlogFollower.uuids(),
            "uuid_bytes",
            row -> uuid(row.getBytes(1)))) {
      bytes.awaitDenied(new UUID(0, 1));
      server.run("insert into uuid_bytes values (unhex('00112233445566778899aabbcc000000'))");
      assertThat(bytes.ask(zeros)).isEqualTo(Answer.MAYBE_HERE);
    }
    server.create("uuid_texts", "(id char(36) primary key)");
    try (FollowedTable<UUID> texts =
        FollowedTable.of(
            server,
            Keys.uuids(),
            BinlogFollower.uuids(),
            "uuid_texts",
            row -> UUID.fromString(row.getString(1)))) {
      texts.awaitDenied(new UUID(0, 1));
      server.run("insert into uuid_texts values ('" + zeros + "')");
      assertThat(texts.ask(zeros)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer both = ByteBuffer.wrap(bytes);
    return new UUID(both.getLong(), both.getLong());
  }
}
