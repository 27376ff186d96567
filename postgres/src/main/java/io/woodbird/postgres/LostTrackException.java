package io.woodbird.postgres;

import java.io.Serial;

/** Some commits may have been missed, so that the filter must be filled again. */
final class LostTrackException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  LostTrackException(String message) {
    super(message);
  }
}
