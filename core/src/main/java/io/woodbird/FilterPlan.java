package io.woodbird;

import java.util.Locale;

/**
 * The size of a filter before it is built.
 *
 * @param family the kind of filter: {@code bloom}, {@code bloom-classic}, {@code ribbon} and {@code
 *     fuse} (the two frozen ones), {@code map}, {@code exact}, {@code deletable}, {@code counting},
 *     {@code growing} or {@code window}
 * @param keys how many keys it is for
 * @param fpp the false positive probability to expect with that many keys
 * @param bits the bits it holds
 * @param bytes the bytes its file takes, all in all; on the heap it takes as much within 0.2 %.
 *     What is built takes exactly that, except where the keys decide: {@code ribbon} from 1,000
 *     keys on is within four segments of 64 slots or 0.05 %, {@code fuse} from four million on
 *     within 0.7 %, and of {@code growing} with more than 7,619 keys it is the average
 */
public record FilterPlan(String family, long keys, double fpp, long bits, long bytes) {
  /** {@return the bits it holds per key, 0 if there are no keys} */
  public double bitsPerKey() {
    return keys == 0 ? 0 : (double) bits / keys;
  }

  /** {@return log2(1 / fpp), the information limit: no structure has fewer bits per key} */
  public double limitBitsPerKey() {
    return -Math.log(fpp) / Math.log(2);
  }

  /** Says family, keys, size and fpp in one line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-13s %,d keys, fpp %.3g %%, %,d bytes, %.2f bits a key (limit %.2f)",
        family,
        keys,
        100 * fpp,
        bytes,
        bitsPerKey(),
        limitBitsPerKey());
  }
}
