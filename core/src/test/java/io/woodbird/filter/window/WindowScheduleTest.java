package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Windows of a few keys under threads that stop between any two reads and at every hand-over,
 * against the model. The generations change every few puts.
 */
@Tag("compiled")
final class WindowScheduleTest {
  private static final long SPAN = 70_000_000; // A generation is ten steps of the clock's anchor.
  private static final int KEYS = 12;

  /** A window that stops its threads. */
  static final class Stepping extends WindowFilter<Long> {
    Stepping(FilterSpec<Long> spec, Generational layout, long span, LongSupplier nanos) {
      super(
          spec,
          layout,
          span,
          () -> {
            Schedule.step();
            long now = nanos.getAsLong();
            Schedule.step();
            return now;
          });
    }

    @Override
    WordSource read(HeapWords all) {
      return word -> {
        Schedule.step();
        return all.get(word);
      };
    }

    @Override
    void step() {
      Schedule.step();
    }
  }

  /** One filter, its model and the threads that use both. */
  private static final class Run {
    private final SplittableRandom random;
    private final WindowModel model;
    private final Stepping filter;
    private final long span;
    private int turned;
    private final List<Object> first = new ArrayList<>();
    private final StringBuffer wrong = new StringBuffer();

    Run(long seed) {
      random = new SplittableRandom(seed);
      BlockShape shape = BlockShape.values()[random.nextInt(BlockShape.values().length)];
      int keys = 1 + random.nextInt(9);
      span = random.nextBoolean() ? SPAN : 0;
      model = new WindowModel(span, keys);
      filter =
          new Stepping(
              new FilterSpec<>(Keys.longs(), seed, keys, 0.01),
              new Generational(new BlockedBloom(1 + random.nextInt(3), shape)),
              span,
              model);
    }

    void run() {
      for (int i = random.nextInt(60); i > 0; i--) {
        act(random);
      }
      Schedule schedule = new Schedule(random.split());
      SplittableRandom[] own = {random.split(), random.split(), random.split()};
      schedule.add(() -> repeat(own[0], () -> act(own[0])));
      schedule.add(() -> repeat(own[1], () -> turn(own[1])));
      schedule.add(() -> repeat(own[2], () -> look(own[2])));
      schedule.run();
      for (long key = 0; key < KEYS; key++) {
        ask(key);
      }
      for (Object one : first) {
        for (Object other : first) {
          if (model.onlyOneIsFirst(one, other)) {
            wrong.append("new twice; ");
          }
        }
      }
    }

    private static void repeat(SplittableRandom own, Runnable act) {
      for (int i = own.nextInt(7); i > 0; i--) {
        act.run();
      }
    }

    /** Anything. */
    private void act(SplittableRandom own) {
      switch (own.nextInt(4)) {
        case 0 -> put(own.nextInt(KEYS));
        case 1 -> model.move(own.nextLong(-SPAN / 2, SPAN / 2));
        case 2 -> turn(own);
        default -> look(own);
      }
    }

    /** Keeps one key in the window and moves the window on. */
    private void turn(SplittableRandom own) {
      put(0);
      for (int i = own.nextInt(3); i > 0; i--) {
        put(turned++ % (KEYS - 1) + 1);
        model.move(span / 6);
      }
    }

    /** Asks for the key that is kept, one way or another. */
    private void look(SplittableRandom own) {
      switch (own.nextInt(4)) {
        case 0 -> askAll();
        case 1 -> save();
        default -> ask(0);
      }
    }

    private void put(long key) {
      Object put = model.called(key);
      int from = model.moment();
      boolean fresh = filter.put((Long) key);
      if (fresh && model.mustKnow(key, from, model.moment())) {
        wrong.append("put called a key new that was here; ");
      }
      model.returned(put);
      if (fresh) {
        synchronized (first) {
          first.add(put);
        }
      }
    }

    private void ask(long key) {
      int from = model.moment();
      check("asked", key, from, filter.mightContain((Long) key));
    }

    private void askAll() {
      long[] hashes = new long[KEYS];
      for (int key = 0; key < KEYS; key++) {
        hashes[key] = filter.hashOf((Long) (long) key);
      }
      int[] selected = new int[KEYS];
      int from = model.moment();
      int count = filter.candidates(hashes, KEYS, selected);
      List<Integer> found = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        found.add(selected[i]);
      }
      for (int key = 0; key < KEYS; key++) {
        check("asked together", key, from, found.contains(key));
      }
    }

    private void save() {
      int from = model.moment();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try {
        filter.writeTo(out);
        int to = model.moment();
        Filter<Long> saved = Woodbird.wrap(ByteBuffer.wrap(out.toByteArray()), Keys.longs());
        for (long key = 0; key < KEYS; key++) {
          if (!saved.mightContain((Long) key) && model.mustKnow(key, from, to)) {
            wrong.append("not in the file: ").append(key).append("; ");
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void check(String how, long key, int from, boolean here) {
      if (!here && model.mustKnow(key, from, model.moment())) {
        wrong.append(how).append(" and denied: ").append(key).append("; ");
      }
    }
  }

  static void runSchedules(int count) {
    long seed = new SplittableRandom().nextLong();
    for (long i = seed; i < seed + count; i++) {
      Run run = new Run(i);
      run.run();
      assertThat(run.wrong).as("seed %d", i).isEmpty();
    }
  }

  @Test
  void whateverTheThreadsDoAtOnceNoKeyOfTheWindowIsDenied() {
    runSchedules(2000);
  }

  @Tag("slow")
  @Test
  void whateverTheThreadsDoAtOnceNoKeyOfTheWindowIsDenied_inManySchedules() {
    runSchedules(1_000_000);
  }
}
