package io.woodbird.filter.bloom;

import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.BlockedBloom;

/**
 * A blocked Bloom filter on the heap of the usual shape: two words of one block, three bits each.
 */
final class TwoWordBloomFilter<K> extends BlockedBloomFilter<K> {
  /*
   * From an fpp of 0.7 % to 3 %, where most filters are, a question decides nothing about its
   * shape. The general form looks at three fields (decision 2).
   */
  TwoWordBloomFilter(FilterSpec<K> spec, BlockedBloom layout, OverfullNotices notices) {
    super(spec, layout, notices);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return missingOfTwo(hash, 3) == 0;
  }
}
