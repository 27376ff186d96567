package io.woodbird.filter.window;

import io.woodbird.FilterStats;
import io.woodbird.file.DataSource;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A Bloom filter on the heap that forgets keys after a time, or after so many others. */
public class WindowFilter<K> extends HeapFilter<K> {
  /*
   * Keys go into the newest of eight generations, each in its slot. When the newest has ended, the
   * slot of the oldest is cleared for the next. What must be remembered is said at
   * WindowBuilder.build; this is why it is. A state is the list of generations at one moment.
   *
   * Clearing. A slot is cleared block by block: by the first put into a block, and by every put a few
   * blocks further on, so that none pauses. Every clear takes the lock of its block, and the next
   * generation begins only when all blocks are cleared. So while generation g is the newest, nothing
   * is cleared but what g - 8 left in the slot of g, and a thread that holds the lock of a block sees
   * at most one generation begin.
   *
   * Time. A generation may be cleared when its end is the whole span ago. Its end is read from the
   * clock after the next state is visible. A put loads the state and writes into its newest
   * generation, even if that has just ended. So the put was called before the next state was
   * visible, and before the end. Until the clock is read the end is open, and the generation counts.
   *
   * Number of keys. A put leaves a key alone if one of the newest four generations has it. So four
   * generations in a row share no key, and as each takes a quarter of the keys, four of them are as
   * many distinct keys as are promised. A key found in j, with j + 3 the newest at most, is cleared
   * when j + 8 begins: then j + 4 to j + 7 have been filled since the put was called. A false positive is found as long
   * as the bits that caused it, so it may be left alone like the key itself. The price is room for
   * twice the keys; put again into every newest generation, a few busy keys would fill them all.
   *
   * Questions lock nothing. One that finds no generation with the key looks whether the newest is
   * still the same: then nothing it had to see was cleared between its reads. Otherwise the key may
   * have been put into a slot that had been read, and cleared from one that had not, so it asks
   * again.
   *
   * Saving holds off the next generation and copies block by block, so that a file is written from
   * one state at any speed, and holds no block of g that was not cleared. Time is read before.
   *
   *   cleared[block]   the lowest bit of the generation the block was last cleared for
   */
  private static final int MOST_LOCKS = 256;

  private final Generational layout;
  private final long span;
  private final WindowState.Rules rules;
  private final int sweepStep;
  private final WindowClock clock;
  private final HeapWords words;
  private final WindowWords bits;
  private final byte[] cleared;
  private final Object[] locks;

  private volatile WindowState state; // Written under turning.
  private final ReentrantLock turning = new ReentrantLock();
  private final AtomicLong sweep = new AtomicLong();
  private final AtomicLong swept = new AtomicLong();

  /**
   * Makes an empty filter.
   *
   * @param span nanoseconds, 0 if only the number of keys counts
   */
  public WindowFilter(FilterSpec<K> spec, Generational layout, long span, LongSupplier nanos) {
    super(spec);
    this.layout = layout;
    this.span = span;
    this.rules = WindowState.Rules.of(span, spec.expectedKeys());
    this.state = WindowState.first(rules);
    long blocks = layout.bloom().blockCount();
    // Done when a quarter of a generation's keys have come.
    this.sweepStep = (int) (4 * blocks / rules.generationKeys()) + 1;
    this.clock = new WindowClock(nanos);
    this.words = new HeapWords(layout.wordCount());
    this.bits = new WindowWords(layout, read(words));
    this.cleared = new byte[Math.toIntExact(blocks)];
    this.sweep.set(blocks); // Nothing to clear yet.
    this.swept.set(blocks);
    this.locks = new Object[Integer.highestOneBit(Math.min(cleared.length, MOST_LOCKS))];
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Object();
    }
  }

  HeapWords words() {
    return words;
  }

  /** The words as questions read them. Tests let a thread stop between two of them. */
  WordSource read(HeapWords all) {
    return all;
  }

  /** Does nothing. Tests let a thread stop here. */
  void step() {}

  /** Takes over the generations of a file: how long ago each ended, which is the newest. */
  void restore(long newest, List<Long> ages) {
    Arrays.fill(cleared, (byte) (newest & 1));
    state =
        WindowState.restored(
            rules, newest, ages, keysAtLeast(WindowState.slot(newest)), clock.mark());
  }

  /** How many distinct keys a generation has, at least: none sets more bits than its shape has. */
  private long keysAtLeast(int slot) {
    // Three quarters of them at the usual fill. An estimate could be too high, and the generation
    // would end before its time.
    BlockShape shape = layout.bloom().shape();
    long set = 0;
    for (long word = slot; word < words.count(); word += Generational.COUNT) {
      set += Long.bitCount(words.get(word));
    }
    return set / ((long) shape.blocks() * shape.words() * shape.bits());
  }

  private long now() {
    return span == 0 ? 0 : clock.now();
  }

  @Override
  public boolean mightContainHash(long hash) {
    long now = now();
    WindowState asked = state;
    while (!bits.isIn(hash, asked.live(now))) {
      VarHandle.acquireFence(); // The words were read before the state is.
      WindowState then = state;
      if (then.newest() == asked.newest()) {
        return false;
      }
      asked = then;
    }
    return true;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    long now = now();
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      WindowState asked;
      int found;
      do {
        asked = state;
        int live = asked.live(now);
        found = kept;
        for (int i = from; i < to; i++) {
          selected[found] = i;
          found += bits.isIn(hashes[i], live) ? 1 : 0;
        }
        VarHandle.acquireFence(); // The words were read before the state is.
      } while (state.newest() != asked.newest());
      kept = found;
    }
    return kept;
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= bits.touch(hashes[i]);
    }
    use(touched);
  }

  @Override
  public boolean putHash(long hash) {
    long now = now();
    if (state.isDue(now)) {
      turn(now);
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

  /** Puts a hash. Under the locks of its blocks. */
  private boolean putLocked(long hash, long other, long now) {
    WindowState at = state;
    step();
    clear(block(hash), at.newest());
    clear(block(other), at.newest());
    int in = bits.generationsOf(hash);
    if ((in & at.young()) == 0) {
      step();
      int slot = WindowState.slot(at.newest());
      set(hash, slot);
      if (other != hash) {
        set(other, slot);
      }
      at.take();
    }
    return (in & at.live(now)) == 0;
  }

  private int block(long hash) {
    return (int) BlockedBloom.block(hash, layout.bloom().blockCount());
  }

  private int part(long hash) {
    return block(hash) & (locks.length - 1);
  }

  /** Sets the bits of a hash. Under the lock of its block. */
  private void set(long hash, int slot) {
    long pattern = BlockedBloom.pattern(hash);
    for (int j = 0; j < layout.bloom().shape().words(); j++) {
      long word = layout.base(hash) + (long) Generational.COUNT * layout.word(pattern, j) + slot;
      words.set(word, words.get(word) | layout.mask(hash, pattern, j));
    }
  }

  /** Clears a block for a generation that has begun, if that is not done. Under its lock. */
  private void clear(int block, long number) {
    byte mark = (byte) (number & 1);
    if (cleared[block] != mark) {
      VarHandle.releaseFence(); // Who sees a word cleared sees that the generation has begun.
      long base = (long) Generational.BLOCK_WORDS * block + WindowState.slot(number);
      for (int word = 0; word < BlockedBloom.WORDS; word++) {
        words.set(base + (long) Generational.COUNT * word, 0);
      }
      cleared[block] = mark;
    }
  }

  /** Clears the next few blocks. */
  private void sweepOn() {
    long from = sweep.getAndAdd(sweepStep);
    step();
    long to = Math.min(from + sweepStep, cleared.length);
    for (long block = from; block < to; block++) {
      synchronized (locks[(int) block & (locks.length - 1)]) {
        // Not before now: what was claimed belongs to the generation that has begun.
        clear((int) block, state.newest());
      }
    }
    swept.addAndGet(Math.max(0, to - from));
  }

  /** Begins the next generation, unless another thread does or blocks are left to clear. */
  private void turn(long now) {
    if (!turning.tryLock()) {
      return; // A generation may take more keys than it is for.
    }
    try {
      step();
      WindowState at = state;
      if (!at.isOpen() && at.isDue(now) && swept.get() == cleared.length) {
        state = at.next(); // First: who claims blocks to clear must see it.
        step();
        swept.set(0);
        sweep.set(0);
      }
      if (state.isOpen()) { // Also if the clock threw last time.
        state = state.ended(span == 0 ? 0 : clock.mark());
      }
    } finally {
      turning.unlock();
    }
  }

  @Override
  public FilterStats stats() {
    return WindowCodec.stats(layout, spec(), span, words, state.live(now()), List.of());
  }

  @Override
  public Image image() {
    return new Image(WindowCodec.header(layout, spec(), span), new Copy());
  }

  /** The words, then the state, as they were when the first of them was asked for; inverted. */
  private final class Copy implements DataSource {
    private final long[] stateWords = new long[1 + Generational.COUNT];
    private @Nullable HeapWords copied;

    @Override
    public void read(long offset, ByteBuffer target) {
      HeapWords all = copied == null ? copy() : copied;
      for (long word = offset / 8; target.hasRemaining(); word++) {
        long behind = word - all.count();
        target.putLong(~(behind < 0 ? all.get(word) : stateWords[(int) behind]));
      }
    }

    private HeapWords copy() {
      HeapWords all = new HeapWords(words.count());
      turning.lock();
      try {
        WindowState at = state;
        long time = now(); // First: a key that is then in the window is copied from where it is.
        for (int block = 0; block < cleared.length; block++) {
          step();
          int from = HeapWords.index((long) block * Generational.BLOCK_WORDS);
          synchronized (locks[block & (locks.length - 1)]) {
            clear(block, at.newest());
            System.arraycopy(words.array(), from, all.array(), from, Generational.BLOCK_WORDS);
          }
        }
        stateWords[0] = at.newest();
        for (int slot = 0; slot < Generational.COUNT; slot++) {
          stateWords[1 + slot] = at.age(slot, time);
        }
      } finally {
        turning.unlock();
      }
      copied = all;
      return all;
    }
  }
}
