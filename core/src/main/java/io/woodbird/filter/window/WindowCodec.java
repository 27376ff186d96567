package io.woodbird.filter.window;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.Codec;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.filter.bloom.BloomCodec;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.WordSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads windows in files. Their words are stored inverted. The time that a file is on
 * disk does not count: its keys are as old as when it was written.
 */
public enum WindowCodec implements Codec {
  INSTANCE;

  /**
   * Words behind the bits: the number of the newest generation, the age of each slot's, and the
   * wall time of saving. The time is for people and tools: clocks of two machines, or of one
   * machine before and after a restart, may differ, and a key must never expire too early.
   */
  private static final int STATE_WORDS = Generational.STATE_BITS / 64;

  /** A larger number could overflow later. No window gets that far. */
  private static final long MOST_GENERATIONS = 1L << 62;

  static Header header(Generational layout, FilterSpec<?> spec, long span) {
    BlockedBloom bloom = layout.bloom();
    return spec.header(
        LayoutId.WINDOW, 0, dataBytes(layout), bloom.blockCount(), bloom.shape().id(), span);
  }

  static long dataBytes(Generational layout) {
    return 8 * (layout.wordCount() + STATE_WORDS);
  }

  static FilterStats stats(
      Generational layout,
      FilterSpec<?> spec,
      long span,
      WordSource words,
      int live,
      List<String> doubts) {
    BloomShape shape = new BloomShape.Blocked(layout.bloom());
    double fill = 0;
    double keys = 0;
    double passes = 1;
    for (int i = 0; i < Generational.COUNT; i++) {
      int slot = i;
      if ((live >>> slot & 1) != 0) {
        BloomShape.Census census =
            shape.census(word -> words.get(Generational.COUNT * word + slot));
        fill += census.fill() / Generational.COUNT;
        keys += census.keys();
        passes *= 1 - census.fpp();
      }
    }
    return new FilterStats(
        "window of "
            + (span > 0 ? Duration.ofNanos(span) : "keys")
            + ", "
            + Generational.COUNT
            + " generations, "
            + shape.describe(),
        8 * dataBytes(layout),
        spec.expectedKeys(),
        Math.round(keys),
        fill,
        spec.promisedFpp(),
        1 - passes,
        doubts);
  }

  /** The generations of a stored window: the number of the newest, and the age of each slot's. */
  record State(long newest, List<Long> ages) {
    /** Reads the state from the words behind the bits. */
    static State read(StoredFile file, Generational layout) throws CorruptFilterException {
      long at = layout.wordCount();
      for (int i = 0; i < STATE_WORDS; i++) {
        if (!file.pageGood(at + i)) {
          throw new CorruptFilterException("the state of the window is damaged: " + file.doubts());
        }
      }
      List<Long> ages = new ArrayList<>();
      for (int i = 0; i < Generational.COUNT; i++) {
        long age = ~file.get(at + 1 + i);
        Header.require(age >= -1, "age of a generation", age);
        ages.add(age);
      }
      long newest = ~file.get(at);
      Header.require(newest >= 0 && newest <= MOST_GENERATIONS, "generation", newest);
      return new State(newest, ages);
    }

    /** Returns the slots whose keys were in the window when the file was written, one bit each. */
    int live(long span) {
      int live = 1 << (int) (newest % Generational.COUNT);
      for (int slot = 0; slot < ages.size(); slot++) {
        long age = ages.get(slot);
        live |= age >= 0 && (span == 0 || age < span) ? 1 << slot : 0;
      }
      return live;
    }
  }

  private static Generational layout(Header header) throws CorruptFilterException {
    long blocks = header.parameter(0);
    Header.require(blocks > 0 && blocks <= 1L << 44, "number of blocks", blocks);
    Header.require(header.parameter(2) >= 0, "time span", header.parameter(2));
    Header.require(header.expectedKeys() > 0, "expected keys", header.expectedKeys());
    Generational layout =
        new Generational(new BlockedBloom(blocks, BloomCodec.blockShape(header.parameter(1))));
    Header.require(dataBytes(layout) == header.dataBytes(), "data bytes", header.dataBytes());
    return layout;
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    Generational layout = layout(file.header());
    long span = file.header().parameter(2);
    int live = State.read(file, layout).live(span);
    return new StoredWindow(file, layout, span, live);
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    Generational layout = layout(file.header());
    long blocks = layout.bloom().blockCount();
    Header.require(
        blocks <= BlockedBloom.MAX_BLOCKS / Generational.COUNT, "size for the heap", blocks);
    WindowFilter<K> filter =
        new WindowFilter<>(spec, layout, file.header().parameter(2), System::nanoTime);
    fill(filter, file);
    return filter;
  }

  /** Copies a file into an empty filter of the same layout. */
  static void fill(WindowFilter<?> filter, StoredFile file) throws CorruptFilterException {
    State state = State.read(file, layout(file.header()));
    filter.words().setInverted(file);
    filter.restore(state.newest(), state.ages());
  }
}
