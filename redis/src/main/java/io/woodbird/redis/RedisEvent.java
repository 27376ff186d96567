package io.woodbird.redis;

/**
 * Something a filter's owner should know: data that was lost, a server that does not answer, a
 * recovery. One event stands for a whole run of doubtful answers.
 *
 * @param cause in one word
 * @param filter the name of the filter
 * @param message what was seen, and what follows
 */
public record RedisEvent(Cause cause, String filter, String message) {
  /** What happened. */
  public enum Cause {
    /** A key of the filter is gone, and the server counts commands that delete. */
    DELETED,
    /** A key of the filter is gone, and the server was flushed. */
    FLUSHED,
    /** A key of the filter is gone, and the server evicted keys for want of memory. */
    EVICTED,
    /** A key of the filter is gone, and it had a time to live. */
    EXPIRED,
    /** A key of the filter holds something else: a foreign value, or another filter's. */
    OVERWRITTEN,
    /** A key of the filter was lost, and a blind write has made an empty one of that name. */
    REMADE,
    /** A key of the filter holds an older state than was seen before. */
    ROLLED_BACK,
    /** The server is another process than the one that held the filter: restart or failover. */
    RESTARTED,
    /** The filter was made again with other parameters. */
    OTHER_PARAMETERS,
    /** No connection. */
    UNREACHABLE,
    /** No answer in time. */
    TIMEOUT,
    /** The server refused a command. */
    REFUSED,
    /** Fewer replicas or disks than asked for have confirmed a put. */
    NOT_DURABLE,
    /** A build waits for its source. */
    BUILDING,
    /** All is well again. */
    HEALED,
    /** The server is set up so that it may lose filters. */
    RISK
  }
}
