package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Value.Id;
import io.woodbird.redis.sim.Value.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The commands on streams. */
final class Logs {
  /** An approximate limit removes whole nodes of so many entries. */
  private static final int NODE = 100;

  private final Keyspace keys;

  Logs(Keyspace keys) {
    this.keys = keys;
  }

  @Nullable Object run(String name, byte[][] words) {
    String key = Reply.text(words[1]);
    Value.Log log = keys.log(key);
    return switch (name) {
      case "XADD" -> add(key, log, words);
      case "XLEN" -> log == null ? 0L : (long) log.items().size();
      case "XRANGE" -> range(log, words);
      case "XTRIM" -> trim(key, log, words);
      case "XDEL" -> delete(key, log, words);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** How an addition or XTRIM shortens a stream. */
  private record Limit(long most, boolean rough, int next) {}

  private static Limit limit(byte[][] words, int from) {
    long most = -1;
    boolean rough = false;
    int at = from;
    while (at < words.length) {
      String word = Reply.text(words[at]).toUpperCase(Locale.ROOT);
      if (word.equals("MAXLEN")) {
        String sign = Reply.text(words[at + 1]);
        boolean signed = sign.equals("~") || sign.equals("=");
        rough = sign.equals("~");
        most = Reply.number(words[signed ? at + 2 : at + 1]);
        at += signed ? 3 : 2;
      } else if (word.equals("LIMIT")) {
        at += 2;
      } else {
        break;
      }
    }
    return new Limit(most, rough, at);
  }

  private static List<Item> cut(List<Item> items, Limit limit) {
    if (limit.most < 0 || items.size() <= limit.most) {
      return items;
    }
    long surplus = items.size() - limit.most;
    if (limit.rough) {
      surplus -= surplus % NODE;
    }
    return new ArrayList<>(items.subList((int) surplus, items.size()));
  }

  private @Nullable Object add(String key, Value.@Nullable Log log, byte[][] words) {
    int at = 2;
    boolean make = true;
    if (Reply.text(words[at]).equalsIgnoreCase("NOMKSTREAM")) {
      make = false;
      at++;
    }
    Limit limit = limit(words, at);
    at = limit.next;
    if (log == null && !make) {
      return null;
    }
    Id last = log == null ? new Id(0, 0) : log.last();
    Id id = next(Reply.text(words[at++]), last);
    if ((words.length - at) % 2 != 0 || at == words.length) {
      throw new Reply.Refusal("ERR wrong number of arguments for 'xadd' command");
    }
    List<byte[]> pairs = new ArrayList<>();
    for (; at < words.length; at++) {
      pairs.add(words[at].clone());
    }
    List<Item> items = new ArrayList<>(log == null ? List.of() : log.items());
    items.add(new Item(id, pairs));
    keys.put(key, new Value.Log(cut(items, limit), id));
    return Reply.bytes(id.toString());
  }

  private Id next(String wanted, Id last) {
    if (wanted.equals("*")) {
      Id id = new Id(keys.now(), 0);
      return id.compareTo(last) > 0 ? id : new Id(last.millis(), last.number() + 1);
    }
    Id id = id(wanted, 0);
    if (id.equals(new Id(0, 0))) {
      throw new Reply.Refusal("ERR The ID specified in XADD must be greater than 0-0");
    }
    if (id.compareTo(last) <= 0) {
      throw new Reply.Refusal(
          "ERR The ID specified in XADD is equal or smaller than the target stream top item");
    }
    return id;
  }

  private static Id id(String text, long missing) {
    int dash = text.indexOf('-');
    try {
      return dash < 0
          ? new Id(Long.parseUnsignedLong(text), missing)
          : new Id(
              Long.parseUnsignedLong(text.substring(0, dash)),
              Long.parseUnsignedLong(text.substring(dash + 1)));
    } catch (NumberFormatException e) {
      throw new Reply.Refusal("ERR Invalid stream ID specified as stream command argument");
    }
  }

  private static Object range(Value.@Nullable Log log, byte[][] words) {
    String first = Reply.text(words[2]);
    String last = Reply.text(words[3]);
    boolean after = first.startsWith("(");
    Id from = first.equals("-") ? new Id(0, 0) : id(after ? first.substring(1) : first, 0);
    Id to = last.equals("+") ? new Id(-1, -1) : id(last, -1);
    long count = words.length > 5 ? Reply.number(words[5]) : Long.MAX_VALUE;
    List<Object> found = new ArrayList<>();
    for (Item item : log == null ? List.<Item>of() : log.items()) {
      int order = item.id().compareTo(from);
      if ((after ? order > 0 : order >= 0)
          && item.id().compareTo(to) <= 0
          && found.size() < count) {
        found.add(List.of(Reply.bytes(item.id().toString()), new ArrayList<Object>(item.words())));
      }
    }
    return found;
  }

  private Object trim(String key, Value.@Nullable Log log, byte[][] words) {
    if (log == null) {
      return 0L;
    }
    List<Item> left = cut(log.items(), limit(words, 2));
    if (left.size() < log.items().size()) {
      keys.put(key, new Value.Log(left, log.last()));
    }
    return (long) log.items().size() - left.size();
  }

  private Object delete(String key, Value.@Nullable Log log, byte[][] words) {
    if (log == null) {
      return 0L;
    }
    List<Item> left = new ArrayList<>(log.items());
    for (int i = 2; i < words.length; i++) {
      Id id = id(Reply.text(words[i]), 0);
      left.removeIf(item -> item.id().equals(id));
    }
    if (left.size() < log.items().size()) {
      keys.put(key, new Value.Log(left, log.last()));
    }
    return (long) log.items().size() - left.size();
  }
}
