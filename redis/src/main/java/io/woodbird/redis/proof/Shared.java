package io.woodbird.redis.proof;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.link.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
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
  public volatile Durability durability;
  public final Heard heard;
  public final Confirmation confirmation;

  private final Map<Long, GenerationView> lives = new ConcurrentHashMap<>();
  private final AtomicLong nextRefresh;
  private final AtomicLong nextTidy;

  /** Whether the filter is built from a source: then doubt ends by a build, and only so. */
  public final boolean sourced;

  /** As the filter was opened: hashes are computed by it. */
  private final GenerationSpec opened;

  /** When this client first met each life of a server, as the number of lives that it had met. */
  private final Map<Long, Long> firstMet = new ConcurrentHashMap<>();

  private final AtomicLong met = new AtomicLong();

  private volatile Map<String, String> record = Map.of();
  private volatile GenerationView current;

  public Shared(
      Link link,
      Time time,
      Consumer<RedisEvent> listener,
      String name,
      Durability durability,
      GenerationSpec generation,
      boolean sourced) {
    this.link = link;
    this.now = link.blocking();
    this.time = time;
    this.nextRefresh = new AtomicLong(time.nanoTime());
    this.nextTidy = new AtomicLong(time.nanoTime());
    this.name = name;
    this.meta = new Meta(link, name);
    this.diagnosis = new Diagnosis(link);
    this.doubts = new Doubts(name, listener, diagnosis);
    this.durability = durability;
    this.heard = new Heard(this);
    this.confirmation = new Confirmation(this);
    this.sourced = sourced;
    this.opened = generation;
    this.current = view(generation);
  }

  /** Takes over what was found when the filter was opened once more: it was made again. */
  public void become(Shared opened) {
    doubts.forgetAll();
    diagnosis.become(opened.diagnosis);
    durability = opened.durability;
    record = opened.record;
    lives.clear();
    lives.putAll(opened.lives);
    current = opened.current;
    nextRefresh.set(opened.nextRefresh.get());
    nextTidy.set(opened.nextTidy.get());
  }

  /** A moment for {@link #knew}. */
  public long moment() {
    return met.get();
  }

  /** Whether this client had met a life of a server before a moment. From now on it has. */
  public boolean knew(long life, long moment) {
    return firstMet.computeIfAbsent(life, first -> met.incrementAndGet()) <= moment;
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

  /**
   * The generation with a number, as a record has it. A record that came back older, or was made
   * again, may give the number of a generation that this client has met to another one.
   */
  public GenerationView live(Map<String, String> fields, long number) {
    requireSameLevel(fields);
    return view(meta.generation(fields, number));
  }

  /** The generation with a number, if this client has met it; the record may have another. */
  public @Nullable GenerationView known(long number) {
    return lives.get(number);
  }

  private GenerationView view(GenerationSpec generation) {
    GenerationView known = lives.get(generation.number());
    if (known != null && known.generation.equals(generation)) {
      return known;
    }
    requireSameHashes(generation);
    GenerationView live = new GenerationView(name, generation);
    readLives(live);
    boolean taken =
        known == null
            ? lives.putIfAbsent(generation.number(), live) == null
            : lives.replace(generation.number(), known, live);
    return taken ? live : view(generation); // Another thread was faster.
  }

  /** Another filter may have the name by now: who may vouch for it depends on its own level. */
  private void requireSameLevel(Map<String, String> fields) {
    String level = Meta.level(fields);
    String mine = Meta.nameOf(durability);
    if (!level.equals(mine)) {
      throw new RedisFilterException(
          RedisEvent.Cause.OTHER_PARAMETERS,
          "another filter has the name %s now, with the durability %s; this one had %s"
              .formatted(name, level, mine));
    }
  }

  /** Another filter may have the name by now: hashes of this one would find nothing in it. */
  private void requireSameHashes(GenerationSpec generation) {
    if (generation.seed() != opened.seed()
        || !generation.keyId().equals(opened.keyId())
        || generation.cellBits() != opened.cellBits()
        || generation.spanMillis() != opened.spanMillis()
        || generation.grows() != opened.grows()) {
      throw new RedisFilterException(
          RedisEvent.Cause.OTHER_PARAMETERS,
          "another filter has the name %s now, with %s; this one had %s"
              .formatted(name, generation.describe(), opened.describe()));
    }
  }

  /**
   * Reads all headers, and learns of those that are whole in a life that is new here. In a life
   * that is known, the count of puts that was seen stays: what has fewer came back older.
   */
  public void readLives(GenerationView live) {
    List<FoundShard> all = FoundShard.all(link, live);
    for (int shard = 0; shard < all.size(); shard++) {
      FoundShard found = all.get(shard);
      long life = found.life().id();
      boolean unused = life != 0 && knew(life, 0); // The next write need not be sent twice.
      if (found.well() && life != live.lives.get(shard)) {
        unused = live.wholeIn(shard, found.header());
      }
    }
  }

  /** What this client knows of a generation before it asks. */
  public ShardProof proof(GenerationView live) {
    return ShardProof.ofAll(live, heard);
  }

  /**
   * Whether a shard says that it is whole in another life than its server's, and takes puts that
   * nobody confirms. A slot may move away from a server and, when some of these are lost, back to
   * it: then it would be believed.
   */
  public boolean saysTooMuch(ShardHeader header, long life) {
    return durability.level() == Durability.Level.MASTER && header.whole() && header.life() != life;
  }

  /**
   * Ends what shards say of a life that is not their server's. A write is not done before.
   *
   * @param lives for each shard, the life that its header names
   * @return the shards that could not be reached
   */
  public Map<Integer, Trouble> unvouch(GenerationView live, Map<Integer, Long> lives) {
    List<Command> commands = new ArrayList<>();
    lives.forEach((shard, life) -> commands.add(live.unvouch(shard, life)));
    List<@Nullable Object> replies = link.run(commands);
    Map<Integer, Trouble> troubles = new HashMap<>();
    int at = 0;
    for (int shard : lives.keySet()) {
      if (replies.get(at++) instanceof RedisError error) {
        troubles.put(shard, Trouble.of(error, Command.text(live.keys[shard])));
      }
    }
    return troubles;
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
    GenerationView next;
    try {
      fields = meta.read();
      if (Meta.current(fields) == 0) {
        doubts.note(
            Command.text(meta.key),
            Trouble.gone(Command.text(meta.key) + ", the record of the filter, is gone"));
        return false;
      }
      next = live(fields, Meta.current(fields));
      next.built |= Meta.built(fields, next.generation.number()) != null;
    } catch (RedisFilterException e) {
      doubts.tell(e.reason(), "" + e.getMessage());
      return false;
    }
    doubts.well(meta.key);
    record = fields;
    if (next != asked) {
      readLives(next);
      current = next;
      doubts.forgetAllBut(current);
      lives.keySet().removeIf(old -> !fields.containsKey("gen:" + old));
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
