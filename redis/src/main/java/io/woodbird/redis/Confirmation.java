package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who must confirm a write before it is called done, and who can confirm one at all. */
final class Confirmation {
  /** Who can confirm that more than the memory of the master has a write. */
  enum Way {
    /** Nobody. */
    NONE,
    /** A replica, asked by {@code WAIT}. */
    REPLICA,
    /** The append-only file, asked by {@code WAITAOF}. */
    FILE,
    /** The append-only file, which is written and synced before each reply. */
    FILE_ALWAYS
  }

  private static final Command SETTINGS = Command.keyless(Command.Name.CONFIG, "GET", "append*");

  private final Shared shared;

  Confirmation(Shared shared) {
    this.shared = shared;
  }

  /** What follows a write: WAIT or WAITAOF, as asked for, and who has answered. */
  List<Command> after() {
    Durability wanted = shared.durability;
    String patience = Long.toString(wanted.patience().toMillis());
    String replicas = Integer.toString(wanted.replicas());
    return switch (wanted.level()) {
      case MASTER -> List.of(Life.ASK);
      case REPLICAS -> List.of(Command.keyless(Command.Name.WAIT, replicas, patience), Life.ASK);
      case DISK ->
          List.of(Command.keyless(Command.Name.WAITAOF, "1", replicas, patience), Life.ASK);
    };
  }

  /** Throws if a write is not confirmed as asked for. */
  void check(List<List<@Nullable Object>> after) {
    Durability wanted = shared.durability;
    if (wanted.level() == Durability.Level.MASTER) {
      return;
    }
    List<@Nullable Object> last = null;
    for (List<@Nullable Object> one : after) {
      if (one != last && !isEnough(one.get(0))) {
        Object proof = one.get(0);
        throw notDurable(proof instanceof RedisError error ? error.message() : "" + proof);
      }
      last = one;
    }
  }

  private boolean isEnough(@Nullable Object proof) {
    Durability wanted = shared.durability;
    if (wanted.level() == Durability.Level.REPLICAS) {
      return proof instanceof Long replicas && replicas >= wanted.replicas();
    }
    return proof instanceof List<?> pair
        && pair.size() == 2
        && pair.get(0) instanceof Long local
        && local >= 1
        && pair.get(1) instanceof Long replicas
        && replicas >= wanted.replicas();
  }

  private RedisFilterException notDurable(String seen) {
    String message =
        "filter "
            + shared.name
            + ": "
            + shared.durability
            + " was asked for, the server says "
            + seen;
    shared.doubts.tell(Cause.NOT_DURABLE, message);
    return new RedisFilterException(Cause.NOT_DURABLE, message);
  }

  /** Who can confirm writes to the server of a key. */
  static Way way(Link link, byte[] key) {
    if (Life.of(link.at(key, Life.ASK)).replicas() > 0) {
      return Way.REPLICA;
    }
    Map<String, String> settings = Meta.fields(link.at(key, SETTINGS));
    if (!"yes".equals(settings.get("appendonly"))) {
      return Way.NONE;
    }
    return "always".equals(settings.get("appendfsync")) ? Way.FILE_ALWAYS : Way.FILE;
  }

  /** What must follow a write to have it confirmed. */
  static List<Command> after(Way way, long patienceMillis) {
    String patience = Long.toString(patienceMillis);
    return switch (way) {
      case NONE -> List.of();
      case REPLICA -> List.of(Command.keyless(Command.Name.WAIT, "1", patience));
      case FILE -> List.of(Command.keyless(Command.Name.WAITAOF, "1", "0", patience));
      case FILE_ALWAYS -> List.of(SETTINGS);
    };
  }

  /** Whether the reply to that command says so. */
  static boolean isConfirmed(Way way, List<@Nullable Object> after) {
    Object reply = after.isEmpty() ? null : after.get(0);
    return switch (way) {
      case NONE -> false;
      case REPLICA -> reply instanceof Long count && count >= 1;
      case FILE -> reply instanceof List<?> pair && pair.get(0) instanceof Long local && local >= 1;
      case FILE_ALWAYS -> {
        Map<String, String> settings = Meta.fields(reply);
        yield "yes".equals(settings.get("appendonly"))
            && "always".equals(settings.get("appendfsync"));
      }
    };
  }
}
