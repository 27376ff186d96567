package io.woodbird.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script of this library, a resource beside this class. */
final class Script {
  static final Script OPEN = new Script("open");
  static final Script MADE = new Script("made");
  static final Script SHARD = new Script("shard");
  static final Script RUN = new Script("run");
  static final Script DOUBT = new Script("doubt");
  static final Script LOAD = new Script("load");
  static final Script SWEEP = new Script("sweep");
  static final Script WRITER = new Script("writer");
  static final Script HEAL = new Script("heal");
  static final Script HEALED = new Script("healed");
  static final Script LEASE = new Script("lease");
  static final Script RENEW = new Script("renew");
  static final Script SWAP = new Script("swap");
  static final Script DROP = new Script("drop");
  static final Script END = new Script("end");
  static final Script LOOK = new Script("look");
  static final Script LINK = new Script("link");
  static final Script FEED = new Script("feed");
  static final Script REDISSON_PUT = new Script("redisson_put");
  static final Script REDISSON_LOAD = new Script("redisson_load");
  static final Script REDISSON_MAKE = new Script("redisson_make");

  private final byte[] text;

  private Script(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("the resource " + name + ".lua is missing");
      }
      text = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The script as a command on one key. */
  Command on(byte[] key, byte[]... arguments) {
    return Command.script(Command.Name.EVAL, text, key, arguments);
  }

  /** The script as a command on two keys of one slot. */
  Command on2(byte[] key, byte[] second, byte[]... arguments) {
    return Command.script2(text, key, second, arguments);
  }

  /** The text of {@link #RUN} for one life of a server. */
  static byte[] runText(long token) {
    byte[] name = Command.bytes("-- " + hex(token) + "\n");
    byte[] all = new byte[name.length + RUN.text.length];
    System.arraycopy(name, 0, all, 0, name.length);
    System.arraycopy(RUN.text, 0, all, name.length, RUN.text.length);
    return all;
  }

  /** The name under which a server keeps a script. */
  static byte[] sha1(byte[] script) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(script);
      return Command.bytes(HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }

  static String hex(long number) {
    return HexFormat.of().toHexDigits(number);
  }
}
