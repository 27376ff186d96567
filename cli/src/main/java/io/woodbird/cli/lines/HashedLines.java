package io.woodbird.cli.lines;

import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.function.IntFunction;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Lines as the hashes of their keys, batch by batch. */
public final class HashedLines {
  private final Reading reading;
  private final KeyHasher<ByteBuffer> keys;
  private final long seed;
  private final long[] hashes = new long[Lines.BATCH];
  private long sum;

  public HashedLines(Reading reading, KeyHasher<ByteBuffer> keys, long seed) {
    this.reading = reading;
    this.keys = keys;
    this.seed = seed;
  }

  /** Goes on to the next batch; returns how many hashes it has, 0 at the end. */
  public int next() throws IOException {
    int count = reading.next();
    if (count > 0) {
      Lines batch = reading.batch();
      for (int i = 0; i < count; i++) {
        hashes[i] = keys.hash(batch.key(i), seed);
        sum = 31 * sum + hashes[i];
      }
    }
    return count;
  }

  /** A sum of all hashes that were read, which their order changes too. */
  long sum() {
    return sum;
  }

  /** Gives all hashes, batch by batch. */
  public void forEach(HashSpool.Taker taker) throws IOException {
    for (int count = next(); count > 0; count = next()) {
      taker.take(hashes, count);
    }
  }

  /** The hashes of the batch; the same array each time. */
  public long[] hashes() {
    return hashes;
  }

  public Lines batch() {
    return reading.batch();
  }

  /** All hashes, one by one, for a builder that takes keys. */
  public Iterator<Long> iterator() {
    return iterator(index -> hashes[index]);
  }

  /** What is made of all lines, one by one, from the index of a line in the batch. */
  public <T> Iterator<T> iterator(IntFunction<T> maker) {
    return new Iterator<>() {
      private int count;
      private int at;

      @Override
      public boolean hasNext() {
        if (at == count) {
          at = 0;
          try {
            count = HashedLines.this.next();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
        return at < count;
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return maker.apply(at++);
      }
    };
  }

  /** A line as a key: the hash of its key, and the text of it where a message is made. */
  public record Line(long hash, @Nullable String text) {
    @Override
    public String toString() {
      return text == null ? String.format(Locale.ROOT, "line with hash 0x%016x", hash) : text;
    }
  }

  /** Makes a key of a line of the batch, with its text if {@code named}. */
  public Line line(int index, boolean named) {
    ByteBuffer key = reading.batch().key(index);
    return new Line(
        hashes[index],
        named
            ? LineKeys.shown(StandardCharsets.ISO_8859_1.decode(key.duplicate()).toString())
            : null);
  }

  /** Lines as keys, which were hashed already by keys with this id. */
  public static KeyHasher<Line> asLines(String id) {
    return new LinesAsKeys(id);
  }

  private record LinesAsKeys(String id) implements KeyHasher<Line> {
    @Override
    public long hash(Line key, long seed) {
      return key.hash;
    }
  }

  /** The value of a line of the batch: the field beside its key, or another number. */
  public long value(int index, LongUnaryOperator ofInput) {
    return reading.batch().value(index, ofInput.applyAsLong(reading.inputNumber()));
  }

  /** Keys that are hashes already, made by keys with this id. */
  public KeyHasher<Long> asKeys(String id) {
    return new Hashed(id, seed);
  }

  private record Hashed(String id, long seed) implements KeyHasher<Long> {
    @Override
    public long hash(Long key, long otherSeed) {
      if (otherSeed != seed) {
        throw new IllegalStateException("hashed under seed " + seed + ", not " + otherSeed);
      }
      return key;
    }
  }
}
