package io.woodbird.redis;

import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.SharedFilter;
import io.woodbird.guard.SharedStore;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.OptionalLong;

/** The filter of one name, for those who build it from a source. */
record RedisStore<K>(WoodbirdRedis redis, String name) implements SharedStore<K> {
  @Override
  public SharedFilter<K> open(GenerationStore.Plan<K> plan, Runnable lost) {
    return new SourcedFilter<>(redis, name, plan, lost);
  }

  /**
   * Of the name alone: hashes that somebody keeps stay right when the filter is lost and made anew.
   */
  @Override
  public OptionalLong seed() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return OptionalLong.of(ByteBuffer.wrap(digest.digest(Command.bytes(name))).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }
}
