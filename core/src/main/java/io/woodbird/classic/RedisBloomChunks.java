package io.woodbird.classic;

import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Loads a filter that was built here into a Redis with RedisBloom.
 *
 * <pre>{@code
 * ForeignFilter filter = ForeignFilter.build("redisbloom", 1_000_000, 0.01, keys);
 * RedisBloomChunks.load(filter, (iterator, chunk) -> jedis.bfLoadChunk("seen", iterator, chunk));
 * }</pre>
 *
 * <p>The other way needs no method: the data of {@code BF.SCANDUMP}, one chunk after another, is
 * what {@link ForeignFilter#read} reads.
 */
public final class RedisBloomChunks {
  private static final int MOST_BYTES = 16 << 20; // As BF.SCANDUMP cuts them.

  private RedisBloomChunks() {}

  /** Sends one chunk: {@code BF.LOADCHUNK key iterator chunk}. */
  public interface Loader {
    /**
     * Sends a chunk.
     *
     * @param iterator the iterator of the command
     * @param chunk the data of the command
     * @throws IOException if it could not be sent
     */
    void load(long iterator, byte[] chunk) throws IOException;
  }

  /**
   * Sends all chunks in order. The key must not exist. Until the last chunk is loaded, Redis says
   * "not here" about keys whose chunk has not arrived: load under another name and rename it.
   *
   * @param filter a filter of the format {@code redisbloom}
   * @param loader sends a chunk
   * @throws IllegalArgumentException if the filter has another format
   * @throws IOException if the loader throws it
   */
  public static void load(ForeignFilter filter, Loader loader) throws IOException {
    if (!(filter.contents() instanceof RedisBloomChain chain)) {
      throw new IllegalArgumentException("format must be redisbloom: " + filter.format());
    }
    loader.load(1, chain.header());
    long iterator = 1;
    for (HeapWords words : chain.data()) {
      long word = 0;
      while (word < words.count()) { // No chunk may go on in the next link.
        int count = (int) Math.min(MOST_BYTES / 8, words.count() - word);
        ByteBuffer chunk = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
          chunk.putLong(words.get(word++));
        }
        iterator += chunk.capacity();
        loader.load(iterator, chunk.array());
      }
    }
  }
}
