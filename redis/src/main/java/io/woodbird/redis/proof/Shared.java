package io.woodbird.redis.proof;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.link.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one open filter share: the way to the server, and which generation is asked.
 */
public final class Shared {
  /** One process reads the record 20 times a second at most, however many answers are in doubt. */
  private static final long PAUSE_NANOS = 50_000_000;

  public final Link link;

  /** The link for callers that may block. */
  public final Steps now;

  public final Time time;
  public final String name;
  public final Meta meta;
  public final Doubts doubts;
  public final Diagnosis diagnosis;
  public final Durability durability;

  private final Map<Long, GenerationView> lives = new ConcurrentHashMap<>();
  private final AtomicLong nextRefresh;
  private final AtomicLong nextTidy;

  /** Whether the filter is built from a source: then doubt ends by a build, and only so. */
  public final boolean sourced;

  private volatile Map<String, String> record = Map.of();
  private volatile GenerationView current;

  public Shared(
      Link link,
      Time time,
      String name,
      Meta meta,
      Doubts doubts,
      Diagnosis diagnosis,
      Durability durability,
      GenerationSpec generation,
      boolean sourced) {
    this.link = link;
    this.now = link.blocking();
    this.time = time;
    this.nextRefresh = new AtomicLong(time.nanoTime());
    this.nextTidy = new AtomicLong(time.nanoTime());
    this.name = name;
    this.meta = meta;
    this.doubts = doubts;
    this.diagnosis = diagnosis;
    this.durability = durability;
    this.sourced = sourced;
    this.current = live(generation);
  }

  public GenerationView current() {
    return current;
  }

  /** The record as it was seen last. */
  public Map<String, String> record() {
    return record;
  }

  /**
   * Whether a generation may lack keys that were never put into it: nobody may deny by it. For a
   * filter that has a source, that is each that no build has made.
   */
  public boolean hollow(GenerationView live) {
    return live.generation.hollow() || (sourced && !live.built);
  }

  /** The generation with a number; the record is read when it is new to this client. */
  public GenerationView live(long number) {
    GenerationView live = lives.get(number);
    return live != null ? live : live(meta.generation(meta.read(), number));
  }

  /** The generation with a number, if this client has met it. */
  public @Nullable GenerationView known(long number) {
    return lives.get(number);
  }

  private GenerationView live(GenerationSpec generation) {
    GenerationView live = new GenerationView(name, generation);
    readLives(live);
    GenerationView known = lives.putIfAbsent(generation.number(), live);
    return known != null ? known : live;
  }

  /** Reads all headers, and learns of those that are whole in the life of their server. */
  public void readLives(GenerationView live) {
    FoundShard.all(link, live)
        .forEach(
            (shard, found) -> {
              if (found.well()) {
                live.wholeIn(shard, found.header());
              }
            });
  }

  /** What this client knows of a generation before it asks. */
  public ShardProof proof(GenerationView live) {
    return ShardProof.ofAll(live, durability.replicas());
  }

  public static byte[] bytes(@Nullable Object reply) {
    if (reply instanceof byte[] bytes) {
      return bytes;
    }
    throw new IllegalStateException("not a string: " + reply);
  }

  /** Looks which generation is current, at most every 50 ms; true if it is not {@code asked}. */
  public boolean refresh(GenerationView asked) {
    if (current != asked) {
      return true;
    }
    long now = time.nanoTime();
    long due = nextRefresh.get();
    if (now - due < 0 || !nextRefresh.compareAndSet(due, now + PAUSE_NANOS)) {
      return current != asked;
    }
    return refreshNow(asked);
  }

  /** Looks which generation is current, now. */
  public boolean refreshNow(GenerationView asked) {
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
          Trouble.gone(Command.text(meta.key) + ", the record of the filter, is gone"));
      return false;
    }
    doubts.well(meta.key);
    record = fields;
    if (number != asked.generation.number()) {
      GenerationView known = lives.get(number);
      GenerationView next = known != null ? known : live(meta.generation(fields, number));
      next.built |= Meta.built(fields, number) != null;
      readLives(next);
      current = next;
      doubts.forgetAllBut(current);
      lives.keySet().removeIf(old -> !fields.containsKey("gen:" + old));
    }
    if (current == asked && Meta.built(fields, number) != null) {
      asked.built = true;
    }
    return current != asked;
  }

  /** Whether it is time to look for an old generation whose grace is over: once a second. */
  public boolean tidyDue() {
    long now = time.nanoTime();
    long due = nextTidy.get();
    return now - due >= 0 && nextTidy.compareAndSet(due, now + 20 * PAUSE_NANOS);
  }

  /** Turns bad shards into events, and into one exception for a put. */
  public RedisFilterException failure(Map<Integer, Trouble> troubles, GenerationView live) {
    List<RedisEvent> events = new ArrayList<>();
    troubles.forEach(
        (shard, trouble) -> events.add(doubts.note(Command.text(live.keys[shard]), trouble)));
    RedisEvent first = events.get(0);
    return new RedisFilterException(
        first.cause(),
        "filter %s: the put is not known to be done: %s%s"
            .formatted(name, first.message(), Doubts.more(events.size())));
  }
}
