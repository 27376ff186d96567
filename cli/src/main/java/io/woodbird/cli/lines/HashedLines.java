package io.woodbird.cli.lines;

import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Lines as the hashes of their keys, batch by batch. */
public final class HashedLines {
  private final Reading reading;
  private final KeyHasher<ByteBuffer> keys;
  private final long seed;
  private final long[] hashes = new long[Lines.BATCH];

  /** Makes one. */
  public HashedLines(Reading reading, KeyHasher<ByteBuffer> keys, long seed) {
    this.reading = reading;
    this.keys = keys;
    this.seed = seed;
  }

  /**
   * Goes on to the next batch.
   *
   * @return how many hashes it has, 0 at the end
   */
  public int next() throws IOException {
    int count = reading.next();
    if (count > 0) {
      Lines batch = reading.batch();
      for (int i = 0; i < count; i++) {
        hashes[i] = keys.hash(batch.key(i), seed);
      }
    }
    return count;
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

  /** The lines of the batch. */
  public Lines batch() {
    return reading.batch();
  }

  /** All hashes, one by one, for a builder that takes keys. */
  public Iterator<Long> iterator() {
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
      public Long next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return hashes[at++];
      }
    };
  }

  /**
   * Keys that are hashes already.
   *
   * @param id the encoding they were made with
   */
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
