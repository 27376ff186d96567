package io.woodbird.guard;

import java.util.Locale;

/** A source gave more keys than the new generation has room for. */
final class OutgrownException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long keys;

  OutgrownException(long capacity, long keys) {
    super(
        String.format(
            Locale.ROOT,
            "the source outgrew the filter: room for %,d keys, %,d read",
            capacity,
            keys));
    this.keys = keys;
  }

  /** How many there were. */
  long keys() {
    return keys;
  }
}
