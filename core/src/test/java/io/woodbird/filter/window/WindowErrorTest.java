package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A put that an Error breaks off at any of its hand-overs: the window moves on all the same. */
final class WindowErrorTest {
  private static final long SPAN = 7_000_000_000L;
  private static final int KEYS = 70;
  private static final int BLOCKS = 64;

  private final AtomicLong clock = new AtomicLong();
  private int stepsLeft = -1; // Until an error; negative: there is none.

  private final class Breaking extends WindowFilter<Long> {
    Breaking(long span) {
      super(
          new FilterSpec<>(Keys.longs(), 3, KEYS, 0.01),
          new Generational(new BlockedBloom(BLOCKS, BlockShape.TWO_3)),
          span,
          clock::get);
    }

    @Override
    void step() {
      if (stepsLeft >= 0 && stepsLeft-- == 0) {
        throw new StackOverflowError();
      }
    }
  }

  /** Puts keys for so many spans, the fraction of a generation at a time. */
  private void put(WindowFilter<Long> filter, long from, int spans) {
    for (int i = 0; i < spans * 4 * KEYS; i++) {
      filter.put((Long) (from + i));
      clock.addAndGet(SPAN / (4 * KEYS));
    }
  }

  private int here(WindowFilter<Long> filter, long from, int count) {
    int here = 0;
    for (long key = from; key < from + count; key++) {
      here += filter.mightContain((Long) key) ? 1 : 0;
    }
    return here;
  }

  @Test
  void keysExpire_whereverAPutWasBrokenOff() {
    for (long span : new long[] {SPAN, 0}) {
      boolean reached = true;
      for (int at = 0; reached; at++) {
        stepsLeft = -1;
        WindowFilter<Long> filter = new Breaking(span);
        put(filter, 0, 1);
        stepsLeft = at;
        int broken = 0;
        for (long key = 1_000_000; key < 1_000_000 + KEYS; key++) {
          try {
            filter.put((Long) key);
          } catch (StackOverflowError e) {
            broken++;
            filter.put((Long) key);
          }
          clock.addAndGet(SPAN / (4 * KEYS));
        }
        reached = stepsLeft < 0;
        stepsLeft = -1;
        assertThat(broken).isEqualTo(reached ? 1 : 0);
        assertThat(here(filter, 1_000_000, KEYS)).isEqualTo(KEYS);
        put(filter, 2_000_000, 8);
        String where = "span " + span + ", broken off at step " + at;
        assertThat(here(filter, 2_000_000 + 31L * KEYS, KEYS)).as(where).isEqualTo(KEYS);
        assertThat(here(filter, 1_000_000, KEYS)).as(where).isLessThan(KEYS / 4);
      }
    }
  }
}
