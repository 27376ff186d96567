package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The commands on strings. */
final class Texts {
  private final Keyspace keys;

  Texts(Keyspace keys) {
    this.keys = keys;
  }

  @Nullable Object run(String name, byte[][] words) {
    String key = Reply.text(words[1]);
    return switch (name) {
      case "GET" -> keys.text(key);
      case "SET" -> set(key, words);
      case "STRLEN" -> (long) orEmpty(keys.text(key)).length;
      case "GETRANGE" -> getRange(key, Reply.number(words[2]), Reply.number(words[3]));
      case "SETRANGE" -> setRange(key, Reply.number(words[2]), words[3]);
      case "APPEND" -> append(key, words[2]);
      case "INCR" -> increment(key, 1);
      case "INCRBY" -> increment(key, Reply.number(words[2]));
      case "GETBIT" -> getBit(key, offset(words[2]));
      case "SETBIT" -> setBit(key, offset(words[2]), Reply.number(words[3]));
      case "BITCOUNT" -> bitCount(key);
      case "BITFIELD" -> bitField(key, words, false);
      case "BITFIELD_RO" -> bitField(key, words, true);
      case "BITOP" -> bitOp(words);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static byte[] orEmpty(byte @Nullable [] bytes) {
    return bytes == null ? new byte[0] : bytes;
  }

  private @Nullable Object set(String key, byte[][] words) {
    long expiresAt = -1;
    boolean keep = false;
    boolean get = false;
    boolean ifAbsent = false;
    boolean ifPresent = false;
    for (int at = 3; at < words.length; at++) {
      switch (Reply.text(words[at]).toUpperCase(Locale.ROOT)) {
        case "PX" -> expiresAt = keys.now() + positive(words, ++at);
        case "EX" -> expiresAt = keys.now() + 1000 * positive(words, ++at);
        case "PXAT" -> expiresAt = positive(words, ++at);
        case "KEEPTTL" -> keep = true;
        case "GET" -> get = true;
        case "NX" -> ifAbsent = true;
        case "XX" -> ifPresent = true;
        default -> throw Reply.syntax();
      }
    }
    Slot old = keys.slot(key);
    byte[] before = get ? keys.text(key) : null;
    if ((ifAbsent && old != null) || (ifPresent && old == null)) {
      return before;
    }
    if (keep && old != null) {
      expiresAt = old.expiresAt();
    }
    keys.put(key, new Slot(new Value.Text(words[2].clone()), expiresAt));
    return get ? before : Reply.OK;
  }

  private static long positive(byte[][] words, int at) {
    if (at >= words.length) {
      throw Reply.syntax();
    }
    long value = Reply.number(words[at]);
    if (value <= 0) {
      throw new Reply.Refusal("ERR invalid expire time in 'set' command");
    }
    return value;
  }

  private byte[] getRange(String key, long start, long end) {
    byte[] bytes = orEmpty(keys.text(key));
    long from = start < 0 ? Math.max(0, bytes.length + start) : start;
    long to = Math.min(bytes.length - 1L, end < 0 ? Math.max(0, bytes.length + end) : end);
    if ((start < 0 && end < 0 && start > end) || from > to) {
      return new byte[0];
    }
    return Arrays.copyOfRange(bytes, (int) from, (int) to + 1);
  }

  private Object setRange(String key, long offset, byte[] value) {
    if (offset < 0) {
      throw new Reply.Refusal("ERR offset is out of range");
    }
    byte[] bytes = orEmpty(keys.text(key));
    if (value.length == 0) {
      return (long) bytes.length;
    }
    byte[] next = Arrays.copyOf(bytes, (int) Math.max(bytes.length, offset + value.length));
    System.arraycopy(value, 0, next, (int) offset, value.length);
    keys.put(key, new Value.Text(next));
    return (long) next.length;
  }

  private Object append(String key, byte[] value) {
    byte[] bytes = orEmpty(keys.text(key));
    byte[] next = Arrays.copyOf(bytes, bytes.length + value.length);
    System.arraycopy(value, 0, next, bytes.length, value.length);
    keys.put(key, new Value.Text(next));
    return (long) next.length;
  }

  private Object increment(String key, long by) {
    byte[] bytes = keys.text(key);
    long next = Math.addExact(bytes == null ? 0 : Reply.number(bytes), by);
    keys.put(key, new Value.Text(Reply.bytes(Long.toString(next))));
    return next;
  }

  private static long offset(byte[] digits) {
    long offset = Reply.number(digits);
    if (offset < 0) {
      throw new Reply.Refusal("ERR bit offset is not an integer or out of range");
    }
    return offset;
  }

  private Object getBit(String key, long offset) {
    return (long) Bits.bit(orEmpty(keys.text(key)), offset);
  }

  private Object setBit(String key, long offset, long value) {
    if ((value & ~1) != 0) {
      throw new Reply.Refusal("ERR bit is not an integer or out of range");
    }
    byte[] bytes = orEmpty(keys.text(key));
    long before = Bits.bit(bytes, offset);
    byte[] next = Arrays.copyOf(bytes, (int) Math.max(bytes.length, offset / 8 + 1));
    Bits.set(next, offset, 1, value);
    keys.put(key, new Value.Text(next));
    return before;
  }

  private Object bitCount(String key) {
    long count = 0;
    for (byte each : orEmpty(keys.text(key))) {
      count += Integer.bitCount(each & 0xff);
    }
    return count;
  }

  private Object bitField(String key, byte[][] words, boolean readOnly) {
    Bits.Result result = Bits.field(keys.text(key), words, 2, readOnly);
    if (result.written() != null) {
      keys.put(key, new Value.Text(result.written()));
    }
    return result.replies();
  }

  private Object bitOp(byte[][] words) {
    String operation = Reply.text(words[1]).toUpperCase(Locale.ROOT);
    List<byte[]> sources = new ArrayList<>();
    for (int i = 3; i < words.length; i++) {
      sources.add(orEmpty(keys.text(Reply.text(words[i]))));
    }
    String target = Reply.text(words[2]);
    byte[] result = Bits.combine(operation, sources);
    if (result.length == 0) {
      keys.remove(target);
    } else {
      keys.put(target, new Slot(new Value.Text(result), -1));
    }
    return (long) result.length;
  }
}
