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
import io.woodbird.layout.Quotient;
import io.woodbird.words.WordSource;
import java.util.List;

/** Writes and reads quotient filters in files. Their words are stored inverted. */
public enum QuotientCodec implements Codec {
  INSTANCE;

  static Header header(Quotient layout, FilterSpec<?> spec) {
    return spec.header(
        LayoutId.QUOTIENT,
        0,
        dataBytes(layout),
        layout.shardBits(),
        layout.quotients(),
        layout.remainderBits());
  }

  static long dataBytes(Quotient layout) {
    return layout.bitCount() / 8;
  }

  static FilterStats stats(Quotient layout, FilterSpec<?> spec, long count, List<String> doubts) {
    return new FilterStats(
        "quotient filter, " + layout.remainderBits() + " bits a remainder",
        8 * dataBytes(layout),
        spec.expectedKeys(),
        count,
        (double) count / ((double) layout.slots() * layout.shards()),
        spec.promisedFpp(),
        layout.fpp(count),
        doubts);
  }

  private static Quotient layout(Header header) throws CorruptFilterException {
    long shardBits = header.parameter(0);
    long quotients = header.parameter(1);
    long remainderBits = header.parameter(2);
    Header.require(shardBits >= 0 && shardBits <= 24, "shards", shardBits);
    Header.require(quotients > 0 && quotients <= 1 << 28, "number of quotients", quotients);
    Header.require(
        remainderBits > 0 && remainderBits <= Quotient.MAX_REMAINDER_BITS,
        "remainder",
        remainderBits);
    Header.require(header.expectedKeys() > 0, "expected keys", header.expectedKeys());
    Quotient layout = new Quotient((int) shardBits, (int) quotients, (int) remainderBits);
    Header.require(
        (double) layout.slots() * layout.remainderBits() < 0x1p36, "shard size", layout.slots());
    Header.require(dataBytes(layout) == header.dataBytes(), "data bytes", header.dataBytes());
    return layout;
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    return new StoredQuotientFilter(file, new Places(layout(file.header())));
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    Quotient layout = layout(file.header());
    QuotientFilter<K> filter = QuotientFilter.load(spec, layout, word -> ~file.get(word));
    if (!filter.isSound()) { // The checksums are right, so the file was written this way.
      throw new CorruptFilterException("the tables of the quotient filter contradict themselves");
    }
    return filter;
  }

  /** The shards of a filter that does not grow. */
  private record Places(Quotient layout) implements QuotientPlaces {
    @Override
    public StoredQuotientShard shard(int number, WordSource words) {
      int slots = layout.slots();
      int width = layout.remainderBits();
      long size = QuotientTable.storedWords(slots, width);
      return new StoredQuotientShard(layout.quotients(), slots, width, words, number * size);
    }

    @Override
    public int shardOf(long hash) {
      return layout.shard(hash);
    }

    @Override
    public int quotientOf(long hash) {
      return layout.quotient(layout.inShard(hash));
    }

    @Override
    public boolean isIn(QuotientReader shard, long hash) {
      long inShard = layout.inShard(hash);
      return shard.contains(layout.quotient(inShard), layout.remainder(inShard));
    }

    @Override
    public FilterStats stats(FilterSpec<?> spec, WordSource words, List<String> doubts) {
      long count = 0;
      for (int i = 0; i < layout.shards(); i++) {
        count += shard(i, words).count();
      }
      return QuotientCodec.stats(layout, spec, count, doubts);
    }
  }
}
