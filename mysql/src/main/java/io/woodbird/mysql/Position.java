package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.GtidSet;
import com.github.shyiko.mysql.binlog.MariadbGtidSet;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A place in the binary log of a server, which a follower can start from.
 *
 * @param server which server it is
 * @param layout of the {@link Column} whose keys the filter has; empty if none has begun to read it
 * @param started when the server had been started, in seconds of its own clock
 * @param isSynced whether each commit has waited until the binary log was on disk
 * @param resume the GTIDs that the stream is asked to continue after
 * @param last what the log has next, and was applied; empty if nothing was applied yet
 * @param seen all GTIDs that were applied; MariaDB has one for each server that ever wrote the log
 */
record Position(
    String server,
    String layout,
    long started,
    boolean isSynced,
    String resume,
    String last,
    String seen) {
  private static final String VERSION = "2";
  private static final Pattern SEPARATOR = Pattern.compile(",\\s*");
  private static final Pattern OWNER = Pattern.compile("#[^:]*");

  static Position parse(String text) {
    List<String> parts = List.of(text.split("\\|", -1));
    if (parts.size() != 8 || !parts.get(0).equals(VERSION)) {
      throw new IllegalArgumentException("not a position in a binary log: " + text);
    }
    return new Position(
        parts.get(1),
        parts.get(2),
        Long.parseLong(parts.get(3)),
        parts.get(4).equals("synced"),
        parts.get(5),
        parts.get(6),
        parts.get(7));
  }

  /** The same place, for a filter that has the keys of a column. */
  Position of(Column column) {
    return new Position(server, column.layout(), started, isSynced, resume, last, seen);
  }

  /** The same place, of a server that runs in another way. */
  Position run(long since, boolean synced) {
    return new Position(server, layout, since, synced, resume, last, seen);
  }

  /** Reads GTIDs of this server. */
  GtidSet gtids(String text) {
    return server.startsWith(MySqlServer.MARIADB) ? new MariadbGtidSet(text) : mySqlGtids(text, "");
  }

  /**
   * Reads GTIDs of MySQL.
   *
   * @param executed such as {@code uuid:1-5:7}
   * @param owned such as {@code uuid:8#12:9#14}, with the threads that own them
   */
  static GtidSet mySqlGtids(String executed, String owned) {
    try {
      GtidSet all = new GtidSet(executed);
      for (String of : SEPARATOR.split(owned, -1)) {
        String[] numbers = OWNER.matcher(of).replaceAll("").split(":", -1);
        for (int i = 1; i < numbers.length; i++) {
          all.add(numbers[0] + ":" + numbers[i]);
        }
      }
      return all;
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "GTIDs with tags can't be followed, nor others of this kind: %s %s"
              .formatted(executed, owned),
          e);
    }
  }

  @Override
  public String toString() {
    String disk = isSynced ? "synced" : "unsynced";
    return String.join("|", VERSION, server, layout, "" + started, disk, resume, last, seen);
  }
}
