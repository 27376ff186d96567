package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.GtidSet;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Positions that a program has saved. */
final class PositionTest {
  /** A disk may fill up while a position is written to it. */
  @ParameterizedTest
  @ValueSource(strings = {"mariadb 1 host 3306", "mysql uuid"})
  void aPositionThatIsCutOff_isRefused_orSaysThatLessWasSeen(String server) {
    String seen =
        server.startsWith(MySqlServer.MARIADB) ? "0-1-1234,1-7-500" : new UUID(1, 2) + ":1-1234";
    Position whole =
        new Position(server, "5f3a", 1_700_000_000, true, seen, "0-1-1235 at 4711", seen);
    assertThat(Position.parse(whole.toString())).isEqualTo(whole);
    String text = whole.toString();
    int parsed = 0;
    for (int length = 0; length < text.length(); length++) {
      Position cut;
      GtidSet less;
      try {
        cut = Position.parse(text.substring(0, length));
        less = cut.gtids(cut.seen());
      } catch (RuntimeException e) {
        continue; // Refused.
      }
      parsed++;
      assertThat(cut.layout()).isEqualTo(whole.layout());
      assertThat(cut.last()).isEqualTo(whole.last());
      assertThat(cut.resume()).isEqualTo(whole.resume());
      assertThat(less.isContainedWithin(whole.gtids(seen))).as(cut.toString()).isTrue();
    }
    assertThat(parsed).as("texts that could be read").isPositive();
  }
}
