package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.DeleteRowsEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer.CompatibilityMode;
import com.github.shyiko.mysql.binlog.event.deserialization.EventHeaderV4Deserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.FormatDescriptionEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.GtidEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.MariadbGtidEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.MariadbGtidListEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.NullEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.QueryEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.RotateEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.TableMapEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.UpdateRowsEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.WriteRowsEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.XAPrepareEventDataDeserializer;
import com.github.shyiko.mysql.binlog.event.deserialization.XidEventDataDeserializer;
import com.github.shyiko.mysql.binlog.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the rows of one table from the binary log, and skips those of others. */
final class OwnRows {
  // Rows of others may have types that the client does not know, and their values cost time.
  private static final Serializable[] SKIPPED = {};

  private final Map<Long, TableMapEventData> tables = new HashMap<>();
  private final Predicate<TableMapEventData> isOwn;

  OwnRows(Predicate<TableMapEventData> isOwn) {
    this.isOwn = isOwn;
  }

  /** The table that rows belong to, if it is ours. */
  @Nullable TableMapEventData own(long tableId) {
    TableMapEventData table = tables.get(tableId);
    return table != null && isOwn.test(table) ? table : null;
  }

  /** Whether a table has been named since the transaction began. */
  boolean knows(long tableId) {
    return tables.containsKey(tableId);
  }

  /** A transaction begins, and will name its tables. */
  void forgetTables() {
    tables.clear();
  }

  @SuppressWarnings("rawtypes") // So is the client.
  EventDeserializer deserializer() {
    Map<EventType, EventDataDeserializer> all = new EnumMap<>(EventType.class);
    all.put(EventType.FORMAT_DESCRIPTION, new FormatDescriptionEventDataDeserializer());
    all.put(EventType.ROTATE, new RotateEventDataDeserializer());
    all.put(EventType.QUERY, new QueryEventDataDeserializer());
    all.put(EventType.TABLE_MAP, new TableMapEventDataDeserializer());
    all.put(EventType.XID, new XidEventDataDeserializer());
    all.put(EventType.XA_PREPARE, new XAPrepareEventDataDeserializer());
    all.put(EventType.GTID, new GtidEventDataDeserializer());
    all.put(EventType.MARIADB_GTID, new MariadbGtidEventDataDeserializer());
    all.put(EventType.MARIADB_GTID_LIST, new MariadbGtidListEventDataDeserializer());
    all.put(EventType.WRITE_ROWS, new Written());
    all.put(EventType.UPDATE_ROWS, new Updated());
    all.put(EventType.DELETE_ROWS, new Deleted());
    all.put(EventType.EXT_WRITE_ROWS, new Written().setMayContainExtraInformation(true));
    all.put(EventType.EXT_UPDATE_ROWS, new Updated().setMayContainExtraInformation(true));
    all.put(EventType.EXT_DELETE_ROWS, new Deleted().setMayContainExtraInformation(true));
    EventDeserializer deserializer =
        new EventDeserializer(
            new EventHeaderV4Deserializer(), new NullEventDataDeserializer(), all, tables);
    // Text as bytes: only the column knows their character set.
    deserializer.setCompatibilityMode(CompatibilityMode.CHAR_AND_BINARY_AS_BYTE_ARRAY);
    return deserializer;
  }

  private static Serializable[] skip(ByteArrayInputStream in) throws IOException {
    in.read(in.available());
    return SKIPPED;
  }

  private final class Written extends WriteRowsEventDataDeserializer {
    Written() {
      super(tables);
    }

    @Override
    protected Serializable[] deserializeRow(long table, BitSet columns, ByteArrayInputStream in)
        throws IOException {
      return own(table) == null ? skip(in) : super.deserializeRow(table, columns, in);
    }
  }

  private final class Updated extends UpdateRowsEventDataDeserializer {
    Updated() {
      super(tables);
    }

    @Override
    protected Serializable[] deserializeRow(long table, BitSet columns, ByteArrayInputStream in)
        throws IOException {
      return own(table) == null ? skip(in) : super.deserializeRow(table, columns, in);
    }
  }

  private final class Deleted extends DeleteRowsEventDataDeserializer {
    Deleted() {
      super(tables);
    }

    @Override
    protected Serializable[] deserializeRow(long table, BitSet columns, ByteArrayInputStream in)
        throws IOException {
      return own(table) == null ? skip(in) : super.deserializeRow(table, columns, in);
    }
  }
}
