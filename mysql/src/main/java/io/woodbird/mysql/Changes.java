package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeader;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import com.github.shyiko.mysql.binlog.event.MariadbGtidEventData;
import com.github.shyiko.mysql.binlog.event.QueryEventData;
import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import com.github.shyiko.mysql.binlog.event.XAPrepareEventData;
import com.github.shyiko.mysql.binlog.event.XidEventData;
import com.github.shyiko.mysql.binlog.event.deserialization.EventDeserializer;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Puts the keys of one table into a filter, in the order of the binary log. */
final class Changes<K> {
  /*
   * A transaction begins with its GTID. Its keys are put as they come, and only then does its end say
   * that it has passed. A transaction that ends in a way that we do not know has passed when the
   * next one begins.
   *
   * The rows of an XA transaction are in the log when it is prepared, and "XA COMMIT" stands alone,
   * perhaps days later. A build in between does not see its rows, so its keys are remembered and put
   * again. If it was prepared before the stream began, the stream does not bring its rows at all.
   * "XA COMMIT ... ONE PHASE" looks like a preparation, with a flag: such a transaction has ended.
   *
   * A session may change the table and not log it, and then log rows whose columns have other places.
   * The server gives a table that was changed another number, and one that it has opened again too.
   * So whenever the number is another one, the catalogue is read.
   */
  private static final int MOST_PREPARED = 100_000; // Some MB. Beyond, XA COMMIT means a gap.

  private static final int IGNORABLE = 0x80; // A flag of events that replicas may skip.
  private static final long NONE = -1;

  /** Where the key is now. */
  interface Definition {
    /**
     * Reads the catalogue.
     *
     * @throws GapException if the table can't be followed any more
     * @throws IOException if the server does not answer
     */
    Column now() throws IOException;
  }

  private final ColumnType<K> keys;
  private final UnaryOperator<K> normalize;
  private final Column column;
  private final Definition definition;
  private final Statements statements;
  private final MutableFilter<K> filter;
  private final StreamProgress progress;
  private final LongAdder deleted;
  private final OwnRows rows;
  private final Map<String, List<K>> prepared = new HashMap<>();
  private int preparedKeys;

  /** The last XA transaction whose rows were read to their end. */
  private String ended = "";

  /** The keys of this transaction, or more than is remembered. */
  private List<K> group = new ArrayList<>();

  private String expected = "";
  private @Nullable Object gtid;
  private String mark = "";
  private boolean isInside;

  /** The number of the table whose columns were last compared with the catalogue. */
  private long comparedTable = NONE;

  Changes(
      ColumnType<K> keys,
      UnaryOperator<K> normalize,
      Column column,
      Definition definition,
      MutableFilter<K> filter,
      StreamProgress progress,
      LongAdder deleted) {
    this.keys = keys;
    this.normalize = normalize;
    this.column = column;
    this.definition = definition;
    this.statements = new Statements(column.table());
    this.filter = filter;
    this.progress = progress;
    this.deleted = deleted;
    this.rows = new OwnRows(table -> column.isIn(table.getDatabase(), table.getTable()));
  }

  /** Where the key is. */
  Column column() {
    return column;
  }

  /**
   * A connection begins.
   *
   * @param last the mark of the transaction that it must bring first; empty if any is right
   */
  EventDeserializer connect(String last) {
    expected = last;
    gtid = null;
    isInside = false;
    comparedTable = NONE;
    rows.forgetTables();
    return rows.deserializer();
  }

  /**
   * Applies one event.
   *
   * @throws GapException if changes may be missing
   * @throws IOException if the server does not answer
   */
  void apply(Event event) throws IOException {
    EventHeader header = event.getHeader();
    long place = header instanceof EventHeaderV4 full ? full.getNextPosition() : 0;
    switch (header.getEventType()) {
      case GTID -> begin(((GtidEventData) event.getData()).getMySqlGtid(), false, header);
      case MARIADB_GTID -> {
        MariadbGtidEventData data = event.getData();
        boolean standsAlone = (data.getFlags() & MariadbGtidEventData.FL_STANDALONE) != 0;
        String domain = Integer.toUnsignedString((int) data.getDomainId());
        begin(domain + "-" + header.getServerId() + "-" + data.getSequence(), !standsAlone, header);
      }
      case XID -> {
        mark += " " + ((XidEventData) event.getData()).getXid() + " " + place;
        end();
      }
      case XA_PREPARE -> {
        mark += " " + place;
        XAPrepareEventData data = event.getData();
        if (data.isOnePhase()) {
          forget(ended); // It is committed, and no "XA COMMIT" will come.
        }
        end();
      }
      case QUERY -> {
        mark += " " + place;
        statement(((QueryEventData) event.getData()).getSql());
      }
      case TABLE_MAP -> checkTable(event.getData());
      case WRITE_ROWS, EXT_WRITE_ROWS -> {
        WriteRowsEventData data = event.getData();
        if (isOwn(data.getTableId(), data.getRows())) {
          put(data.getRows(), data.getIncludedColumns(), true);
        }
      }
      case UPDATE_ROWS, EXT_UPDATE_ROWS -> {
        UpdateRowsEventData data = event.getData();
        if (isOwn(data.getTableId(), data.getRows())) {
          // A row without the key column keeps its key.
          put(
              data.getRows().stream().map(Map.Entry::getValue).toList(),
              data.getIncludedColumns(),
              false);
        }
      }
      case DELETE_ROWS, EXT_DELETE_ROWS -> {
        DeleteRowsEventData data = event.getData();
        if (isOwn(data.getTableId(), data.getRows())) {
          deleted.add(data.getRows().size());
        }
      }
      case FORMAT_DESCRIPTION,
          ROTATE,
          STOP,
          HEARTBEAT,
          PREVIOUS_GTIDS,
          ROWS_QUERY,
          ANNOTATE_ROWS,
          BINLOG_CHECKPOINT,
          MARIADB_GTID_LIST,
          INTVAR,
          RAND,
          USER_VAR,
          IGNORABLE,
          TRANSACTION_CONTEXT,
          VIEW_CHANGE -> {} // They hold no rows.
      default -> {
        if (!(header instanceof EventHeaderV4 full) || (full.getFlags() & IGNORABLE) == 0) {
          throw new GapException(
              "the binary log has an event that this follower can't read: " + header);
        }
      }
    }
  }

  private void begin(Object next, boolean inside, EventHeader header) throws GapException {
    end();
    gtid = next;
    mark = next + " " + header.getTimestamp();
    isInside = inside;
    rows.forgetTables();
    group = new ArrayList<>();
  }

  private void end() throws GapException {
    Object passed = gtid;
    gtid = null;
    isInside = false;
    if (passed == null) {
      return;
    }
    if (expected.isEmpty()) {
      progress.passed(passed, mark);
      return;
    }
    if (!mark.equals(expected)) {
      throw new GapException(
          "the binary log is not the one that was read before: it has the transaction "
              + "%s instead of %s".formatted(mark, expected));
    }
    expected = "";
    progress.cameAgain(passed);
  }

  private boolean isOwn(long tableId, List<?> found) throws GapException {
    if (!rows.knows(tableId) && !found.isEmpty()) { // An event without rows may end a statement.
      throw new GapException("the binary log has rows of an unknown table: " + tableId);
    }
    return rows.own(tableId) != null;
  }

  private void checkTable(TableMapEventData table) throws IOException {
    long id = table.getTableId();
    if (rows.own(id) == null) {
      return;
    }
    if (table.getColumnTypes().length != column.columns()) {
      throw new GapException(
          "%s has %s columns, and the binary log shows %s"
              .formatted(column, column.columns(), table.getColumnTypes().length));
    }
    if (id != comparedTable && !definition.now().equals(column)) {
      throw new GapException(column + " was changed, and the binary log does not show how");
    }
    comparedTable = id;
  }

  private void put(List<Serializable[]> all, BitSet included, boolean isNew) throws GapException {
    if (!included.get(column.index())) {
      if (isNew) {
        throw new GapException(
            "the binary log has rows without " + column + "; set binlog_row_image=FULL");
      }
      return;
    }
    int index = included.get(0, column.index()).cardinality();
    List<K> found = new ArrayList<>(all.size());
    for (Serializable[] row : all) {
      Serializable value = row[index];
      if (value != null) {
        found.add(normalize.apply(keys.key(value, column)));
      }
    }
    filter.putAll(found);
    if (group.size() <= MOST_PREPARED) {
      group.addAll(found);
    }
  }

  private void statement(String sql) throws GapException {
    switch (statements.of(sql)) {
      case INSIDE -> {
        isInside = true;
        String upper = sql.toUpperCase(Locale.ROOT);
        if (upper.startsWith("XA END ")) {
          prepare(upper.substring("XA END ".length()).trim());
        }
      }
      case END -> {
        if (expected.isEmpty()) {
          endPrepared(sql.toUpperCase(Locale.ROOT));
        }
        end();
      }
      case HARMLESS -> {
        if (!isInside) {
          end();
        }
      }
      case DOUBT ->
          throw new GapException(
              "a statement may have changed %s without rows in the binary log: %s"
                  .formatted(column, sql.length() > 200 ? sql.substring(0, 200) : sql));
    }
  }

  private void prepare(String xid) {
    ended = xid;
    forget(xid); // It comes again with a new connection.
    if (preparedKeys + group.size() <= MOST_PREPARED) {
      prepared.put(xid, group);
      preparedKeys += group.size();
    }
  }

  private @Nullable List<K> forget(String xid) {
    List<K> known = prepared.remove(xid);
    preparedKeys -= known == null ? 0 : known.size();
    return known;
  }

  private void endPrepared(String sql) throws GapException {
    if (sql.startsWith("XA ROLLBACK ")) {
      forget(sql.substring("XA ROLLBACK ".length()).trim());
    } else if (sql.startsWith("XA COMMIT ")) {
      List<K> keysOfIt = forget(sql.substring("XA COMMIT ".length()).trim());
      if (keysOfIt == null) {
        throw new GapException("a transaction may have been prepared before the stream: " + sql);
      }
      filter.putAll(keysOfIt);
    }
  }
}
