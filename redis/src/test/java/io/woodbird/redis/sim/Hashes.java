package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The commands on hashes. */
final class Hashes {
  private final Keyspace keys;

  Hashes(Keyspace keys) {
    this.keys = keys;
  }

  @Nullable Object run(String name, byte[][] words) {
    String key = Reply.text(words[1]);
    Map<String, byte[]> fields = keys.fields(key);
    Map<String, byte[]> now = fields == null ? Map.of() : fields;
    return switch (name) {
      case "HGET" -> now.get(Reply.text(words[2]));
      case "HEXISTS" -> now.containsKey(Reply.text(words[2])) ? 1L : 0L;
      case "HLEN" -> (long) now.size();
      case "HKEYS" -> new ArrayList<Object>(now.keySet().stream().map(Reply::bytes).toList());
      case "HVALS" -> new ArrayList<Object>(now.values());
      case "HGETALL" -> all(now);
      case "HMGET" -> some(now, words);
      case "HSET" -> set(key, now, words);
      case "HSETNX" -> now.containsKey(Reply.text(words[2])) ? (Object) 0L : set(key, now, words);
      case "HINCRBY" -> increment(key, now, words);
      case "HDEL" -> delete(key, now, words);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Object all(Map<String, byte[]> now) {
    List<Object> all = new ArrayList<>(2 * now.size());
    now.forEach(
        (field, value) -> {
          all.add(Reply.bytes(field));
          all.add(value);
        });
    return all;
  }

  private static Object some(Map<String, byte[]> now, byte[][] words) {
    List<@Nullable Object> some = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      some.add(now.get(Reply.text(words[i])));
    }
    return some;
  }

  private Object set(String key, Map<String, byte[]> now, byte[][] words) {
    if (words.length % 2 != 0 || words.length < 4) {
      throw new Reply.Refusal("ERR wrong number of arguments for 'hset' command");
    }
    Map<String, byte[]> next = new LinkedHashMap<>(now);
    for (int i = 2; i < words.length; i += 2) {
      next.put(Reply.text(words[i]), words[i + 1].clone());
    }
    keys.put(key, new Value.Fields(next));
    return (long) next.size() - now.size();
  }

  private Object increment(String key, Map<String, byte[]> now, byte[][] words) {
    byte[] old = now.get(Reply.text(words[2]));
    long value;
    try {
      value = old == null ? 0 : Reply.number(old);
    } catch (Reply.Refusal e) {
      throw new Reply.Refusal("ERR hash value is not an integer");
    }
    long result = value + Reply.number(words[3]);
    Map<String, byte[]> next = new LinkedHashMap<>(now);
    next.put(Reply.text(words[2]), Reply.bytes(Long.toString(result)));
    keys.put(key, new Value.Fields(next));
    return result;
  }

  private Object delete(String key, Map<String, byte[]> now, byte[][] words) {
    Map<String, byte[]> next = new LinkedHashMap<>(now);
    for (int i = 2; i < words.length; i++) {
      next.remove(Reply.text(words[i]));
    }
    if (next.size() < now.size()) {
      if (next.isEmpty()) {
        keys.remove(key);
      } else {
        keys.put(key, new Value.Fields(next));
      }
    }
    return (long) now.size() - next.size();
  }
}
