package io.woodbird.filter;

import io.woodbird.OpenFilter;
import io.woodbird.file.AsLarge;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Path;

/** Filters of longs from files of any size, opened as those of more than 16 MiB are. */
public final class OpenedAsLarge {
  private OpenedAsLarge() {}

  /** As Woodbird.open would. */
  public static OpenFilter<Long> opened(Path path) throws IOException {
    return StoredFilters.plain(AsLarge.opened(path), Keys.longs());
  }

  /** As Woodbird.map would. */
  public static OpenFilter<Long> mapped(Path path) throws IOException {
    return StoredFilters.plain(AsLarge.mapped(path), Keys.longs());
  }
}
