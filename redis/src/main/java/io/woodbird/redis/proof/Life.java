package io.woodbird.redis.proof;

import io.woodbird.redis.link.Command;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One life of the data of a server, as {@code INFO replication} tells it.
 *
 * @param id 64 bits of the master's replication id; 0 if the server is no master or can't be asked
 * @param replicas how many replicas are online; how long they were silent says {@link Heard}
 */
public record Life(long id, int replicas) {
  /*
   * A process gets a new replication id when it starts, and a replica gets a new one when it becomes
   * the master. So a master that was demoted and promoted again has another id than before, and an
   * id is never used twice: while a master shows one id, its data was not exchanged. (It also takes
   * a new id when the first replica comes to a server without a backlog, and when the backlog is
   * given up an hour after the last replica left. Then nothing was lost, and the filter is in doubt
   * for nothing.) A replica shows its master's id, so the role counts too.
   *
   * 64 of the 160 bits: two lives of one filter have the same number with a chance of 2^-64.
   */
  public static final Life NONE = new Life(0, 0);

  public static final Command ASK = Command.keyless(Command.Name.INFO, "replication");

  /** Reads the reply to {@link #ASK}, which came last. */
  public static Life last(List<@Nullable Object> after) {
    return after.isEmpty() ? NONE : of(after.get(after.size() - 1));
  }

  /** Reads the reply to {@link #ASK}. */
  public static Life of(@Nullable Object reply) {
    if (!(reply instanceof byte[] bytes)) {
      return NONE;
    }
    String info = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = info.indexOf("\nmaster_replid:");
    if (at < 0 || !info.contains("\nrole:master\r")) {
      return NONE;
    }
    int from = at + "\nmaster_replid:".length();
    if (info.length() < from + 40) {
      return NONE;
    }
    long id;
    try {
      id = HexFormat.fromHexDigitsToLong(info, from, from + 16);
    } catch (IllegalArgumentException e) {
      return NONE;
    }
    return new Life(id, replicas(info));
  }

  /** Lines are {@code slave0:name=value,name=value}; versions differ in what comes last. */
  private static int replicas(String info) {
    int count = 0;
    int at = info.indexOf("\nslave");
    while (at >= 0) {
      int end = info.indexOf('\r', at);
      String line = info.substring(at, end < 0 ? info.length() : end) + ",";
      // In Valkey a replica that copies everything has a second connection for it.
      if (line.contains(",state=online,") && !line.contains(",type=rdb-channel,")) {
        count++;
      }
      at = info.indexOf("\nslave", at + 1);
    }
    return count;
  }
}
