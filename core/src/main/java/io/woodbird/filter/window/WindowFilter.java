package io.woodbird.filter.window;

import io.woodbird.FilterPlan;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A Bloom filter on the heap whose keys expire after a time or after a number of other keys. */
public class WindowFilter<K> extends HeapFilter<K> {
  /*
   * Keys go into the newest of eight generations, each in its slot. When the newest has ended, the
   * slot of the oldest is cleared for the next. WindowBuilder.build says which keys must be found;
   * this comment says why they are. A state is the list of generations at one moment.
   *
   * Clearing. A slot is cleared block by block: the first put into a block clears it, and every put
   * clears a few more blocks, so that no put pauses. Every clear holds the lock of its block, and
   * the next generation begins only when all blocks are cleared. So while generation g is the
   * newest, only the bits that g - 8 left in the slot of g are cleared, and a thread that holds the
   * lock of a block sees at most one generation begin.
   *
   * Time. A generation may be cleared when the whole span has passed since its end. The end is read
   * from the clock after the next state is visible. A put loads the state and writes into its
   * newest generation, even if that has just ended. So the put was called before the next state was
   * visible, and before the end. Until the clock is read the end is open, and the generation counts
   * as in the window.
   *
   * Number of keys. A put skips a key that one of the newest four generations has. So four
   * consecutive generations share no key. Each takes a quarter of the keys, so four of them hold as
   * many distinct keys as are promised. A put that finds its key in generation j, while at most j +
   * 3 is the newest, relies on j. Generation j is cleared when j + 8 begins: then j + 4 to j + 7
   * have been filled since the put was called. A false positive is found as long as the bits that
   * caused it, so a put may skip it too. The price is room for twice the keys. Without skipping, a
   * few busy keys would be put into every newest generation and fill them all.
   *
   * Questions lock nothing. A question that finds no generation with the key checks whether the
   * newest generation is still the same. If so, no bits that it had to see were cleared between its
   * reads. Otherwise the key may have been put into a slot that it had read, and cleared from a
   * slot that it had not, so it asks again.
   *
   * Saving holds off the next generation and copies block by block. So a file is written from one
   * state at any speed, and has no block of g that was not cleared. The time is read before the
   * copy.
   *
   *   cleared[block]   the lowest bit of the number of the generation that the block was last
   *                    cleared for
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

  /** Makes an empty filter; the span is in nanoseconds, 0 if only the number of keys counts. */
  @SuppressWarnings("this-escape") // Tests override what reads the words, and nothing else does.
  public WindowFilter(FilterSpec<K> spec, Generational layout, long span, LongSupplier nanos) {
    super(spec);
    this.layout = layout;
    this.span = span;
    this.rules = WindowState.Rules.of(span, spec.expectedKeys());
    long blocks = layout.bloom().blockCount();
    this.state = WindowState.first(rules, blocks);
    // All blocks are cleared when a quarter of a generation's keys have been put.
    this.sweepStep = (int) (4 * blocks / rules.generationKeys()) + 1;
    this.clock = new WindowClock(nanos);
    this.words = new HeapWords(layout.wordCount());
    this.bits = new WindowWords(layout, read(words));
    this.cleared = new byte[Math.toIntExact(blocks)];
    this.locks = new Object[Integer.highestOneBit(Math.min(cleared.length, MOST_LOCKS))];
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Object();
    }
  }

  public static <K> WindowFilter<K> empty(FilterSpec<K> spec, long span, LongSupplier nanos) {
    Generational layout = layout(spec.expectedKeys(), spec.promisedFpp(), span);
    return new WindowFilter<>(spec, layout, span, nanos);
  }

  /**
   * Makes a filter of a window of time, with generations that are kept elsewhere.
   *
   * @param newest the number of the newest generation
   * @param ages how many nanoseconds ago the generation of each slot ended, -1 if it did not
   * @param fill sets the words, which lie as {@link Generational} says
   */
  public static <K> WindowFilter<K> copyOf(
      FilterSpec<K> spec,
      Generational layout,
      long span,
      long newest,
      List<Long> ages,
      Consumer<HeapWords> fill) {
    WindowFilter<K> filter = new WindowFilter<>(spec, layout, span, System::nanoTime);
    fill.accept(filter.words);
    filter.restore(newest, ages);
    return filter;
  }

  /** Returns the size of a filter. */
  public static FilterPlan plan(long keys, double fpp, long span) {
    Generational layout = layout(keys, fpp, span);
    long generationKeys = WindowState.Rules.of(span, keys).generationKeys();
    double expected = layout.fppOfGenerations(generationKeys);
    return plan("window", keys, expected, 8 * WindowCodec.dataBytes(layout));
  }

  private static Generational layout(long keys, double fpp, long span) {
    if (keys <= MAX_KEYS) {
      Generational layout =
          span > 0 ? Generational.forFpp(keys, fpp) : Generational.forLastKeys(keys, fpp);
      if (layout.bloom().blockCount() <= BlockedBloom.MAX_BLOCKS / Generational.COUNT) {
        return layout;
      }
    }
    throw tooMany(keys, fpp);
  }

  HeapWords words() {
    return words;
  }

  /** Returns the words as questions read them. Tests override it to stop between two reads. */
  WordSource read(HeapWords all) {
    return all;
  }

  /** Does nothing. Tests override it to stop a thread here. */
  void step() {}

  /** Sets the generations from a file: the number of the newest, and how long ago each ended. */
  void restore(long newest, List<Long> ages) {
    Arrays.fill(cleared, (byte) (newest & 1));
    state =
        WindowState.restored(
            rules,
            newest,
            ages,
            keysAtLeast(WindowState.slot(newest)),
            clock.mark(),
            cleared.length);
  }

  /** Returns the fewest distinct keys that can have set the bits of a generation. */
  private long keysAtLeast(int slot) {
    // At the usual fill it is three quarters of the keys. An estimate could be too high, and then
    // the generation would end too early.
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
      VarHandle.acquireFence(); // Reads the words before the state.
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
        VarHandle.acquireFence(); // Reads the words before the state.
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
    Sweep sweep = state.sweep();
    if (!sweep.isClaimed()) {
      sweepOn(sweep);
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

  /** Puts a hash. The caller holds the locks of its blocks. */
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

  /** Sets the bits of a hash. The caller holds the lock of its block. */
  private void set(long hash, int slot) {
    BlockedBloom bloom = layout.bloom();
    long fields = bloom.fields(hash);
    for (int j = 0; j < bloom.shape().words(); j++) {
      long word = layout.base(hash) + (long) Generational.COUNT * bloom.word(fields, j) + slot;
      words.set(word, words.get(word) | bloom.mask(fields, j));
    }
  }

  /** Clears a block for a new generation, unless it is cleared. The caller holds its lock. */
  private void clear(int block, long number) {
    byte mark = (byte) (number & 1);
    if (cleared[block] != mark) {
      // A reader that sees a cleared word also sees that the generation has begun.
      VarHandle.releaseFence();
      long base = (long) Generational.BLOCK_WORDS * block + WindowState.slot(number);
      for (int word = 0; word < BlockedBloom.WORDS; word++) {
        words.set(base + (long) Generational.COUNT * word, 0);
      }
      cleared[block] = mark;
    }
  }

  /** Clears the next few blocks. */
  private void sweepOn(Sweep sweep) {
    try {
      long from = sweep.claim(sweepStep);
      step();
      long to = Math.min(from + sweepStep, cleared.length);
      for (long block = from; block < to; block++) {
        clearNow((int) block);
      }
      sweep.done(Math.max(0, to - from));
    } catch (Throwable e) {
      sweep.brokenOff = true; // As a StackOverflowError may.
      throw e;
    }
  }

  /** Clears a block for the newest generation, unless it is cleared. */
  private void clearNow(int block) {
    synchronized (locks[block & (locks.length - 1)]) {
      // Reads the state under the lock: the claimed blocks belong to the newest generation.
      clear(block, state.newest());
    }
  }

  /** Whether all blocks are cleared. The caller has {@link #turning}. */
  private boolean isSwept(Sweep sweep) {
    if (!sweep.brokenOff) {
      return sweep.isDone();
    }
    for (int block = 0; block < cleared.length; block++) {
      clearNow(block);
    }
    return true;
  }

  /** Begins the next generation, unless another thread does or blocks are left to clear. */
  private void turn(long now) {
    if (!turning.tryLock()) {
      return; // Another thread does it. A generation may take more keys than it is sized for.
    }
    try {
      step();
      WindowState at = state;
      if (!at.isOpen() && at.isDue(now) && isSwept(at.sweep())) {
        state = at.next();
        step();
      }
      if (state.isOpen()) { // Also true if the clock threw in the last call.
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

  /** The words and the state, inverted, as they are when the first of them is read. */
  private final class Copy implements DataSource {
    private final long[] stateWords = new long[Generational.STATE_BITS / 64];
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
        long time = now(); // First: all keys that are in the window now are copied.
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
        stateWords[1 + Generational.COUNT] = 0; // The wall time is not known.
      } finally {
        turning.unlock();
      }
      copied = all;
      return all;
    }
  }
}
