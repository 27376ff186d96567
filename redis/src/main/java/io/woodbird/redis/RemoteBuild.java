package io.woodbird.redis;

import io.woodbird.redis.layout.GenerationSpec;
import java.util.OptionalLong;

/**
 * Rebuilds a filter from many machines at once: this one leads the build, and others load the
 * shards of the new generation. Internal, for modules that run in a cluster; programs call {@link
 * RedisBloomFilter#rebuild}.
 */
public final class RemoteBuild {
  private RemoteBuild() {}

  /** Lets other machines load all shards. */
  public interface Work {
    /**
     * Returns when every shard is loaded.
     *
     * @param filter the name of the filter
     * @param generation what is being built
     * @return how many keys there were
     * @throws Exception if a shard is not known to be loaded; then the old generation stays
     */
    long load(String filter, GenerationSpec generation) throws Exception;
  }

  /**
   * Builds a new generation and makes it the current one, as {@link RedisBloomFilter#rebuild} does.
   *
   * @param filter as this machine has opened it
   * @param work called when all clients are known to put into both generations
   * @param options how long the build and the old generation last, and the fewest keys to accept
   * @return the number of the generation; nothing if another client is building, or has taken over
   * @throws Exception what {@code work} throws, or if the build failed; the old filter goes on
   */
  public static OptionalLong run(RedisBloomFilter<?> filter, Work work, RedisRebuild options)
      throws Exception {
    if (filter instanceof RedisBloom<?> bloom) {
      return run(bloom, work, options);
    }
    throw new IllegalArgumentException("not opened by WoodbirdRedis: " + filter);
  }

  private static <K> OptionalLong run(RedisBloom<K> filter, Work work, RedisRebuild options)
      throws Exception {
    return filter.rebuild((generation, heap) -> work.load(filter.shared.name, generation), options);
  }
}
