package io.woodbird.filter.quotient;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.Codec;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.Growing;
import java.util.List;

/** Writes and reads growing filters in files. Their words are stored inverted. */
public enum GrowingCodec implements Codec {
  INSTANCE;

  static Header header(
      Growing layout, FilterSpec<?> spec, long keys, List<GrowingImage.Piece> pieces) {
    long bytes = 8 * GrowingImage.words(pieces);
    return spec.header(LayoutId.GROWING, keys, bytes, pieces.size(), layout.fingerprintBits());
  }

  /**
   * Returns what a shard adds to the fpp of the filter, at most. It would be less if the payloads
   * were spread at random. But keys without bits are stored in every quotient that they may have.
   */
  static double fpp(double passes, int shardBits, int quotientBits) {
    return Math.max(0, Math.min(1, passes / (1 << quotientBits))) * Math.pow(2, -shardBits);
  }

  static FilterStats stats(
      Growing layout,
      FilterSpec<?> spec,
      long keys,
      long bits,
      double fill,
      double fpp,
      List<String> doubts) {
    return new FilterStats(
        "growing quotient filter, " + layout.fingerprintBits() + " bits a new fingerprint",
        bits,
        spec.expectedKeys(),
        keys,
        fill,
        spec.promisedFpp(),
        fpp,
        doubts);
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    return new StoredQuotientFilter(file, new GrowingPlaces(file));
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    return new GrowingPlaces(file).load(spec, word -> ~file.get(word));
  }
}
