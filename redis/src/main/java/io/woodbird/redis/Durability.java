package io.woodbird.redis;

import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.Objects;

/**
 * When a put counts as done.
 *
 * @param level which servers must have confirmed it, and where
 * @param replicas how many replicas
 * @param patience how long to wait for them
 */
public record Durability(Level level, int replicas, Duration patience) {
  /** Where a put must be before it counts as done. */
  public enum Level {
    /** The master has it in memory. */
    MASTER,
    /** Replicas have it in memory ({@code WAIT}). */
    REPLICAS,
    /** The master has it on disk, and replicas too if any are asked for ({@code WAITAOF}). */
    DISK
  }

  /** Checks. */
  public Durability {
    Objects.requireNonNull(level, "level");
    if (replicas < 0 || (level == Level.REPLICAS && replicas == 0)) {
      throw new IllegalArgumentException("replicas must be positive: " + replicas);
    }
    patience = TimeSpan.atLeastMillis("patience", 1, patience); // WAIT 0 would wait for ever.
  }

  /**
   * A put is done when the master has it. A failover or a restart may lose it: from then on nothing
   * is called "not here" until the filter is rebuilt, or somebody calls {@code trust()}.
   *
   * @return the level that costs nothing
   */
  public static Durability master() {
    return new Durability(Level.MASTER, 0, Duration.ofSeconds(1));
  }

  /**
   * A put is done when this many replicas have it. Ask for all replicas that may become the master:
   * one that has not confirmed a put may lack it, and is believed as the others are. So is an older
   * backup that is restored by hand.
   *
   * @param replicas how many
   * @param patience how long to wait before the put fails
   * @return the level
   */
  public static Durability replicas(int replicas, Duration patience) {
    return new Durability(Level.REPLICAS, replicas, patience);
  }

  /**
   * A put is done when it is in the append-only file of the master, synced. Needs a server that
   * knows {@code WAITAOF}, Redis 7.2 or Valkey, with {@code appendonly yes}. Replicas tell of their
   * disks once a second. As to backups, see {@link #replicas}. With 0 replicas this is for a server
   * without replicas: one that becomes the master is believed, and may lack puts.
   *
   * @param replicas how many replicas must have it on disk too
   * @param patience how long to wait before the put fails
   * @return the level
   */
  public static Durability disk(int replicas, Duration patience) {
    return new Durability(Level.DISK, replicas, patience);
  }
}
