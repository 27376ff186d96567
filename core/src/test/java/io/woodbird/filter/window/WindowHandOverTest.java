package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A question that stops before any one of its reads, while generations pass. The key it asks for
 * lies in the window all the time; where it lies changes.
 */
@Tag("compiled")
final class WindowHandOverTest {
  private static final int KEYS = 7;
  private static final long SPAN = 7_000_000_000L;

  private final AtomicLong clock = new AtomicLong();
  private int readsLeft = -1; // Until the question stops; negative: nothing stops.
  private Runnable meanwhile = () -> {};

  /** A window in which other puts come between two reads of a question. */
  private final class Stopping extends WindowFilter<Long> {
    Stopping(Generational layout, long span) {
      super(new FilterSpec<>(Keys.longs(), 3, KEYS, 0.01), layout, span, clock::get);
    }

    @Override
    WordSource read(HeapWords all) {
      return word -> {
        if (readsLeft >= 0 && readsLeft-- == 0) {
          meanwhile.run();
        }
        return all.get(word);
      };
    }
  }

  private int denied(BlockShape shape, long span, boolean together) {
    int reads = Generational.COUNT * shape.words() * shape.blocks();
    int denied = 0;
    for (int before = 0; before < 24; before++) {
      for (int during = 1; during < 11; during++) {
        for (int read = 0; read < reads; read++) {
          readsLeft = -1;
          Stopping filter = new Stopping(new Generational(new BlockedBloom(2, shape)), span);
          long hash = filter.hashOf((Long) 0L);
          put(filter, 0, before + 1);
          int from = before + 1;
          int to = from + during;
          meanwhile = () -> put(filter, from, to);
          readsLeft = read;
          boolean here =
              together
                  ? filter.candidates(new long[] {hash}, 1, new int[1]) == 1
                  : filter.mightContainHash(hash);
          denied += here ? 0 : 1;
        }
      }
    }
    return denied;
  }

  /** Every third put is key 0, so that it is always one of the last, and never old. */
  private void put(WindowFilter<Long> filter, int from, int to) {
    for (int i = from; i < to; i++) {
      filter.put((Long) (i % 3 == 0 ? 0L : i));
      clock.addAndGet(SPAN / 5);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatMovesToAYoungerGenerationIsFound(BlockShape shape) {
    assertThat(denied(shape, SPAN, false)).isZero();
    assertThat(denied(shape, 0, false)).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aKeyThatMovesToAYoungerGenerationIsFoundAmongMany(BlockShape shape) {
    assertThat(denied(shape, SPAN, true)).isZero();
    assertThat(denied(shape, 0, true)).isZero();
  }
}
