package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The commands on keys of any type. */
final class General {
  /** The library asks with few patterns, and a pattern takes longer to compile than to match. */
  private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

  private final Keyspace keys;

  General(Keyspace keys) {
    this.keys = keys;
  }

  @Nullable Object run(String name, byte[][] words) {
    return switch (name) {
      case "DEL", "UNLINK" -> delete(words);
      case "EXISTS" -> exists(words);
      case "TYPE" -> type(words);
      case "PTTL" -> ttl(words);
      case "PEXPIRETIME" -> expireTime(words);
      case "PEXPIRE" -> expireAt(words, keys.now() + Reply.number(words[2]));
      case "PEXPIREAT" -> expireAt(words, Reply.number(words[2]));
      case "PERSIST" -> persist(words);
      case "COPY" -> copy(words);
      case "RENAME" -> rename(words);
      case "SCAN" -> scan(words);
      case "DBSIZE" -> (long) keys.keys().size();
      case "FLUSHALL" -> {
        keys.clear();
        yield Reply.OK;
      }
      case "TIME" ->
          List.<Object>of(
              Reply.bytes(Long.toString(keys.now() / 1000)),
              Reply.bytes(Long.toString(keys.now() % 1000 * 1000)));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private Object delete(byte[][] words) {
    long count = 0;
    for (int i = 1; i < words.length; i++) {
      String key = Reply.text(words[i]);
      count += keys.slot(key) != null && keys.remove(key) ? 1 : 0;
    }
    return count;
  }

  private Object exists(byte[][] words) {
    long count = 0;
    for (int i = 1; i < words.length; i++) {
      count += keys.slot(Reply.text(words[i])) != null ? 1 : 0;
    }
    return count;
  }

  private Object type(byte[][] words) {
    Slot slot = keys.slot(Reply.text(words[1]));
    if (slot == null) {
      return Reply.bytes("none");
    }
    String type =
        slot.value() instanceof Value.Text
            ? "string"
            : slot.value() instanceof Value.Fields ? "hash" : "stream";
    return Reply.bytes(type);
  }

  private Object ttl(byte[][] words) {
    Slot slot = keys.slot(Reply.text(words[1]));
    return slot == null ? -2L : slot.expiresAt() < 0 ? -1L : slot.expiresAt() - keys.now();
  }

  private Object expireTime(byte[][] words) {
    Slot slot = keys.slot(Reply.text(words[1]));
    return slot == null ? (Object) (-2L) : (Object) slot.expiresAt();
  }

  private Object expireAt(byte[][] words, long at) {
    String key = Reply.text(words[1]);
    Slot slot = keys.slot(key);
    if (slot == null) {
      return 0L;
    }
    if (at <= keys.now()) {
      keys.remove(key);
    } else {
      keys.put(key, new Slot(slot.value(), at));
    }
    return 1L;
  }

  private Object persist(byte[][] words) {
    String key = Reply.text(words[1]);
    Slot slot = keys.slot(key);
    if (slot == null || slot.expiresAt() < 0) {
      return 0L;
    }
    keys.put(key, new Slot(slot.value(), -1));
    return 1L;
  }

  private Object copy(byte[][] words) {
    boolean replace =
        words.length > 3 && Reply.text(words[3]).toUpperCase(Locale.ROOT).equals("REPLACE");
    Slot slot = keys.slot(Reply.text(words[1]));
    String target = Reply.text(words[2]);
    if (slot == null || (!replace && keys.slot(target) != null)) {
      return 0L;
    }
    keys.put(target, slot);
    return 1L;
  }

  private Object rename(byte[][] words) {
    String from = Reply.text(words[1]);
    Slot slot = keys.slot(from);
    if (slot == null) {
      throw new Reply.Refusal("ERR no such key");
    }
    keys.remove(from);
    keys.put(Reply.text(words[2]), slot);
    return Reply.OK;
  }

  private Object scan(byte[][] words) {
    String match = "*";
    for (int i = 2; i + 1 < words.length; i += 2) {
      if (Reply.text(words[i]).equalsIgnoreCase("MATCH")) {
        match = Reply.text(words[i + 1]);
      }
    }
    Pattern pattern = PATTERNS.computeIfAbsent(match, General::glob);
    List<Object> found = new ArrayList<>();
    for (String key : keys.keys()) {
      if (pattern.matcher(key).matches()) {
        found.add(Reply.bytes(key));
      }
    }
    return List.<Object>of(Reply.bytes("0"), found);
  }

  private static Pattern glob(String glob) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      if (c == '*') {
        regex.append(".*");
      } else if (c == '?') {
        regex.append('.');
      } else if (c == '[') {
        int end = glob.indexOf(']', i);
        regex.append(glob, i, end + 1);
        i = end;
      } else {
        if (c == '\\' && i + 1 < glob.length()) {
          c = glob.charAt(++i);
        }
        regex.append(Pattern.quote("" + c));
      }
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }
}
