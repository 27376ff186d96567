package io.woodbird.filter.frozen;

import java.util.Locale;

/**
 * What a frozen filter should be: its kind, and its fpp or its size.
 *
 * @param fuse whether it is a fuse filter; otherwise a ribbon
 * @param fpp the fpp, if neither limit is given
 * @param bitsPerKey the bits per key, or 0
 * @param maxBytes the most bytes of the file, or 0
 */
public record FrozenGoal(boolean fuse, double fpp, double bitsPerKey, long maxBytes) {
  /** Says that {@code words} words are too few for {@code count} keys. */
  IllegalArgumentException tooSmall(long count, long words) {
    double bits = count == 0 ? 0 : Math.max(0, words) * 64.0 / count;
    return new IllegalArgumentException(
        maxBytes > 0
            ? String.format(
                Locale.ROOT,
                "%,d keys do not fit into maxBytes %,d, which leaves %.3f bits a key",
                count,
                maxBytes,
                bits)
            : String.format(
                Locale.ROOT, "%,d keys can't be kept in %s bits a key", count, bitsPerKey));
  }
}
