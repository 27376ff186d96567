package io.woodbird.redis.sim;

import java.util.Locale;

/** The commands that the model knows, found by their bytes. */
final class Commands {
  /** Who carries a command out. */
  enum Family {
    TEXTS(
        "GET STRLEN GETRANGE GETBIT BITCOUNT BITFIELD_RO",
        "SET SETRANGE APPEND INCR INCRBY SETBIT BITFIELD BITOP"),
    HASHES("HGET HEXISTS HLEN HKEYS HVALS HGETALL HMGET", "HSET HSETNX HINCRBY HDEL"),
    LOGS("XLEN XRANGE", "XADD XTRIM XDEL"),
    GENERAL(
        "EXISTS TYPE PTTL PEXPIRETIME SCAN DBSIZE TIME",
        "DEL UNLINK PEXPIRE PEXPIREAT PERSIST COPY RENAME FLUSHALL"),
    SERVER("EVAL EVAL_RO EVALSHA EVALSHA_RO SCRIPT INFO ROLE CONFIG PING", "");

    private final String reads;
    private final String writes;

    Family(String reads, String writes) {
      this.reads = reads;
      this.writes = writes;
    }
  }

  /** One command; its name is in capitals. */
  record Entry(String name, Family family, boolean writes) {}

  /** A power of two, several times the number of commands. */
  private static final int PLACES = 512;

  private static final Entry[] TABLE = new Entry[PLACES];

  static {
    for (Family family : Family.values()) {
      addAll(family.reads, family, false);
      addAll(family.writes, family, true);
    }
  }

  private Commands() {}

  private static void addAll(String names, Family family, boolean writes) {
    for (String name : names.split(" ", -1)) {
      if (!name.isEmpty()) {
        int at = place(Reply.bytes(name));
        while (TABLE[at] != null) {
          at = (at + 1) % PLACES;
        }
        TABLE[at] = new Entry(name, family, writes);
      }
    }
  }

  /** By the length, and by the first letter and two of the last. */
  private static int place(byte[] word) {
    int length = word.length;
    int hash = length;
    if (length > 2) {
      hash = 31 * hash + upper(word[0]);
      hash = 31 * hash + upper(word[length - 1]);
      hash = 31 * hash + upper(word[length - 3]);
    }
    return (hash ^ hash >>> 9) & (PLACES - 1);
  }

  private static int upper(int letter) {
    return letter >= 'a' && letter <= 'z' ? letter - 32 : letter;
  }

  /** Finds a command, in capitals or not. */
  static Entry of(byte[] word) {
    for (int at = place(word); ; at = (at + 1) % PLACES) {
      Entry entry = TABLE[at];
      if (entry == null) {
        throw new Reply.Refusal(
            "ERR unknown command '" + Reply.text(word).toUpperCase(Locale.ROOT) + "'");
      }
      if (same(entry.name, word)) {
        return entry;
      }
    }
  }

  /** Whether a word is a name, which is in capitals. */
  static boolean same(String name, byte[] word) {
    if (name.length() != word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (name.charAt(i) != upper(word[i])) {
        return false;
      }
    }
    return true;
  }
}
