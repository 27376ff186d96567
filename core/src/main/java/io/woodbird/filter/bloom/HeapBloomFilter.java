package io.woodbird.filter.bloom;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.file.DataSource;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.words.HeapWords;
import java.util.List;

/** What the two Bloom filters on the heap have in common: everything but which bits a hash owns. */
abstract class HeapBloomFilter<K> extends HeapFilter<K> implements BloomFilter<K> {
  private final OverfullNotices notices;

  HeapBloomFilter(FilterSpec<K> spec, OverfullNotices notices) {
    super(spec);
    this.notices = notices;
  }

  /** Sets the bits of a hash; true if this call was the one that completed them. */
  abstract boolean set(long hash);

  abstract HeapWords words();

  abstract BloomShape shape();

  @Override
  public final boolean putHash(long hash) {
    boolean fresh = set(hash);
    if (fresh) {
      notice(hash);
    }
    return fresh;
  }

  /** Tells the listener, if there is one and it is time, that a put changed a bit. */
  final void notice(long hash) {
    notices.fresh(hash, this::stats);
  }

  @Override
  public final void union(BloomFilter<K> other) {
    requireSameShape(other);
    HeapWords from = ((HeapBloomFilter<K>) other).words();
    HeapWords to = words();
    for (long word = 0; word < from.count(); word++) {
      to.setBits(HeapWords.index(word), from.get(word));
    }
    recount();
  }

  /** Tells the listener, if there is one, when bits came without puts. */
  final void recount() {
    notices.recount(this::stats);
  }

  @Override
  public final FilterStats stats() {
    return shape().stats(words(), spec(), List.of());
  }

  @Override
  public final Image image() {
    return new Image(BloomCodec.header(shape(), spec()), DataSource.inverted(words()));
  }
}
