package io.woodbird.redis.link;

import java.nio.charset.StandardCharsets;

/** One Redis command in bytes, and where its key stands. */
public final class Command {
  /** The commands that are used, and no others. */
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
    UNLINK,
    WAIT,
    WAITAOF,
    XADD,
    XRANGE;

    /** The name as it is sent. */
    public byte[] bytes() {
      return name().getBytes(StandardCharsets.US_ASCII);
    }
  }

  private static final byte[] ONE = bytes("1");

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

  /** A command that belongs to no key. */
  public static Command keyless(Name name, String... arguments) {
    byte[][] bytes = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      bytes[i] = bytes(arguments[i]);
    }
    return new Command(name, -1, bytes);
  }

  public static Command getRange(byte[] key, long from, long to) {
    return of(Name.GETRANGE, key, bytes(from), bytes(to));
  }

  /** A script on one key. */
  public static Command script(byte[] text, byte[] key, byte[]... arguments) {
    byte[][] all = new byte[3 + arguments.length][];
    all[0] = text;
    all[1] = ONE;
    all[2] = key;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return new Command(Name.EVAL, 2, all);
  }

  /** A script on two keys of one slot. */
  public static Command script2(byte[] text, byte[] key, byte[] second, byte[]... arguments) {
    byte[][] all = new byte[4 + arguments.length][];
    all[0] = text;
    all[1] = bytes("2");
    all[2] = key;
    all[3] = second;
    System.arraycopy(arguments, 0, all, 4, arguments.length);
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
