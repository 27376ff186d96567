package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.DeletableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayOutputStream;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A change of a quotient filter that a StackOverflowError breaks off, wherever that may be. */
final class BrokenOffTest {
  /** Put so often that its run reaches over many blocks: to remove it changes their offsets. */
  private static final long OFTEN = -1;

  private static final int TIMES = 1500;
  private static final int KEYS = 2000;

  /** Frames of a change at its deepest, twice. */
  private static final int FRAMES = 60;

  /**
   * How long a question may wait before the lock counts as held. If it is only slow, the test makes
   * a new filter, and nothing is lost.
   */
  private static final long PATIENCE_MILLIS = 10_000;

  private static <K extends MutableFilter<Long>> K filled(K filter) {
    for (long key = 0; key < KEYS; key++) {
      filter.putLong(key);
    }
    for (int i = 0; i < TIMES; i++) {
      filter.putLong(OFTEN);
    }
    return filter;
  }

  /** A removal goes deeper into the stack when it shifts than when it searches. */
  private static void assertNoneIsDenied(Supplier<DeletableFilter<Long>> filters)
      throws InterruptedException {
    DeletableFilter<Long> filter = filled(filters.get());
    assertThat(filter.removeHash(filter.hashOf(OFTEN))).isTrue(); // Loads all classes.
    int broken = 0;
    for (int frames = 0; frames < FRAMES; frames++) {
      DeletableFilter<Long> changed = filter;
      long hash = filter.hashOf(OFTEN);
      Throwable thrown = DeepStack.run(frames, () -> changed.removeHash(hash));
      if (keepsItsLock(filter)) {
        filter = filled(filters.get());
        continue;
      }
      int refused = 0;
      for (long key = 0; key < KEYS; key++) {
        try {
          if (!filter.mightContainLong(key)) {
            throw new AssertionError(key + " denied, " + frames + " frames left: " + thrown);
          }
        } catch (IllegalStateException e) {
          refused++;
        }
      }
      if (refused > 0) {
        broken++;
        assertThatThrownBy(() -> changed.writeTo(new ByteArrayOutputStream()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("broke off a change");
        assertThatThrownBy(() -> changed.putHash(hash)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> changed.removeHash(hash))
            .isInstanceOf(IllegalStateException.class);
        filter = filled(filters.get());
      }
    }
    assertThat(broken).as("changes that were broken off in the middle").isPositive();
  }

  /**
   * Whether the stack ended just when the JDK had taken the lock: then it throws, and nobody knows
   * the stamp to give it back with. Questions wait then, and deny nothing.
   */
  private static boolean keepsItsLock(DeletableFilter<Long> filter) throws InterruptedException {
    Thread thread = new Thread(filter::stats);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((ended, refused) -> {}); // A refusal is an answer too.
    thread.start();
    thread.join(PATIENCE_MILLIS);
    return thread.isAlive();
  }

  @Test
  void noOtherKeyIsDenied_byAFilterOfFixedSize() throws InterruptedException {
    assertNoneIsDenied(() -> Woodbird.deletable(Keys.longs(), 20_000).seed(1).build());
  }

  @Test
  void noOtherKeyIsDenied_byAFilterThatGrows() throws InterruptedException {
    assertNoneIsDenied(() -> Woodbird.growing(Keys.longs()).seed(1).build());
  }

  @Test
  void aChangeThatComesToItsEnd_leavesNothingBehind() {
    DeletableFilter<Long> filter = filled(Woodbird.deletable(Keys.longs(), 20_000).seed(1).build());
    for (int i = 0; i < TIMES; i++) {
      assertThat(filter.removeHash(filter.hashOf(OFTEN))).isTrue();
    }
    for (long key = 0; key < KEYS; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
  }
}
