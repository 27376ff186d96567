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

  /**
   * What a finding rests on.
   *
   * @param cause the likely one
   * @param message what was seen
   */
  public record Finding(Cause cause, String message) {}

  private record Counts(
      String runId, long evicted, long expired, long flushes, long deletions, long renames) {}

  public Diagnosis(Link link) {
    this.link = link;
  }

  /** Counts anew from here on, after the process has changed. */
  public void forget() {
    baseline.clear();
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

  public Finding of(byte[] key, Trouble trouble) {
    Counts before = baseline.get(link.nodeOf(key));
    Counts now = count(key);
    if (now == null) {
      return new Finding(trouble.cause(), trouble.message());
    }
    if (before == null) {
      baseline.putIfAbsent(link.nodeOf(key), now);
    }
    if (before == null ? trouble.cause() == Cause.RESTARTED : !before.runId().equals(now.runId())) {
      String gone = trouble.kind() == Trouble.Kind.GONE ? ": it came up without the data" : "";
      return new Finding(
          Cause.RESTARTED, trouble.message() + "; the server was restarted or failed over" + gone);
    }
    if (trouble.kind() != Trouble.Kind.GONE || before == null) {
      return new Finding(trouble.cause(), trouble.message());
    }
    if (now.flushes() > before.flushes()) {
      return new Finding(Cause.FLUSHED, trouble.message() + "; the server was flushed");
    }
    if (now.evicted() > before.evicted()) {
      return new Finding(
          Cause.EVICTED,
          trouble.message()
              + "; the server has evicted "
              + (now.evicted() - before.evicted())
              + " keys for want of memory; set maxmemory-policy to noeviction");
    }
    if (now.expired() > before.expired()) {
      return new Finding(
          Cause.EXPIRED,
          trouble.message()
              + "; "
              + (now.expired() - before.expired())
              + " keys have expired; PERSIST the keys of filters");
    }
    return new Finding(
        Cause.DELETED,
        trouble.message()
            + "; the server counts "
            + (now.deletions() - before.deletions())
            + " DEL or UNLINK and "
            + (now.renames() - before.renames())
            + " RENAME since the filter was opened");
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
