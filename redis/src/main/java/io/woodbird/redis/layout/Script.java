package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The Lua scripts of this library, each a resource of the same name. */
@SuppressWarnings("ImmutableEnumChecker") // Nobody writes to the bytes.
public enum Script {
  OPEN,
  MADE,
  SHARD,
  LOAD,
  WINDOW,
  GROW,
  SWEEP,
  VOUCH,
  UNVOUCH,
  BACK,
  REMOVE,
  LEASE,
  RENEW,
  SWAP,
  DROP,
  END,
  LOOK,
  LINK,
  FEED,
  FOLLOW,
  REDISSON_PUT,
  REDISSON_LOAD,
  REDISSON_MAKE;

  private final byte[] text;
  private final byte[] sha;

  Script() {
    String name = name().toLowerCase(Locale.ROOT);
    String file = (name.contains("_") ? name.replace('_', '/') : "layout/" + name) + ".lua";
    try (InputStream in = Script.class.getResourceAsStream("/io/woodbird/redis/" + file)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + file + " is missing");
      }
      text = in.readAllBytes();
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(text);
      sha = Command.bytes(HexFormat.of().formatHex(hash));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }

  /** The script as a command on one key, or on two of one slot. */
  public Command on(Object... keysAndArguments) {
    int keys = this == LOAD || name().startsWith("REDISSON") ? 2 : 1;
    return Command.script(text, keys, Command.all(keysAndArguments));
  }

  /** A command of this script, without the text; see {@link Command#bySha}. */
  Command bySha(Command command) {
    return command.bySha(sha);
  }

  public static String hex(long number) {
    return HexFormat.of().toHexDigits(number);
  }
}
