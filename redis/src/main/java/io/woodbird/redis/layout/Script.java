package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script of this library, a resource. */
public final class Script {
  public static final Script OPEN = beside(Script.class, "open");
  public static final Script MADE = beside(Script.class, "made");
  public static final Script SHARD = beside(Script.class, "shard");
  public static final Script LOAD = beside(Script.class, "load");
  public static final Script WINDOW = beside(Script.class, "window");
  public static final Script GROW = beside(Script.class, "grow");
  public static final Script SWEEP = beside(Script.class, "sweep");
  public static final Script VOUCH = beside(Script.class, "vouch");
  public static final Script BACK = beside(Script.class, "back");
  public static final Script REMOVE = beside(Script.class, "remove");
  public static final Script LEASE = beside(Script.class, "lease");
  public static final Script RENEW = beside(Script.class, "renew");
  public static final Script SWAP = beside(Script.class, "swap");
  public static final Script DROP = beside(Script.class, "drop");
  public static final Script END = beside(Script.class, "end");
  public static final Script LOOK = beside(Script.class, "look");
  public static final Script LINK = beside(Script.class, "link");
  public static final Script FEED = beside(Script.class, "feed");
  public static final Script FOLLOW = beside(Script.class, "follow");

  private final byte[] text;
  private final byte[] sha;

  private Script(byte[] text) {
    this.text = text;
    try {
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(text);
      this.sha = Command.bytes(HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }

  /** The script of a name that lies beside a class. */
  public static Script beside(Class<?> type, String name) {
    try (InputStream in = type.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("the resource " + name + ".lua is missing");
      }
      return new Script(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The script as a command on one key. */
  public Command on(byte[] key, byte[]... arguments) {
    return Command.script(text, key, arguments);
  }

  /** A command of this script, without the text; see {@link Command#bySha}. */
  Command bySha(Command command) {
    return command.bySha(sha);
  }

  /** The script as a command on two keys of one slot. */
  public Command on2(byte[] key, byte[] second, byte[]... arguments) {
    return Command.script2(text, key, second, arguments);
  }

  public static String hex(long number) {
    return HexFormat.of().toHexDigits(number);
  }
}
