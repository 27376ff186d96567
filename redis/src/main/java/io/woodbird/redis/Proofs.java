package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What must confirm a write before it is called done. */
final class Proofs {
  private final Shared shared;

  Proofs(Shared shared) {
    this.shared = shared;
  }

  /** WAIT or WAITAOF, as asked for. */
  @Nullable Command command() {
    Durability wanted = shared.durability;
    String patience = Long.toString(wanted.patience().toMillis());
    String replicas = Integer.toString(wanted.replicas());
    return switch (wanted.level()) {
      case MASTER -> null;
      case REPLICAS -> Command.keyless(Command.Name.WAIT, replicas, patience);
      case DISK -> Command.keyless(Command.Name.WAITAOF, "1", replicas, patience);
    };
  }

  /** Throws if a write is not confirmed as asked for. */
  void check(List<@Nullable Object> proofs) {
    Durability wanted = shared.durability;
    if (proofs.isEmpty() && wanted.level() != Durability.Level.MASTER) {
      throw notDurable("nothing");
    }
    for (Object proof : proofs) {
      long got = -1;
      boolean disk = wanted.level() != Durability.Level.DISK;
      if (proof instanceof Long replicas) {
        got = replicas;
      } else if (proof instanceof List<?> pair && pair.size() == 2) {
        disk = pair.get(0) instanceof Long local && local >= 1;
        got = pair.get(1) instanceof Long replicas ? replicas : -1;
      }
      if (!disk || got < wanted.replicas()) {
        throw notDurable(proof instanceof RedisError error ? error.message() : "" + proof);
      }
    }
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
}
