package io.woodbird.redis.near;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.redis.generations.Loads;
import io.woodbird.redis.layout.CopyLog;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Life;
import io.woodbird.redis.proof.Moment;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.ShardProof;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import io.woodbird.words.HeapWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A copy of a filter on the heap that follows it. */
public final class LocalCopy<K> implements AutoCloseable {
  /*
   * Bits only ever get set, so an old copy can only miss recent puts: its "maybe" is always right.
   *
   * How it follows: spec/redis.md, "A near copy". When all went well, the copy holds every put that was
   * acknowledged before the reading began. A lag is measured from that moment, on two clocks of this
   * machine: one never leaps, but may stand still while the machine is suspended.
   */
  private static final Duration STRICT_PAUSE = Duration.ofMillis(100);

  /**
   * After all was copied, nothing is for nine times as long: a filter that is in doubt for hours,
   * or whose log is cut again and again, costs a tenth of the time at most.
   */
  private static final int REST = 9;

  /**
   * The log keeps the last thousands of puts, for a minute. A copy may take longer, so it reads the
   * log meanwhile. What it reads there it adds; a shard that comes later adds its bits to that.
   */
  private static final Duration READ_WHILE_COPYING = Duration.ofSeconds(1);

  private final Shared shared;
  private final Recovery recovery;
  private final Loads loads;
  private final Function<GenerationSpec, FilterSpec<K>> spec;
  private final long lagNanos;
  private final long pauseNanos;
  private final Time.Task task;
  private volatile @Nullable View<K> view;
  private volatile long notBefore;
  private long nextCopy;
  private volatile boolean closed;

  /** A copy of one generation, and how far it has read. */
  private static final class View<K> {
    final GenerationView live;
    final BloomFilter<K> heap;
    final ShardProof proof;
    final long[] births;
    final long logLife;
    CopyLog.Entry last;
    boolean outdated;
    volatile Moment asOf;

    View(
        GenerationView live,
        BloomFilter<K> heap,
        ShardProof proof,
        long[] births,
        long logLife,
        CopyLog.Entry last,
        Moment asOf) {
      this.live = live;
      this.heap = heap;
      this.proof = proof;
      this.births = births;
      this.logLife = logLife;
      this.last = last;
      this.asOf = asOf;
    }
  }

  /** Asks Redis. */
  public interface Remote {
    int candidates(long[] hashes, int count, int[] selected);
  }

  public LocalCopy(
      Shared shared,
      Recovery recovery,
      Loads loads,
      Function<GenerationSpec, FilterSpec<K>> spec,
      Duration lag) {
    this.shared = shared;
    this.notBefore = shared.time.nanoTime();
    this.nextCopy = notBefore;
    this.recovery = recovery;
    this.loads = loads;
    this.spec = spec;
    this.lagNanos = lag.toNanos();
    this.pauseNanos =
        lagNanos == 0 ? STRICT_PAUSE.toNanos() : Math.min(STRICT_PAUSE.toNanos(), lagNanos / 4);
    follow(true); // The first copy is made before the filter is opened, if it can be.
    this.task = shared.time.repeat("woodbird-near-" + shared.name, pauseNanos, () -> follow(false));
  }

  /** Answers from the copy, or "unknown" if Redis must be asked. */
  public Answer ask(long hash) {
    View<K> now = view;
    if (now == null) {
      return Answer.UNKNOWN;
    }
    // The clock first: a bit that is clear after it was clear when the copy was that young.
    boolean fresh = fresh(now);
    if (now.heap.mightContainHash(hash)) {
      return Answer.MAYBE_HERE;
    }
    return fresh ? Answer.NOT_HERE : Answer.UNKNOWN;
  }

  private boolean fresh(View<K> now) {
    Moment asOf = now.asOf;
    return lagNanos > 0
        && !shared.hollow(now.live)
        && asOf.nanos() - notBefore >= 0
        && asOf.isWithin(lagNanos, shared.time);
  }

  /** Lets Redis be asked until the copy has read what is there now. */
  public void readAnew() {
    notBefore = shared.time.nanoTime();
  }

  /** The copy, if it may answer "not here" now; else null. */
  public @Nullable BloomFilter<K> fresh() {
    View<K> now = view;
    return now != null && fresh(now) ? now.heap : null;
  }

  /** Notes hashes that Redis calls "maybe", or that this client has just put. */
  public void learn(long[] hashes, int from, int to) {
    View<K> now = view;
    if (now != null) {
      for (int i = from; i < to; i++) {
        now.heap.putHash(hashes[i]);
      }
    }
  }

  public int candidates(long[] hashes, int count, int[] selected, Remote remote) {
    View<K> now = view;
    if (now == null) {
      return remote.candidates(hashes, count, selected);
    }
    boolean fresh = fresh(now);
    int kept = now.heap.candidates(hashes, count, selected);
    if (fresh || kept == count) {
      return kept;
    }
    BitSet here = new BitSet(count);
    Arrays.stream(selected, 0, kept).forEach(here::set);
    int[] open = IntStream.range(0, count).filter(i -> !here.get(i)).toArray();
    int[] found = new int[open.length];
    long[] asked = Arrays.stream(open).mapToLong(i -> hashes[i]).toArray();
    int more = remote.candidates(asked, open.length, found);
    Arrays.stream(found, 0, more).forEach(i -> here.set(open[i]));
    int[] all = here.stream().toArray();
    System.arraycopy(all, 0, selected, 0, all.length);
    return all.length;
  }

  public long lagMillis() {
    View<K> now = view;
    return now == null ? -1 : (shared.time.nanoTime() - now.asOf.nanos()) / 1_000_000;
  }

  /** One step after the filter; returns the pause before the next. */
  private long follow(boolean first) {
    if (closed || shared.link.closed()) {
      return -1;
    }
    boolean more = false;
    try {
      View<K> now = view;
      if (now == null || now.outdated || now.live != shared.current()) {
        copyAgain(first);
      } else {
        more = read(now);
      }
    } catch (RuntimeException e) {
      // The copy grows old, and Redis is asked; what is wrong is noticed there.
      shared.refresh(shared.current());
    }
    return more ? 0 : pauseNanos;
  }

  private void copyAgain(boolean first) {
    long begun = shared.time.nanoTime();
    if (begun - nextCopy < 0) {
      return;
    }
    try {
      View<K> next = copy(shared.current());
      if (next != null) {
        if (!first) {
          readAnew(); // What this client has put meanwhile was learnt by the old copy.
        }
        view = next;
      }
    } finally {
      long ended = shared.time.nanoTime();
      nextCopy = ended + REST * (ended - begun);
    }
  }

  /** Copies a generation, or returns null if it can't be proven now. */
  private @Nullable View<K> copy(GenerationView live) {
    ShardProof proof = shared.proof(live);
    Moment asOf = Moment.now(shared.time);
    byte[] mark = ShardHeader.bytes(shared.time.random());
    Link.Replies begun = shared.link.run(List.of(CopyLog.mark(live, mark)), List.of(Life.ASK));
    CopyLog.Entry last = CopyLog.marked(begun.all().get(0), mark);
    long logLife = Life.last(begun.after().get(0)).id();
    if (last == null || logLife == 0) {
      return null;
    }
    List<Command> commands = new ArrayList<>();
    long token = shared.time.random() & 0xffff_ffffL;
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(CopyLog.follow(live, shard, token));
    }
    for (Object reply : shared.link.run(commands)) {
      if (!(reply instanceof Long done) || done != 1) {
        return null;
      }
    }
    long[] births = births(live);
    BloomFilter<K> heap =
        BloomFilters.empty(spec.apply(live.generation), live.generation.shape(), null);
    if (births == null) {
      return null;
    }
    View<K> next = new View<>(live, heap, proof, births, logLife, last, asOf);
    HeapWords words = BloomFilters.wordsOf(heap);
    long[] lastRead = {shared.time.nanoTime()};
    Map<Integer, Trouble> troubles =
        loads.read(
            live,
            (shard, body, header, millis) -> {
              Loads.fill(live.generation, shard, body, words);
              if (shared.time.nanoTime() - lastRead[0] > READ_WHILE_COPYING.toNanos()) {
                readAll(next);
                lastRead[0] = shared.time.nanoTime();
              }
            });
    return troubles.isEmpty() && !next.outdated ? next : null;
  }

  /** Reads the log to its end, unless writers are faster. */
  private void readAll(View<K> now) {
    for (int i = 0; i < 10 && !now.outdated && read(now); i++) {}
  }

  private long @Nullable [] births(GenerationView live) {
    List<FoundShard> all = FoundShard.all(shared.link, live);
    return all.stream().allMatch(FoundShard::isThere)
        ? all.stream().mapToLong(shard -> shard.header().birth()).toArray()
        : null;
  }

  /** Reads the log on; true if there is more to do at once. */
  private boolean read(View<K> now) {
    GenerationView live = now.live;
    List<Command> commands = new ArrayList<>();
    commands.add(CopyLog.read(live, now.last));
    commands.addAll(live.headers());
    commands.add(CopyLog.keep(live));
    shared.heard.renewAll(live);
    Moment start = Moment.now(shared.time);
    Link.Replies replies = shared.link.run(commands, List.of(Life.ASK));
    Object log = replies.all().get(0);
    Life logLife = Life.last(replies.after().get(0));
    if (log instanceof RedisError || logLife.id() == 0) {
      return false;
    }
    boolean proven = true;
    for (int shard = 0; shard < live.shards(); shard++) {
      int at = 1 + shard;
      FoundShard found = now.proof.judge(shard, replies, at);
      if (found.trouble() != null) {
        proven = false;
        settle(live, found.trouble());
      } else {
        ShardHeader header = found.header();
        now.outdated |= !header.followed() || header.birth() != now.births[shard];
      }
      // What was put between two lives may be in no log.
      now.outdated |= now.proof.life(shard) != live.lives.get(shard);
    }
    now.outdated |= logLife.id() != now.logLife;
    if (now.outdated || !(log instanceof List<?> entries) || !take(now, entries)) {
      now.outdated = true;
      return true;
    }
    if (proven && !CopyLog.full(entries)) {
      now.asOf = start;
    }
    return CopyLog.full(entries);
  }

  private void settle(GenerationView live, Trouble trouble) {
    if (trouble.kind() == Trouble.Kind.RETIRED) {
      shared.refreshNow(live);
    } else if (trouble.kind() == Trouble.Kind.NEW_LIFE || trouble.kind() == Trouble.Kind.DOUBT) {
      recovery.attempt(live);
    }
  }

  /** Takes the entries of the log; false if all must be copied again. */
  private static boolean take(View<?> now, List<?> entries) {
    if (entries.isEmpty() || !now.last.equals(CopyLog.Entry.of(entries.get(0)))) {
      return false;
    }
    for (Object reply : entries.subList(1, entries.size())) {
      CopyLog.Entry entry = CopyLog.Entry.of(reply);
      if (entry == null || entry.reloads()) {
        return false;
      }
      for (long hash : entry.hashes()) {
        now.heap.putHash(hash);
      }
      now.last = entry;
    }
    return true;
  }

  @Override
  public void close() {
    closed = true;
    view = null;
    task.stop();
  }
}
