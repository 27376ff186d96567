package io.woodbird;

import java.util.List;
import java.util.Locale;

/**
 * The size, the load and the doubts of a filter at one moment.
 *
 * @param layout the structure in words, such as {@code "blocked Bloom, 2 words x 3 bits"}
 * @param bits the bits it holds
 * @param expectedKeys how many keys it was built for
 * @param estimatedKeys how many keys it holds: exact where the structure counts, otherwise from the
 *     share of bits set
 * @param fill the share of its room that is used, 0 to 1
 * @param promisedFpp the false positive probability it was built for
 * @param currentFpp the false positive probability now, from the bits as they are; above {@code
 *     promisedFpp} the filter holds more keys than planned
 * @param doubts why answers were {@link Answer#UNKNOWN}; empty when all is well
 */
public record FilterStats(
    String layout,
    long bits,
    long expectedKeys,
    long estimatedKeys,
    double fill,
    double promisedFpp,
    double currentFpp,
    List<String> doubts) {
  /** {@return whether more keys were put than the promise holds for} */
  public boolean overfull() {
    return currentFpp > promisedFpp;
  }

  /**
   * Returns the same with other doubts.
   *
   * @param others why answers were {@link Answer#UNKNOWN}
   * @return a copy
   */
  public FilterStats withDoubts(List<String> others) {
    return new FilterStats(
        layout, bits, expectedKeys, estimatedKeys, fill, promisedFpp, currentFpp, others);
  }

  /** Says layout, bits, keys and fpp in one line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s, %,d bits, about %,d of %,d keys, fpp %.3g now, %.3g promised%s%s",
        layout,
        bits,
        estimatedKeys,
        expectedKeys,
        currentFpp,
        promisedFpp,
        overfull() ? ", OVERFULL" : "",
        doubts.isEmpty() ? "" : ", doubts: " + doubts);
  }
}
