package io.woodbird.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;

/** A Lua script of this library, a resource beside this class. */
final class Script {
  static final Script OPEN = new Script("open");
  static final Script MADE = new Script("made");
  static final Script SHARD = new Script("shard");
  static final Script LOAD = new Script("load");
  static final Script SWEEP = new Script("sweep");
  static final Script VOUCH = new Script("vouch");
  static final Script BACK = new Script("back");
  static final Script REMOVE = new Script("remove");
  static final Script LEASE = new Script("lease");
  static final Script RENEW = new Script("renew");
  static final Script SWAP = new Script("swap");
  static final Script DROP = new Script("drop");
  static final Script END = new Script("end");
  static final Script LOOK = new Script("look");
  static final Script LINK = new Script("link");
  static final Script FEED = new Script("feed");
  static final Script FOLLOW = new Script("follow");
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
    return Command.script(text, key, arguments);
  }

  /** The script as a command on two keys of one slot. */
  Command on2(byte[] key, byte[] second, byte[]... arguments) {
    return Command.script2(text, key, second, arguments);
  }

  static String hex(long number) {
    return HexFormat.of().toHexDigits(number);
  }
}
