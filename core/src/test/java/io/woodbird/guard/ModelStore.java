package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A simulated store: slow, sometimes away, and still there after its process has ended. */
final class ModelStore implements GenerationStore<Long> {
  private final VirtualTime time;
  private final boolean keeps;
  private long brokenUntil;
  private byte @Nullable [] published;

  ModelStore(VirtualTime time, boolean keeps) {
    this.time = time;
    this.keeps = keeps;
  }

  void breakFor(long nanos) {
    brokenUntil = time.nanos() + nanos;
  }

  void calm() {
    brokenUntil = 0;
  }

  private void use() throws IOException {
    if (time.random().nextInt(3) == 0) {
      time.pause(time.random().nextLong(30_000_000));
    }
    if (time.nanos() < brokenUntil) {
      throw new IOException("the store is away");
    }
  }

  @Override
  public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
    use();
    return new Slow(
        Woodbird.bloom(plan.keys(), plan.expectedKeys())
            .fpp(plan.fpp())
            .seed(plan.seed())
            .classic() // Its size is found much faster than that of a blocked one.
            .build());
  }

  @Override
  public void publish(MutableFilter<Long> filter, Generation generation) throws IOException {
    use();
    if (keeps) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      filter.writeTo(out);
      published = out.toByteArray();
    }
    use();
  }

  @Override
  public Optional<Filter<Long>> restore(KeyHasher<Long> keys) throws IOException {
    use();
    byte[] bytes = published;
    return bytes == null
        ? Optional.empty()
        : Optional.of(Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()));
  }

  /** A filter that stops in the midst of a question, and takes long for a put. */
  private final class Slow extends Wrapped {
    Slow(MutableFilter<Long> inner) {
      super(inner);
    }

    private void stop() {
      if (time.random().nextInt(8) == 0) {
        time.pause(time.random().nextLong(100_000_000));
      }
    }

    @Override
    public Answer ask(Long key) {
      stop();
      Answer answer = super.ask(key);
      stop();
      return answer;
    }

    @Override
    public int putHashes(long[] hashes, int count) {
      if (time.nanos() < brokenUntil) {
        throw new UncheckedIOException(new IOException("the store is away"));
      }
      int fresh = 0;
      for (int i = 0; i < count; i++) {
        // A put holds the lock of its filter, so that only time passes.
        if (time.random().nextInt(32) == 0) {
          time.pass(time.random().nextLong(50_000_000));
        }
        fresh += putHash(hashes[i]) ? 1 : 0;
      }
      return fresh;
    }
  }
}
