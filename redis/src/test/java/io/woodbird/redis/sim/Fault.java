package io.woodbird.redis.sim;

import java.util.List;

/**
 * Something that goes wrong.
 *
 * @param at the command before which it happens, counted over all processes
 * @param kind what happens
 * @param first chooses what it happens to
 * @param second chooses how
 */
record Fault(int at, Kind kind, int first, int second) {
  /** What can go wrong. */
  enum Kind {
    /** The command never arrives, and the connection breaks with all behind it. */
    LOSE_COMMAND,
    /** The command is carried out, and the connection breaks before the reply. */
    LOSE_REPLY,
    /** The command and those behind it arrive much later; the client waits in vain. */
    DELAY,
    /** The reply is lost, and the client sends the command again. */
    TWICE,
    /** A process stands still. */
    STALL,
    /** A process ends. */
    CRASH,
    /** The server process ends; whoever uses it finds no connection. */
    KILL,
    /** Dead servers start again with the newest data that they have on disk. */
    START,
    /** Dead servers start again with an older copy. */
    START_OLD,
    /** Dead servers start again with nothing. */
    START_EMPTY,
    /** A server stands still; what it is sent waits. */
    FREEZE,
    /** Servers that stand still go on. */
    THAW,
    /** A replica takes over from its master, which becomes a replica. */
    SWITCH,
    /** A replica takes over, and its master does not know it yet. */
    SPLIT,
    /** Replicas that must copy all do so. */
    SYNC,
    /** Replicas apply some of what they lack. */
    REPLICATE,
    /** A server saves its data. */
    SAVE,
    /** A server takes a new replication id, without any loss. */
    NEW_ID,
    /** A key is evicted. */
    EVICT,
    /** All keys are deleted. */
    FLUSH,
    /** A key is renamed over another one. */
    RENAME,
    /** A slot moves to another master. */
    MOVE
  }

  static final List<Kind> OF_COMMANDS =
      List.of(Kind.LOSE_COMMAND, Kind.LOSE_REPLY, Kind.DELAY, Kind.TWICE, Kind.STALL, Kind.CRASH);

  @Override
  public String toString() {
    return "@" + at + " " + kind + "(" + first + ", " + second + ")";
  }
}
