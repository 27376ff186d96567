package io.woodbird.redis.link;

/**
 * A reply that is an error, or the reason why there is none.
 *
 * @param kind what went wrong
 * @param message what the server or the client said
 */
public record RedisError(Kind kind, String message) {
  /** What went wrong. */
  public enum Kind {
    /** The server refused. */
    REFUSED,
    /** There was no connection, or it broke. */
    UNREACHABLE,
    /** No answer in time. */
    TIMEOUT
  }

  public static RedisError refused(String message) {
    return new RedisError(Kind.REFUSED, message);
  }

  public boolean starts(String code) {
    return kind == Kind.REFUSED && message.startsWith(code);
  }

  /** Whether the server does not have a script that was called by its hash. */
  public boolean lacksScript() {
    return starts("NOSCRIPT");
  }

  /** Whether the slot of the key is, or will be, elsewhere. */
  public boolean redirects() {
    return starts("MOVED ") || starts("ASK ") || starts("TRYAGAIN") || starts("CLUSTERDOWN");
  }
}
