package io.woodbird.redis;

import io.woodbird.redis.layout.Generation;
import io.woodbird.redis.proof.Meta;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a filter in Redis is, as its record says.
 *
 * @param generation the number of the generation that is asked
 * @param previous the one before, to which it may be rolled back; 0 if there is none
 * @param building the one that is being built; 0 if none is
 * @param expectedKeys how many keys the promise holds for
 * @param fpp the promise
 * @param seed of the hash function
 * @param keyId the key encoding
 * @param counting whether it gives keys back
 * @param hollow whether it waits for its first build, and denies nothing
 * @param builtKeys how many keys the last build gave, -1 if there was none
 * @param builtAt when that was, by the clock of the server
 */
public record RedisRecord(
    long generation,
    long previous,
    long building,
    long expectedKeys,
    double fpp,
    long seed,
    String keyId,
    boolean counting,
    boolean hollow,
    long builtKeys,
    @Nullable Instant builtAt) {
  /** A hollow one knows nothing, so nobody goes back to it. */
  private static long previous(Map<String, String> fields) {
    long previous = Long.parseLong(fields.getOrDefault("previous", "0"));
    String text = fields.get("gen:" + previous);
    return text == null || Generation.decode(previous, text).hollow() ? 0 : previous;
  }

  static Optional<RedisRecord> of(Map<String, String> fields) {
    long current = Meta.current(fields);
    String text = fields.get("gen:" + current);
    if (text == null) {
      return Optional.empty();
    }
    Generation generation = Generation.decode(current, text);
    Meta.Built built = Meta.built(fields, current);
    return Optional.of(
        new RedisRecord(
            current,
            previous(fields),
            Long.parseLong(fields.getOrDefault("next", "0")),
            generation.expectedKeys(),
            generation.fpp(),
            generation.seed(),
            generation.keyId(),
            generation.cellBits() == 4,
            generation.hollow(),
            built == null ? -1 : built.keys(),
            built == null ? null : Instant.ofEpochMilli(built.atMillis())));
  }
}
