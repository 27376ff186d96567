package io.woodbird.mysql;

import java.io.IOException;

/** Changes may have been missed, so the keys must be read from the table again. */
final class GapException extends IOException {
  private static final long serialVersionUID = 1;

  GapException(String message) {
    super(message);
  }
}
