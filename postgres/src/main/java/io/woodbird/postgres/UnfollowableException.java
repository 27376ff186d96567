package io.woodbird.postgres;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A table can't be followed before somebody changes a setting, a right or the table. */
final class UnfollowableException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  UnfollowableException(@Nullable String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
