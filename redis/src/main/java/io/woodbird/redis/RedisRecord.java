package io.woodbird.redis;

import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.proof.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a filter in Redis is, as its record says.
 *
 * @param kind what happens to its keys
 * @param generation the number of the generation that is asked
 * @param previous the one before, to which it may be rolled back; 0 if there is none
 * @param building the one that is being built; 0 if none is
 * @param expectedKeys how many keys the promise holds for; in a growing filter, before it has grown
 * @param fpp the promise
 * @param seed of the hash function
 * @param keyId the key encoding
 * @param hollow whether it waits for its first build, and denies nothing
 * @param builtKeys how many keys the last build gave, -1 if there was none
 * @param builtAt when that was, by the clock of the server
 * @param window how long a window keeps its keys; null for all other kinds
 */
public record RedisRecord(
    Kind kind,
    long generation,
    long previous,
    long building,
    long expectedKeys,
    double fpp,
    long seed,
    String keyId,
    boolean hollow,
    long builtKeys,
    @Nullable Instant builtAt,
    @Nullable Duration window) {
  /** The kinds of filters in Redis. */
  public enum Kind {
    /** Of a fixed size, and keeps its keys: {@link WoodbirdRedis#bloom}. */
    BLOOM,

    /** Of a fixed size, and its keys can be removed: {@link WoodbirdRedis#deletable}. */
    COUNTING,

    /** Of a fixed size, and its keys expire: {@link WoodbirdRedis#window}. */
    WINDOW,

    /** Grows with its keys: {@link WoodbirdRedis#growing}. */
    GROWING;

    static Kind of(GenerationSpec generation) {
      if (generation.grows()) {
        return GROWING;
      }
      return generation.spanMillis() > 0 ? WINDOW : generation.cellBits() == 4 ? COUNTING : BLOOM;
    }
  }

  /** A hollow one knows nothing, so nobody goes back to it. */
  private static long previous(Map<String, String> fields) {
    long previous = Meta.number(fields, "previous");
    String text = fields.get("gen:" + previous);
    return text == null || GenerationSpec.decode(previous, text).hollow() ? 0 : previous;
  }

  static Optional<RedisRecord> of(Map<String, String> fields) {
    long current = Meta.current(fields);
    String text = fields.get("gen:" + current);
    if (text == null) {
      return Optional.empty();
    }
    Meta.requireFormat(fields);
    GenerationSpec generation = GenerationSpec.decode(current, text);
    Meta.Built built = Meta.built(fields, current);
    return Optional.of(
        new RedisRecord(
            Kind.of(generation),
            current,
            previous(fields),
            Meta.number(fields, "next"),
            generation.expectedKeys(),
            generation.fpp(),
            generation.seed(),
            generation.keyId(),
            generation.hollow(),
            built == null ? -1 : built.keys(),
            built == null ? null : Instant.ofEpochMilli(built.atMillis()),
            generation.spanMillis() == 0 ? null : Duration.ofMillis(generation.spanMillis())));
  }
}
