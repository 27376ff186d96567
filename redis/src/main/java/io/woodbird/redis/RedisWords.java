package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.generations.Loads;
import io.woodbird.redis.generations.Writes;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.near.LocalCopy;
import io.woodbird.redis.proof.Checkup;
import io.woodbird.redis.proof.Reads;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What all filters in Redis share: questions, puts, statistics, files, the end of a doubt. */
abstract class RedisWords<K> implements RedisFilter<K> {
  /** Keys per round trip. */
  static final int CHUNK = 1000;

  private static final int HASHED_AT_ONCE = 128;

  final Shared shared;
  final KeyHasher<K> keys;
  final long seed;
  private final Recovery recovery;
  final Reads reads;
  final Writes writes;
  final Loads loads;
  final @Nullable LocalCopy<K> near;
  private volatile @Nullable FilterStats lastSeen;
  volatile boolean closed;

  RedisWords(Shared shared, KeyHasher<K> keys, @Nullable Duration nearLag) {
    this.shared = shared;
    this.keys = keys;
    this.seed = shared.current().generation.seed();
    this.recovery = new Recovery(shared);
    this.reads = new Reads(shared, recovery);
    this.writes = new Writes(shared, recovery);
    this.loads = new Loads(shared);
    this.near =
        nearLag == null ? null : new LocalCopy<>(shared, recovery, loads, this::spec, nearLag);
  }

  @Override
  public long hashOf(K key) {
    return keys.hash(key, seed);
  }

  @Override
  public long hashOfLong(long key) {
    return keys.hashLong(key, seed);
  }

  @Override
  public Answer ask(K key) {
    return askHash(hashOf(key));
  }

  Answer askHash(long hash) {
    Answer known = askNear(hash);
    if (known != Answer.UNKNOWN) {
      return known;
    }
    long[] hashes = {hash};
    return learned(hashes, Link.joined(answers(shared.now, hashes, 1)))[0];
  }

  /** Answers from the copy, or "unknown" if Redis must be asked. */
  Answer askNear(long hash) {
    return near == null || closed ? Answer.UNKNOWN : near.ask(hash);
  }

  /** Asks Redis, in as many calls as it takes, one after the other. */
  CompletableFuture<Answer[]> answers(Steps steps, long[] hashes, int count) {
    Answer[] answers = unknown(count);
    CompletableFuture<Boolean> silent = CompletableFuture.completedFuture(false);
    for (int from = 0; from < count; from += CHUNK) {
      int first = from;
      int to = Math.min(count, from + CHUNK);
      silent =
          silent.thenCompose(
              before ->
                  before || closed
                      ? CompletableFuture.completedFuture(true)
                      : reads.ask(steps, hashes, first, to, answers));
    }
    return silent.thenApply(done -> answers);
  }

  static Answer[] unknown(int count) {
    Answer[] answers = new Answer[count];
    Arrays.fill(answers, Answer.UNKNOWN);
    return answers;
  }

  /** Tells the copy what Redis calls "maybe". */
  Answer[] learned(long[] hashes, Answer[] answers) {
    for (int i = 0; near != null && i < answers.length; i++) {
      if (answers[i] == Answer.MAYBE_HERE) {
        near.learn(hashes, i, i + 1);
      }
    }
    return answers;
  }

  @Override
  public boolean mightContainHash(long hash) {
    return askHash(hash) != Answer.NOT_HERE;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    if (count < 0 || count > hashes.length || count > selected.length) {
      throw new IllegalArgumentException(
          "count must be from 0 to %s, the length of hashes and of selected: %s"
              .formatted(Math.min(hashes.length, selected.length), count));
    }
    if (near != null && !closed) {
      return near.candidates(hashes, count, selected, this::askRemote);
    }
    return askRemote(hashes, count, selected);
  }

  private int askRemote(long[] hashes, int count, int[] selected) {
    Answer[] answers = Link.joined(answers(shared.now, hashes, count));
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (answers[i] != Answer.NOT_HERE) {
        selected[kept++] = i;
      }
    }
    return kept;
  }

  @Override
  public List<K> candidates(Collection<? extends K> all) {
    BloomFilter<K> copy = near == null || closed ? null : near.fresh();
    if (copy != null) {
      return copy.candidates(all);
    }
    List<? extends K> list =
        all instanceof List<? extends K> given && all instanceof RandomAccess
            ? given
            : new ArrayList<>(all);
    return select(this, list, hashes(list));
  }

  /** The keys of a list that a filter does not deny. */
  static <K> List<K> select(Filter<K> filter, List<? extends K> list, long[] hashes) {
    int[] selected = new int[hashes.length];
    int kept = filter.candidates(hashes, hashes.length, selected);
    List<K> found = new ArrayList<>(kept);
    for (int i = 0; i < kept; i++) {
      found.add(list.get(selected[i]));
    }
    return found;
  }

  long[] hashes(List<? extends K> list) {
    for (Object key : list) {
      Objects.requireNonNull(key, "key");
    }
    // A few at a time, so that keys fetched into the cache are still there when they are hashed.
    long[] hashes = new long[list.size()];
    long[] some = new long[Math.min(HASHED_AT_ONCE, hashes.length)];
    for (int from = 0; from < hashes.length; from += HASHED_AT_ONCE) {
      int count = Math.min(HASHED_AT_ONCE, hashes.length - from);
      keys.hashAll(list.subList(from, from + count), seed, some);
      System.arraycopy(some, 0, hashes, from, count);
    }
    return hashes;
  }

  @Override
  public boolean putHash(long hash) {
    return putHashes(new long[] {hash}, 1) == 1;
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    return Link.joined(put(shared.now, hashes, count));
  }

  /** Puts hashes, in as many calls as it takes; completes with how many were certainly new. */
  CompletableFuture<Integer> put(Steps steps, long[] hashes, int count) {
    requireOpen();
    CompletableFuture<Integer> fresh = CompletableFuture.completedFuture(0);
    for (int from = 0; from < count; from += CHUNK) {
      int first = from;
      int to = Math.min(count, from + CHUNK);
      fresh =
          fresh.thenCompose(
              before ->
                  writes
                      .put(steps, hashes, first, to)
                      .thenApply(
                          some -> {
                            if (near != null) {
                              near.learn(
                                  hashes, first, to); // A program is not denied its own puts.
                            }
                            return before + some;
                          }));
    }
    return fresh;
  }

  @Override
  public RedisAsync<K> async() {
    return new RedisAsync<>(this);
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the filter is closed: " + shared.name);
    }
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    long[] hashes = hashes(new ArrayList<>(all));
    return putHashes(hashes, hashes.length);
  }

  FilterSpec<K> spec(GenerationSpec generation) {
    return new FilterSpec<>(keys, seed, generation.expectedKeys(), generation.fpp());
  }

  @Override
  public FilterStats stats() {
    GenerationView live = shared.current();
    FilterStats stats = look(live, !closed);
    FilterStats seen =
        new FilterStats(
            stats.layout() + ", " + live.shards() + " shards in Redis",
            stats.bits(),
            stats.expectedKeys(),
            stats.estimatedKeys(),
            stats.fill(),
            stats.promisedFpp(),
            stats.currentFpp(),
            doubts());
    lastSeen = seen;
    return seen;
  }

  /**
   * Counts what is in a generation.
   *
   * @param read whether to ask Redis at all
   */
  FilterStats look(GenerationView live, boolean read) {
    Map<Integer, Trouble> troubles = new HashMap<>();
    FilterStats stats = copy(live, read, troubles).stats();
    troubles.forEach(
        (shard, trouble) -> shared.doubts.note(Command.text(live.keys[shard]), trouble));
    return stats;
  }

  /** Why answers are unknown, as far as it was noticed. */
  public List<String> doubts() {
    List<String> lines = new ArrayList<>(shared.doubts.lines());
    if (shared.hollow(shared.current())) {
      lines.add("not built yet");
    }
    return lines;
  }

  @Override
  public long sizeInBytes() {
    return FileWriter.sizeInBytes(shared.current().generation.layout().bitCount() / 8);
  }

  @Override
  public void save(Path path) throws IOException {
    snapshot().save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    snapshot().writeTo(out);
  }

  /** Copies the filter onto the heap, whole or not at all. */
  private MutableFilter<K> snapshot() throws IOException {
    requireOpen();
    for (int attempt = 0; ; attempt++) {
      GenerationView live = shared.current();
      if (shared.hollow(live)) {
        throw new IOException("filter " + shared.name + ": it is not built yet");
      }
      Map<Integer, Trouble> troubles = new HashMap<>();
      MutableFilter<K> heap = copy(live, true, troubles);
      if (troubles.isEmpty()) {
        return heap;
      }
      Link.joined(answers(shared.now, new long[1], 1)); // Refreshes or heals what it can.
      if (attempt == 3) {
        throw new IOException(shared.failure(troubles, live).getMessage());
      }
    }
  }

  /**
   * Copies a generation onto the heap.
   *
   * @param read whether to read it at all; else the copy is empty
   * @param troubles takes the shards that could not be read or proven; the copy lacks them
   */
  MutableFilter<K> copy(GenerationView live, boolean read, Map<Integer, Trouble> troubles) {
    BloomFilter<K> heap = BloomFilters.empty(spec(live.generation), live.generation.shape(), null);
    if (read) {
      troubles.putAll(loads.read(live, BloomFilters.wordsOf(heap)));
    }
    return heap;
  }

  @Override
  public void trust() {
    requireOpen();
    shared.refreshNow(shared.current());
    if (!recovery.trust(shared.current())) {
      throw new RedisFilterException(
          Cause.UNREACHABLE,
          "filter " + shared.name + ": can't be trusted now: " + shared.doubts.lines());
    }
  }

  @Override
  public RedisHealth health() {
    requireOpen();
    return Checkup.health(shared, near == null ? -1 : near.lagMillis());
  }

  @Override
  public void close() {
    closed = true;
    if (near != null) {
      near.close();
    }
  }

  /** Says what {@link #stats} said last; this alone asks Redis nothing. */
  @Override
  public String toString() {
    FilterStats seen = lastSeen;
    return "Redis filter "
        + shared.name
        + ": "
        + (seen != null ? seen : shared.current().generation.describe());
  }
}
