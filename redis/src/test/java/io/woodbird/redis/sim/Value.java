package io.woodbird.redis.sim;

import java.util.List;
import java.util.Map;

/**
 * A value in the model of Redis. Values never change: a write puts a new one in the place of the
 * old. So a snapshot of a server is a shallow copy of its map, and what replicas and files are sent
 * is the list of values that a command has put.
 */
sealed interface Value {
  /** A string. */
  record Text(byte[] bytes) implements Value {}

  /** A hash; its fields are Latin-1 texts, one character for each byte. */
  record Fields(Map<String, byte[]> map) implements Value {}

  /** A stream. */
  record Log(List<Item> items, Id last) implements Value {}

  /** An entry of a stream. */
  record Item(Id id, List<byte[]> words) {}

  /** The id of an entry. */
  record Id(long millis, long number) implements Comparable<Id> {
    @Override
    public int compareTo(Id other) {
      int first = Long.compareUnsigned(millis, other.millis);
      return first != 0 ? first : Long.compareUnsigned(number, other.number);
    }

    @Override
    public String toString() {
      return millis + "-" + number;
    }
  }

  /**
   * A value and when it ends.
   *
   * @param expiresAt in milliseconds, or -1
   */
  record Slot(Value value, long expiresAt) {}
}
