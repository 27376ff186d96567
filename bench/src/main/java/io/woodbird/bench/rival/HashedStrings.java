package io.woodbird.bench.rival;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;

/** Strings for a set that takes longs only, through a 64-bit hash. */
record HashedStrings(LongRival longs) implements StringRival {
  /*
   * hash4j's rapidhash over the UTF-8 bytes: of what hash4j has, the fastest for a String of 60
   * characters (HashBench.rapidStrings), and the function that Woodbird uses. So a rival without a
   * hash of its own gets a good one.
   */
  private static final Hasher64 HASHER = Hashing.rapidhashV3();

  private static long hash(String key) {
    return HASHER.hashBytesToLong(key.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void put(String key) {
    longs.put(hash(key));
  }

  @Override
  public boolean mightContain(String key) {
    return longs.mightContain(hash(key));
  }

  @Override
  public void finish() {
    longs.finish();
  }

  @Override
  public long bits() {
    return longs.bits();
  }
}
