package io.woodbird.redis.proof;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The record of a filter: one Redis hash that says which generation is current, and what it is. */
public final class Meta {
  // Its fields: spec/redis.md, "The record".
  private static final String FORMAT = "1";

  public final byte[] key;

  private final Link link;
  private final String filter;

  public Meta(Link link, String filter) {
    this.link = link;
    this.filter = filter;
    this.key = Command.bytes("wbird:meta:" + filter);
  }

  /** The record as its master has it, empty if there is none. */
  public Map<String, String> read() {
    Link.Replies replies =
        link.run(List.of(Command.of(Command.Name.HGETALL, key)), List.of(Life.ASK));
    Object reply = checked("HGETALL", replies.all().get(0));
    if (Life.last(replies.after().get(0)).id() == 0) {
      throw Trouble.noMaster(replies.after().get(0), Command.text(key)).failure("filter " + filter);
    }
    return fields(reply);
  }

  public static Map<String, String> fields(@Nullable Object reply) {
    Map<String, String> fields = new HashMap<>();
    if (reply instanceof List<?> list) {
      for (int i = 0; i + 1 < list.size(); i += 2) {
        fields.put(text(list.get(i)), text(list.get(i + 1)));
      }
    }
    return fields;
  }

  private static String text(@Nullable Object reply) {
    return reply instanceof byte[] bytes ? Command.text(bytes) : "" + reply;
  }

  /** Runs a script on the record. */
  public @Nullable Object eval(Script script, Object... arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = key;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Command command = script.on(all);
    Object reply = link.run(command);
    return reply instanceof RedisError ? checked("" + command, reply) : reply;
  }

  /** Runs a script on the record that says 1 if it has done its work. */
  public boolean done(Script script, Object... arguments) {
    return isDone(eval(script, arguments));
  }

  /** Whether a reply is 1. */
  public static boolean isDone(@Nullable Object reply) {
    return reply instanceof Long one && one == 1;
  }

  /** The time of the server that has the record, in milliseconds, and the record. */
  public Now now() {
    if (eval(Script.LOOK) instanceof List<?> both && both.get(0) instanceof Long millis) {
      return new Now(millis, fields(both.get(1)));
    }
    throw new RedisFilterException(Cause.REFUSED, "not a record: " + Command.text(key));
  }

  /** The record at a time of its server. */
  public record Now(long millis, Map<String, String> fields) {}

  /** A number of the record, 0 if it has none of that name. */
  public static long number(Map<String, String> fields, String name) {
    return number(fields.getOrDefault(name, "0"));
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new RedisFilterException(
          Cause.OVERWRITTEN, "the record of the filter can't be read: " + text);
    }
  }

  private @Nullable Object checked(String command, @Nullable Object reply) {
    if (reply instanceof RedisError error) {
      throw Trouble.of(error, Command.text(key)).failure("filter " + filter + ": " + command);
    }
    return reply;
  }

  /**
   * Whether a generation that a shard names is over: a build that was given up, or an old
   * generation that has ended. A record that never knew it is older than the shard, and proves
   * nothing.
   */
  public boolean over(Map<String, String> fields, long number) {
    if (fields.containsKey("gen:" + number)) {
      return false;
    }
    if (number > number(fields, "last")) {
      throw new RedisFilterException(
          Cause.ROLLED_BACK,
          Command.text(key) + " is older than its shards, which name generation " + number);
    }
    return true;
  }

  /** The generations that a record lets take puts. */
  public static List<Long> takers(Map<String, String> fields) {
    return Stream.of("current", "next", "previous")
        .map(name -> number(fields, name))
        .filter(number -> number != 0)
        .toList();
  }

  /** The generation with a number, from the record. */
  public GenerationSpec generation(Map<String, String> fields, long number) {
    String text = fields.get("gen:" + number);
    if (text == null) {
      throw new RedisFilterException(
          Cause.DELETED,
          fields.isEmpty()
              ? Command.text(key) + ", the record of the filter, is gone"
              : Command.text(key) + " knows no generation " + number);
    }
    requireFormat(fields);
    return GenerationSpec.decode(number, text);
  }

  /** Throws if a record is of a version that came later. */
  public static void requireFormat(Map<String, String> fields) {
    if (!FORMAT.equals(fields.get("format"))) {
      throw new RedisFilterException(
          Cause.OTHER_PARAMETERS,
          "the record of the filter has format %s, and this version reads format %s alone"
              .formatted(fields.get("format"), FORMAT));
    }
  }

  /**
   * What is known of the build that made a generation; null if it was not made by one.
   *
   * @param keys how many keys the source gave
   * @param tookMillis how long it took
   * @param atMillis when it was swapped in, by the clock of the server
   */
  public record Built(long keys, long tookMillis, long atMillis) {}

  public static @Nullable Built built(Map<String, String> fields, long number) {
    String[] words = fields.getOrDefault("built:" + number, "").split(" ", -1);
    return words.length != 3
        ? null
        : new Built(number(words[0]), number(words[1]), number(words[2]));
  }

  public static long current(Map<String, String> fields) {
    return number(fields, "current");
  }

  /** The level that a record names, or had before records named one. */
  public static String level(Map<String, String> fields) {
    return fields.getOrDefault("level", nameOf(Durability.master()));
  }

  /** A level without its patience, as the record has it. */
  public static String nameOf(Durability durability) {
    String level = durability.level().name().toLowerCase(Locale.ROOT);
    return durability.level() == Durability.Level.MASTER
        ? level
        : level + " " + durability.replicas();
  }

  /** The level that a record names. */
  public static Durability named(String name, Duration patience) {
    String[] words = name.split(" ", 2);
    int replicas = words.length == 2 ? Integer.parseInt(words[1]) : 0;
    Durability.Level level = Durability.Level.valueOf(words[0].toUpperCase(Locale.ROOT));
    return new Durability(level, replicas, patience);
  }
}
