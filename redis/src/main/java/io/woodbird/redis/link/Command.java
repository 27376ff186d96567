package io.woodbird.redis.link;

import java.nio.charset.StandardCharsets;

/** One Redis command in bytes, and where its key stands. */
public final class Command {
  /** The commands that are used, and no others. */
  @SuppressWarnings("ImmutableEnumChecker") // Nobody writes to the bytes.
  public enum Name {
    ASKING,
    BITFIELD,
    BITFIELD_RO,
    CONFIG,
    EVAL,
    EVALSHA,
    GETRANGE,
    HGETALL,
    INFO,
    PEXPIRE,
    PTTL,
    SCAN,
    SET,
    STRLEN,
    TIME,
    UNLINK,
    WAIT,
    WAITAOF,
    XADD,
    XRANGE;

    /** The name as it is sent. */
    public final byte[] bytes = Command.bytes(name());
  }

  public final Name name;
  public final byte[][] arguments;

  /** The index of the key among the arguments, or -1. */
  public final int keyAt;

  private Command(Name name, int keyAt, byte[][] arguments) {
    this.name = name;
    this.keyAt = keyAt;
    this.arguments = arguments;
  }

  /** A command whose first argument is its key. */
  public static Command of(Name name, byte[]... keyAndArguments) {
    return new Command(name, 0, keyAndArguments);
  }

  /** A command whose first argument is its key; all but bytes are sent as text. */
  public static Command of(Name name, Object... keyAndArguments) {
    return new Command(name, 0, all(keyAndArguments));
  }

  /** A command that belongs to no key. */
  public static Command keyless(Name name, Object... arguments) {
    return new Command(name, -1, all(arguments));
  }

  /** Words, numbers and bytes as they are sent. */
  public static byte[][] all(Object... words) {
    byte[][] bytes = new byte[words.length][];
    for (int i = 0; i < words.length; i++) {
      assert words[i] instanceof byte[] || !words[i].getClass().isArray();
      bytes[i] = words[i] instanceof byte[] given ? given : bytes(words[i].toString());
    }
    return bytes;
  }

  public static Command getRange(byte[] key, long from, long to) {
    return of(Name.GETRANGE, key, bytes(from), bytes(to));
  }

  /**
   * A script.
   *
   * @param keys how many of the arguments that come first are keys, all of one slot
   */
  public static Command script(byte[] text, int keys, byte[][] keysAndArguments) {
    byte[][] all = new byte[2 + keysAndArguments.length][];
    all[0] = text;
    all[1] = bytes(keys);
    System.arraycopy(keysAndArguments, 0, all, 2, keysAndArguments.length);
    return new Command(Name.EVAL, 2, all);
  }

  /** The same script, called by the hash of its text; a server that does not know it says so. */
  public Command bySha(byte[] sha) {
    byte[][] all = arguments.clone();
    all[0] = sha;
    return new Command(Name.EVALSHA, keyAt, all);
  }

  /** The key, which decides the node. */
  public byte[] key() {
    return arguments[keyAt];
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static byte[] bytes(long number) {
    if (number < 0) {
      return bytes(Long.toString(number));
    }
    int length = 1;
    for (long rest = number; rest > 9; rest /= 10) {
      length++;
    }
    byte[] digits = new byte[length];
    long rest = number;
    for (int i = length - 1; i >= 0; i--) {
      digits[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return digits;
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return keyAt < 0 ? name.toString() : name + " " + text(key());
  }
}
