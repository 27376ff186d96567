package io.woodbird.filter;

import io.woodbird.FilterStats;
import io.woodbird.file.DataSource;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** A Bloom filter on the heap that forgets keys after a time, or after so many others. */
final class WindowFilter<K> extends HeapFilter<K> {
  /*
   * Keys go into the newest of eight generations. After a seventh of the window it ends and the oldest
   * becomes the newest, if all its keys have left the window: not before, or a key would be denied in
   * the window. So too many keys raise the fpp and never shorten the window.
   *
   * What the oldest generation held is cleared block by block: by the first put into a block, and by
   * every put a few blocks further on, so that none pauses. The next generation begins only when all
   * blocks are cleared. Until then a question may see keys that have left the window: "maybe".
   *
   * Putting locks the part of the filter where the key's block is. Questions lock nothing.
   *
   *   cleared[block]   the lowest bit of the generation the block was last cleared for
   */
  private static final int LOCKS = 256;

  /** The end of a generation that has not ended, or never was. */
  private static final long EMPTY = Long.MIN_VALUE;

  private final Generational layout;
  private final long span;
  private final long generationKeys;
  private final int sweepStep;
  private final WindowClock clock;
  private final HeapWords words;
  private final WindowWords bits;
  private final byte[] cleared;
  private final Object[] locks = new Object[LOCKS];

  private volatile State state; // Replaced as a whole: a question must see all of it at one moment.
  private final LongAdder filled = new LongAdder();
  private final AtomicLong sweep = new AtomicLong();
  private final AtomicLong swept = new AtomicLong();

  /** Which generations there are. */
  private static final class State {
    /** The number of the one being filled. */
    private final long newest;

    /** When it began. */
    private final long begun;

    /** When the generation of each slot ended; {@link #EMPTY} for the newest. Never changed. */
    private final long[] ends;

    /** What was last found out. Time never goes back, so that it holds until its end. */
    private Live latest = Live.UNKNOWN;

    State(long newest, long begun, long[] ends) {
      this.newest = newest;
      this.begun = begun;
      this.ends = ends;
    }

    static int slot(long number) {
      return (int) number & (Generational.COUNT - 1);
    }

    long endOfOldest() {
      return ends[slot(newest + 1)];
    }

    State next(long now) {
      long[] ended = ends.clone();
      ended[slot(newest)] = now;
      ended[slot(newest + 1)] = EMPTY;
      return new State(newest + 1, now, ended);
    }

    /** The slots whose keys may lie in the window, one bit each. */
    int live(long now, long span) {
      Live known = latest;
      if (now >= known.until) {
        known = look(now, span);
        latest = known;
      }
      return known.slots;
    }

    private Live look(long now, long span) {
      int live = 1 << slot(newest);
      long until = Long.MAX_VALUE;
      for (int slot = 0; slot < ends.length; slot++) {
        if (ends[slot] != EMPTY && (span == 0 || now - ends[slot] < span)) {
          live |= 1 << slot;
          until = span == 0 ? until : Math.min(until, ends[slot] + span);
        }
      }
      return new Live(live, until);
    }
  }

  /** The slots that count, one bit each, until a time: the next moment that one leaves. */
  private static final class Live {
    private static final Live UNKNOWN = new Live(0, Long.MIN_VALUE);

    private final int slots;
    private final long until;

    Live(int slots, long until) {
      this.slots = slots;
      this.until = until;
    }
  }

  /**
   * Makes an empty filter.
   *
   * @param span nanoseconds, 0 if only the number of keys counts
   */
  WindowFilter(Setup<K> setup, Generational layout, long span, LongSupplier nanos) {
    super(setup);
    this.layout = layout;
    this.span = span;
    this.generationKeys = Generational.generationKeys(setup.expectedKeys());
    long blocks = layout.bloom().blockCount();
    // Done when a quarter of a generation's keys have come.
    this.sweepStep = (int) (4 * blocks / generationKeys) + 1;
    this.clock = new WindowClock(nanos);
    this.words = new HeapWords(layout.wordCount());
    this.bits = new WindowWords(layout, words);
    this.cleared = new byte[Math.toIntExact(blocks)];
    long[] ends = new long[Generational.COUNT];
    Arrays.fill(ends, EMPTY);
    this.state = new State(0, 0, ends);
    this.sweep.set(blocks); // Nothing to clear yet.
    this.swept.set(blocks);
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Object();
    }
  }

  HeapWords words() {
    return words;
  }

  /** Takes over the generations of a file: how long ago each ended, which is the newest. */
  void restore(long newest, List<Long> ages) {
    long now = clock.now();
    long[] restored = new long[Generational.COUNT];
    for (int slot = 0; slot < restored.length; slot++) {
      restored[slot] = ages.get(slot) < 0 ? EMPTY : now - ages.get(slot);
    }
    restored[State.slot(newest)] = EMPTY;
    Arrays.fill(cleared, (byte) (newest & 1));
    state = new State(newest, now, restored);
    filled.add(stats(1 << State.slot(newest)).estimatedKeys());
  }

  @Override
  public boolean mightContainHash(long hash) {
    return bits.isIn(hash, state.live(clock.now(), span));
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    int live = state.live(clock.now(), span);
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        selected[kept] = i;
        kept += bits.isIn(hashes[i], live) ? 1 : 0;
      }
    }
    return kept;
  }

  @Override
  void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= bits.touch(hashes[i]);
    }
    use(touched);
  }

  @Override
  public boolean putHash(long hash) {
    long now = clock.now();
    if (isDue(state, now)) {
      beginGeneration(now);
    }
    if (sweep.get() < cleared.length) {
      sweepOn();
    }
    if (!layout.isPair()) {
      synchronized (locks[part(hash)]) {
        return putLocked(hash, hash, now);
      }
    }
    long other = BlockedBloom.other(hash);
    int first = part(hash);
    int second = part(other);
    synchronized (locks[Math.min(first, second)]) {
      synchronized (locks[Math.max(first, second)]) {
        return putLocked(hash, other, now);
      }
    }
  }

  private boolean putLocked(long hash, long other, long now) {
    boolean fresh = !bits.isIn(hash, state.live(now, span));
    long number;
    do {
      number = state.newest;
      clear(block(hash), number);
      boolean changed = set(hash, State.slot(number));
      if (other != hash) {
        clear(block(other), number);
        changed |= set(other, State.slot(number));
      }
      filled.add(changed ? 1 : 0);
    } while (number != state.newest); // It ended meanwhile: the key belongs into the next one.
    return fresh;
  }

  private int block(long hash) {
    return (int) BlockedBloom.block(hash, layout.bloom().blockCount());
  }

  private int part(long hash) {
    return block(hash) % LOCKS;
  }

  /** Sets the bits of a hash; true if one was not set. Under the lock of its block. */
  private boolean set(long hash, int slot) {
    long pattern = BlockedBloom.pattern(hash);
    boolean changed = false;
    for (int j = 0; j < layout.bloom().shape().words(); j++) {
      long word = layout.base(hash) + (long) Generational.COUNT * layout.word(pattern, j) + slot;
      long old = words.get(word);
      long mask = layout.mask(hash, pattern, j);
      if ((old & mask) != mask) {
        words.set(word, old | mask); // Whoever writes it has the lock.
        changed = true;
      }
    }
    return changed;
  }

  /** Clears a block for a generation that has begun, if that is not done. Under its lock. */
  private void clear(int block, long number) {
    byte mark = (byte) (number & 1);
    if (cleared[block] != mark && number == state.newest) {
      long base = (long) Generational.BLOCK_WORDS * block + State.slot(number);
      for (int word = 0; word < BlockedBloom.WORDS; word++) {
        words.set(base + (long) Generational.COUNT * word, 0);
      }
      cleared[block] = mark;
    }
  }

  /** Clears the next few blocks. */
  private void sweepOn() {
    long from = sweep.getAndAdd(sweepStep);
    long to = Math.min(from + sweepStep, cleared.length);
    for (long block = from; block < to; block++) {
      synchronized (locks[(int) (block % LOCKS)]) {
        // Not before now: what was claimed belongs to the generation that has begun.
        clear((int) block, state.newest);
      }
    }
    swept.addAndGet(Math.max(0, to - from));
  }

  private boolean isDue(State now, long time) {
    boolean old = span > 0 && time - now.begun >= span / (Generational.COUNT - 1);
    return (old || filled.sum() >= generationKeys) && hasLeft(now.endOfOldest(), time);
  }

  private boolean hasLeft(long end, long time) {
    return end == EMPTY || span == 0 || time - end >= span;
  }

  private synchronized void beginGeneration(long time) {
    if (isDue(state, time) && swept.get() == cleared.length) {
      filled.reset();
      state = state.next(time); // First: who claims blocks to clear must see it.
      swept.set(0);
      sweep.set(0);
    }
  }

  @Override
  public FilterStats stats() {
    return stats(state.live(clock.now(), span));
  }

  private FilterStats stats(int slots) {
    return WindowCodec.stats(layout, setup(), span, words, slots, List.of());
  }

  @Override
  Image image() {
    return new Image(WindowCodec.header(layout, setup(), span), data());
  }

  /** The words, then the state; both inverted. */
  private DataSource data() {
    State now = state;
    long time = clock.now();
    return (offset, target) -> {
      for (long word = offset / 8; target.hasRemaining(); word++) {
        long behind = word - words.count();
        target.putLong(~(behind < 0 ? words.get(word) : stateWord(now, time, (int) behind)));
      }
    };
  }

  private long stateWord(State state, long time, int index) {
    if (index == 0) {
      return state.newest;
    }
    long end = state.ends[index - 1];
    if (end == EMPTY) {
      return -1;
    }
    return span == 0 ? 0 : Math.max(0, time - end); // Without a time span, age means nothing.
  }
}
