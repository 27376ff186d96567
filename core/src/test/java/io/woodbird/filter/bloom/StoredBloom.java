package io.woodbird.filter.bloom;

import io.woodbird.CorruptFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.file.Header;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredFilter;
import io.woodbird.key.KeyHasher;

/** Makes filters of stored files that tests have put together. */
public final class StoredBloom {
  private StoredBloom() {}

  /** Makes the filter that answers from a file. */
  public static <K> OpenFilter<K> of(StoredFile file, KeyHasher<K> keys)
      throws CorruptFilterException {
    Header header = file.header();
    return new StoredFilter<>(
        new FilterSpec<>(keys, header.seed(), header.expectedKeys(), header.promisedFpp()),
        BloomCodec.INSTANCE.stored(file));
  }
}
