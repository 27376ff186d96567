package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one open filter share: the way to the server, and which generation is asked.
 */
final class Shared {
  private static final long PAUSE_NANOS = 50_000_000;

  final Link link;
  final String name;
  final Meta meta;
  final Doubts doubts;
  final Diagnosis diagnosis;
  final Durability durability;

  /** How long a call may take. */
  final Duration timeout;

  final PutJournal journal;

  /** Names this writer in the record. */
  final String id;

  private final Map<Long, Live> lives = new ConcurrentHashMap<>();
  private final AtomicLong nextRefresh = new AtomicLong(System.nanoTime());
  private final AtomicLong nextTidy = new AtomicLong(System.nanoTime());
  private final boolean sourced;
  private volatile Map<String, String> record = Map.of();
  private volatile Live current;

  Shared(
      Link link,
      String name,
      Meta meta,
      Doubts doubts,
      Diagnosis diagnosis,
      Durability durability,
      Duration timeout,
      int journalKeys,
      String id,
      Generation generation,
      boolean sourced) {
    this.link = link;
    this.name = name;
    this.meta = meta;
    this.doubts = doubts;
    this.diagnosis = diagnosis;
    this.durability = durability;
    this.timeout = timeout;
    this.journal = new PutJournal(journalKeys);
    this.id = id;
    this.sourced = sourced;
    this.current = live(generation);
  }

  Live current() {
    return current;
  }

  /** The record as it was seen last. */
  Map<String, String> record() {
    return record;
  }

  /**
   * Whether a generation may lack keys that were never put into it: nobody may deny by it. For a
   * filter that has a source, that is each that no build has made.
   */
  boolean hollow(Live live) {
    return live.generation.hollow() || (sourced && !live.built);
  }

  /** The generation with a number; the record is read when it is new to this client. */
  Live live(long number) {
    Live live = lives.get(number);
    return live != null ? live : live(meta.generation(meta.read(), number));
  }

  private Live live(Generation generation) {
    Live live = new Live(name, generation);
    readTokens(live);
    Live known = lives.putIfAbsent(generation.number(), live);
    return known != null ? known : live;
  }

  /** Reads all headers, and learns tokens and counts from those that are right. */
  void readTokens(Live live) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(live.plainHeader(shard));
    }
    List<@Nullable Object> replies = link.run(commands, null).all();
    for (int shard = 0; shard < live.shards(); shard++) {
      Trouble trouble = Trouble.of(replies.get(shard), live, shard, 0, 0);
      if (trouble == null || trouble.kind() == Trouble.Kind.RETIRED) {
        ShardHeader header = ShardHeader.decode(bytes(replies.get(shard)));
        live.tokens.set(shard, header.token());
        live.sawPuts(shard, header.puts());
      }
    }
  }

  static byte[] bytes(@Nullable Object reply) {
    if (reply instanceof byte[] bytes) {
      return bytes;
    }
    throw new IllegalStateException("not a string: " + reply);
  }

  /**
   * Looks which generation is current, at most every 50 ms.
   *
   * @return whether it is another one than {@code asked}
   */
  boolean refresh(Live asked) {
    if (current != asked) {
      return true;
    }
    long now = System.nanoTime();
    long due = nextRefresh.get();
    if (now - due < 0 || !nextRefresh.compareAndSet(due, now + PAUSE_NANOS)) {
      return current != asked;
    }
    return refreshNow(asked);
  }

  /** Looks which generation is current, now. */
  boolean refreshNow(Live asked) {
    Map<String, String> fields;
    try {
      fields = meta.read();
    } catch (RedisFilterException e) {
      doubts.tell(e.reason(), "" + e.getMessage());
      return false;
    }
    long number = Meta.current(fields);
    if (number == 0) {
      doubts.note(
          Command.text(meta.key),
          new Trouble(
              Trouble.Kind.GONE,
              Cause.DELETED,
              Command.text(meta.key) + ", the record of the filter, is gone"));
      return false;
    }
    doubts.well(meta.key);
    record = fields;
    if (number != asked.generation.number()) {
      Live known = lives.get(number);
      Live next = known != null ? known : live(meta.generation(fields, number));
      next.built |= Meta.built(fields, number) != null;
      current = next;
      journal.goOnWith(current.puts);
      doubts.forgetAllBut(current);
      lives.keySet().removeIf(old -> !fields.containsKey("gen:" + old));
    }
    if (current == asked && Meta.built(fields, number) != null) {
      asked.built = true;
    }
    return current != asked;
  }

  /** Whether it is time to look for an old generation whose grace is over: once a second. */
  boolean tidyDue() {
    long now = System.nanoTime();
    long due = nextTidy.get();
    return now - due >= 0 && nextTidy.compareAndSet(due, now + 20 * PAUSE_NANOS);
  }

  /** Turns bad shards into events, and into one exception for a put. */
  RedisFilterException failure(Map<Integer, Trouble> troubles, Live live) {
    Map<Integer, RedisEvent> events = new HashMap<>();
    troubles.forEach(
        (shard, trouble) ->
            events.put(shard, doubts.note(Command.text(live.keys[shard]), trouble)));
    RedisEvent first = events.values().iterator().next();
    return new RedisFilterException(
        first.cause(),
        "filter "
            + name
            + ": the put is not known to be done: "
            + first.message()
            + (events.size() == 1 ? "" : " (and " + (events.size() - 1) + " more shards)"));
  }
}
