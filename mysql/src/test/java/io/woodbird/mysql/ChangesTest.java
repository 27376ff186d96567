package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.XAPrepareEventData;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Events as a server sends them, without a server. */
final class ChangesTest {
  private static final Column ID =
      new Column("shop", "product", "id", 0, 1, "bigint", false, null, null, 0, false);

  private final Changes<Long> changes =
      new Changes<>(
          ColumnType.longs(),
          UnaryOperator.identity(),
          ID,
          () -> ID,
          Woodbird.bloom(Keys.longs(), 100).build(),
          new StreamProgress(),
          new LongAdder());
  private long sequence;

  private void apply(EventType type, EventData data) throws IOException {
    EventHeaderV4 header = new EventHeaderV4();
    header.setEventType(type);
    header.setServerId(1);
    changes.apply(new Event(header, data));
  }

  private void begin() throws IOException {
    MariadbGtidEventData gtid = new MariadbGtidEventData();
    gtid.setSequence(++sequence);
    apply(EventType.MARIADB_GTID, gtid);
  }

  private void query(String sql) throws IOException {
    QueryEventData query = new QueryEventData();
    query.setSql(sql);
    apply(EventType.QUERY, query);
  }

  private void prepare(String xid, boolean isCommitted) throws IOException {
    begin();
    query("XA START " + xid);
    query("XA END " + xid);
    XAPrepareEventData end = new XAPrepareEventData();
    end.setOnePhase(isCommitted);
    apply(EventType.XA_PREPARE, end);
  }

  @Test
  void anXaTransaction_isRememberedUntilItsCommit_butNotIfThatWasItsOnlyPhase() throws Exception {
    prepare("X'61',X'',1", false);
    prepare("X'62',X'',1", true);
    begin();
    query("XA COMMIT X'61',X'',1");
    begin();
    assertThatThrownBy(() -> query("XA COMMIT X'62',X'',1"))
        .as("a commit that no server sends")
        .isInstanceOf(GapException.class);
    begin();
    assertThatThrownBy(() -> query("XA COMMIT X'61',X'',1"))
        .as("a second one")
        .isInstanceOf(GapException.class)
        .hasMessageContaining("before the stream");
  }
}
