package io.woodbird.redis.proof;

import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds out why a key is gone, from what its server has counted since the filter was opened. */
public final class Diagnosis {
  /*
   * A reader only sees that a key is not there. The server counts evictions, expiries, flushes and
   * deletions; what has grown since the filter was opened is the likely cause, and the message says
   * what was seen. It is evidence, not proof: several may have grown.
   */
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private final Link link;
  private final Map<String, Counts> baseline = new ConcurrentHashMap<>();

  private record Counts(
      String runId, long evicted, long expired, long flushes, long deletions, long renames) {}

  public Diagnosis(Link link) {
    this.link = link;
  }

  /** Starts the counts again, after the server process has changed. */
  public void forget() {
    baseline.clear();
  }

  void become(Diagnosis other) {
    baseline.clear();
    baseline.putAll(other.baseline);
  }

  /** Notes what the server of a key has counted so far. */
  public void remember(byte[] key) {
    String node = link.nodeOf(key);
    if (!baseline.containsKey(node)) {
      Counts counts = count(key);
      if (counts != null) {
        baseline.putIfAbsent(node, counts);
      }
    }
  }

  /** Makes out the likely cause of a trouble. */
  public Trouble of(byte[] key, Trouble trouble) {
    Counts before = baseline.get(link.nodeOf(key));
    Counts now = count(key);
    if (now == null) {
      return trouble;
    }
    if (before == null) {
      baseline.putIfAbsent(link.nodeOf(key), now);
    }
    boolean gone = trouble.kind() == Trouble.Kind.GONE;
    if (before == null ? trouble.cause() == Cause.RESTARTED : !before.runId().equals(now.runId())) {
      return trouble.because(
          Cause.RESTARTED,
          "the server was restarted or failed over"
              + (gone ? ": it came up without the data" : ""));
    }
    if (!gone || before == null) {
      return trouble;
    }
    if (now.flushes() > before.flushes()) {
      return trouble.because(Cause.FLUSHED, "the server was flushed");
    }
    long evicted = now.evicted() - before.evicted();
    if (evicted > 0) {
      String why = " keys for want of memory; set maxmemory-policy to noeviction";
      return trouble.because(Cause.EVICTED, "the server has evicted " + evicted + why);
    }
    long expired = now.expired() - before.expired();
    if (expired > 0) {
      String why = " keys have expired; PERSIST the keys of filters";
      return trouble.because(Cause.EXPIRED, expired + why);
    }
    String why = "the server counts %d DEL or UNLINK and %d RENAME since the filter was opened";
    long renames = now.renames() - before.renames();
    return trouble.because(
        Cause.DELETED, why.formatted(now.deletions() - before.deletions(), renames));
  }

  private @Nullable Counts count(byte[] key) {
    Object reply = link.at(key, Command.keyless(Command.Name.INFO, "everything"));
    if (!(reply instanceof byte[] bytes)) {
      return null;
    }
    String info = Command.text(bytes);
    return new Counts(
        field(info, "run_id"),
        number(info, "evicted_keys"),
        number(info, "expired_keys"),
        calls(info, "flushall") + calls(info, "flushdb"),
        calls(info, "del") + calls(info, "unlink") + calls(info, "getdel"),
        calls(info, "rename"));
  }

  public static String field(String info, String name) {
    int at = info.indexOf("\n" + name + ":");
    if (at < 0) {
      return "";
    }
    int from = at + name.length() + 2;
    int to = info.indexOf('\r', from);
    return info.substring(from, to < 0 ? info.length() : to);
  }

  private static long number(String info, String name) {
    String text = field(info, name);
    return NUMBER.matcher(text).matches() ? Long.parseLong(text) : 0;
  }

  private static long calls(String info, String command) {
    String text = field(info, "cmdstat_" + command);
    int from = text.indexOf("calls=") + "calls=".length();
    int to = text.indexOf(',', from);
    return to < 0 ? 0 : Long.parseLong(text.substring(from, to));
  }
}
