package io.woodbird.kafka;

import org.jspecify.annotations.Nullable;

/**
 * What a change event says about one key.
 *
 * @param kind what happened
 * @param key the text of the key, for {@link Kind#PRESENT} only
 */
record Event(Kind kind, @Nullable String key) {
  enum Kind {
    /** A row has this key. */
    PRESENT,
    /** A row was deleted. */
    DELETED,
    /** A row was deleted, and an event of its own may have said so before. */
    TOMBSTONE,
    /** All rows were deleted. */
    TRUNCATED,
    /** Says nothing about rows. */
    OTHER
  }

  static Event of(Kind kind) {
    return new Event(kind, null);
  }

  static Event present(String key) {
    return new Event(Kind.PRESENT, key);
  }
}
