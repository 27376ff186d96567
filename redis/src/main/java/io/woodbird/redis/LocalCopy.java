package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A copy of a filter on the heap that follows it. */
final class LocalCopy<K> implements AutoCloseable {
  /*
   * Bits only ever get set, so an old copy can only miss recent puts: its "maybe" is always right.
   *
   * A bit in the header of each shard asks writers to add every put to the shard's log, a stream,
   * before they acknowledge it. The copy is made after that bit is set. A thread reads the logs on,
   * each from the entry it saw last, that entry included: if it is not there any more, the log was
   * cut and the shard is copied again. After the logs it reads the headers, which prove the shards as
   * for any question. When all went well, the copy holds every put that was acknowledged before the
   * reading began: that moment, on the clock of this process, is what a lag is measured from.
   */
  private static final int ENTRIES = 1000;

  /** A log ends so long after its last reader. */
  private static final long LOG_MILLIS = 60_000;

  private static final Duration STRICT_PAUSE = Duration.ofMillis(100);

  private final Shared shared;
  private final Recovery recovery;
  private final Loads loads;
  private final Function<Generation, FilterSpec<K>> spec;
  private final long lagNanos;
  private final long pauseNanos;
  private final Time.Task task;
  private volatile @Nullable View<K> view;
  private volatile long notBefore;
  private volatile boolean closed;

  /** A copy of one generation, and how far it has read. */
  private static final class View<K> {
    final GenerationView live;
    final BloomFilter<K> heap;
    final byte[][] last;
    final long[] lives;
    volatile long asOf;

    View(GenerationView live, long[] lives, BloomFilter<K> heap, byte[][] last, long asOf) {
      this.lives = lives;
      this.live = live;
      this.heap = heap;
      this.last = last;
      this.asOf = asOf;
    }
  }

  /** Asks Redis. */
  interface Remote {
    int candidates(long[] hashes, int count, int[] selected);
  }

  LocalCopy(
      Shared shared,
      Recovery recovery,
      Loads loads,
      Function<Generation, FilterSpec<K>> spec,
      Duration lag) {
    this.shared = shared;
    this.notBefore = shared.time.nanoTime();
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
  Answer ask(long hash) {
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
    long asOf = now.asOf;
    return lagNanos > 0
        && !shared.hollow(now.live)
        && asOf - notBefore >= 0
        && shared.time.nanoTime() - asOf <= lagNanos;
  }

  /** Lets Redis be asked until the copy has read what is there now. */
  void readAnew() {
    notBefore = shared.time.nanoTime();
  }

  /** The copy, if it may answer "not here" now; else null. */
  @Nullable BloomFilter<K> fresh() {
    View<K> now = view;
    return now != null && fresh(now) ? now.heap : null;
  }

  /** Notes hashes that Redis calls "maybe", or that this client has just put. */
  void learn(long[] hashes, int from, int to) {
    View<K> now = view;
    if (now != null) {
      for (int i = from; i < to; i++) {
        now.heap.putHash(hashes[i]);
      }
    }
  }

  int candidates(long[] hashes, int count, int[] selected, Remote remote) {
    View<K> now = view;
    if (now == null) {
      return remote.candidates(hashes, count, selected);
    }
    boolean fresh = fresh(now);
    int kept = now.heap.candidates(hashes, count, selected);
    if (fresh || kept == count) {
      return kept;
    }
    int[] here = Arrays.copyOf(selected, kept);
    int[] index = new int[count - kept];
    long[] open = new long[count - kept];
    int opened = 0;
    for (int i = 0, at = 0; i < count; i++) {
      if (at < kept && here[at] == i) {
        at++;
      } else {
        index[opened] = i;
        open[opened++] = hashes[i];
      }
    }
    int[] found = new int[opened];
    int more = remote.candidates(open, opened, found);
    for (int i = 0; i < more; i++) {
      selected[kept + i] = index[found[i]];
    }
    Arrays.sort(selected, 0, kept + more);
    return kept + more;
  }

  long lagMillis() {
    View<K> now = view;
    return now == null ? -1 : (shared.time.nanoTime() - now.asOf) / 1_000_000;
  }

  /** One step after the filter; returns the pause before the next. */
  private long follow(boolean first) {
    if (closed || shared.link.closed()) {
      return -1;
    }
    boolean more = false;
    try {
      View<K> now = view;
      if (now == null || now.live != shared.current()) {
        View<K> next = copy(shared.current());
        if (!first) {
          readAnew(); // What this client has put meanwhile was learnt by the old copy.
        }
        view = next;
      } else {
        more = read(now);
      }
    } catch (RuntimeException e) {
      // The copy grows old, and Redis is asked; what is wrong is noticed there.
      shared.refresh(shared.current());
    }
    return more ? 0 : pauseNanos;
  }

  /** Copies a generation, or returns null if it can't be proven now. */
  private @Nullable View<K> copy(GenerationView live) {
    byte[][] last = new byte[live.shards()][];
    long[] lives = new long[live.shards()];
    Arrays.setAll(lives, live.lives::get);
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(mark(live, shard));
    }
    long asOf = shared.time.nanoTime();
    List<@Nullable Object> marks = shared.link.run(commands);
    for (int shard = 0; shard < live.shards(); shard++) {
      if (!(marks.get(shard) instanceof byte[] id)) {
        return null;
      }
      last[shard] = id;
    }
    BloomFilter<K> heap =
        BloomFilters.empty(spec.apply(live.generation), live.generation.shape(), null);
    return loads.read(live, BloomFilters.wordsOf(heap)).isEmpty()
        ? new View<>(live, lives, heap, last, asOf)
        : null;
  }

  private static Command mark(GenerationView live, int shard) {
    return Script.FEED.on2(
        live.keys[shard], live.log(shard), ShardHeader.bytes(live.identities[shard]));
  }

  /** Reads the logs on; true if there is more to read at once. */
  private boolean read(View<K> now) {
    GenerationView live = now.live;
    int shards = live.shards();
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      commands.add(
          Command.of(
              Command.Name.XRANGE,
              live.log(shard),
              now.last[shard],
              Command.bytes("+"),
              Command.bytes("COUNT"),
              Command.bytes(ENTRIES)));
    }
    for (int shard = 0; shard < shards; shard++) {
      commands.add(live.header(shard));
    }
    for (int shard = 0; shard < shards; shard++) {
      if (now.lives[shard] != live.lives.get(shard)) {
        view = null; // What was put in between may be in no log: all is copied again.
        return true;
      }
      commands.add(Command.of(Command.Name.PEXPIRE, live.log(shard), Command.bytes(LOG_MILLIS)));
    }
    long start = shared.time.nanoTime();
    Link.Replies replies = shared.link.run(commands, List.of(Life.ASK));
    boolean proven = true;
    boolean more = false;
    for (int shard = 0; shard < shards; shard++) {
      int at = shards + shard;
      Trouble trouble =
          Trouble.of(
              replies.all().get(at),
              replies.after().get(at),
              live,
              shard,
              now.lives[shard],
              0,
              shared.durability.replicas());
      if (trouble != null) {
        proven = false;
        settle(live, trouble);
        continue;
      }
      int entries = take(now, shard, replies.all().get(shard));
      proven &= entries >= 0 && entries < ENTRIES;
      more |= entries == ENTRIES;
    }
    if (proven) {
      now.asOf = start;
    }
    return more;
  }

  private void settle(GenerationView live, Trouble trouble) {
    if (trouble.kind() == Trouble.Kind.RETIRED) {
      shared.refreshNow(live);
    } else if (trouble.kind() == Trouble.Kind.NEW_LIFE || trouble.kind() == Trouble.Kind.DOUBT) {
      recovery.attempt(live);
    }
  }

  /** Takes the entries of a log; returns how many, or -1 if the shard must be copied again. */
  private int take(View<K> now, int shard, @Nullable Object reply) {
    if (!(reply instanceof List<?> entries)
        || entries.isEmpty()
        || !Arrays.equals(now.last[shard], id(entries.get(0)))) {
      copyAgain(now, shard);
      return -1;
    }
    for (Object entry : entries.subList(1, entries.size())) {
      byte[] id = id(entry);
      List<?> pair =
          entry instanceof List<?> parts && parts.get(1) instanceof List<?> p ? p : List.of();
      if (id == null || pair.size() != 2 || !(pair.get(0) instanceof byte[] kind)) {
        copyAgain(now, shard);
        return -1;
      }
      if (kind.length == 1 && kind[0] == 'r') {
        copyAgain(now, shard);
        return -1;
      }
      if (kind.length == 1 && kind[0] == 'd' && pair.get(1) instanceof byte[] packed) {
        ByteBuffer hashes = ByteBuffer.wrap(packed);
        while (hashes.remaining() >= 8) {
          now.heap.putHash(hashes.getLong());
        }
      }
      now.last[shard] = id;
    }
    return entries.size();
  }

  private static byte @Nullable [] id(Object entry) {
    return entry instanceof List<?> parts && parts.get(0) instanceof byte[] id ? id : null;
  }

  /** Copies one shard again, after a new mark in its log. */
  private void copyAgain(View<K> now, int shard) {
    GenerationView live = now.live;
    Object mark = shared.link.run(mark(live, shard));
    Object value =
        shared.link.run(
            Command.getRange(live.keys[shard], ShardHeader.BYTES, live.generation.bytesIn(shard)));
    if (!(mark instanceof byte[] id)
        || !(value instanceof byte[] bytes)
        || bytes.length != live.generation.bytesIn(shard) - ShardHeader.BYTES) {
      return; // The next reading says what is wrong.
    }
    HeapWords words = BloomFilters.wordsOf(now.heap);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long word = shard * live.generation.shardBlocks() * 8;
    while (in.hasRemaining()) {
      words.setBits(HeapWords.index(word++), in.getLong());
    }
    now.last[shard] = id;
  }

  @Override
  public void close() {
    closed = true;
    view = null;
    task.stop();
  }
}
