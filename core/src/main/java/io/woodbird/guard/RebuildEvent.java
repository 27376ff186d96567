package io.woodbird.guard;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a {@link RebuildingFilter}.
 *
 * @param kind what
 * @param generation the number of the generation that it happened to
 * @param message what, why, and what to do, in a sentence
 * @param cause the exception behind it, if there is one
 */
public record RebuildEvent(Kind kind, long generation, String message, @Nullable Throwable cause) {
  /** What happened. */
  public enum Kind {
    /** A build has begun. */
    STARTED,
    /** A build is complete and verified, and answers from now on. */
    BUILT,
    /** A build failed. What answered before still does. */
    FAILED,
    /** The source gave too few keys to be believed. What answered before still does. */
    REFUSED,
    /** The source gives no more keys. The build was interrupted, and goes on until it notices. */
    STALLED,
    /** More keys were put than the promised fpp holds for. A build was asked for. */
    OVERFULL,
    /** The generation before answers again. */
    ROLLED_BACK
  }
}
