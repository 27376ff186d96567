package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A filter with a delta laid over it. */
final class PatchedFilter<K> extends HashedFilter<K> implements OpenFilter<K> {
  private static final int SECTION_HEAD_BYTES = 32;

  private final StoredFilter<K> base;
  private final Overlay overlay;
  private final byte[] delta;

  private PatchedFilter(FilterSpec<K> spec, StoredFilter<K> base, Overlay overlay, byte[] delta) {
    super(spec);
    this.base = base;
    this.overlay = overlay;
    this.delta = delta;
  }

  /** Lays the overlay of a file, if it has one, over its filter. */
  static <K> OpenFilter<K> of(
      OpenFilter<K> base, StoredFile file, KeyHasher<K> keys, OpenRules rules) throws IOException {
    byte[] delta = file.overlay();
    if (delta == null) {
      return base;
    }
    Overlay overlay = Overlay.read(delta, rules);
    overlay.requireBase(file);
    StoredFilter<K> filter = (StoredFilter<K>) base; // Whatever takes deltas is one.
    return new PatchedFilter<>(FilterSpec.of(overlay.header(), keys), filter, overlay, delta);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return (base.mightContainHash(hash) && !overlay.removes(hash)) || overlay.adds(hash);
  }

  @Override
  public Answer ask(K key) {
    Answer answer = base.ask(key);
    long hash = hashOf(key);
    if (overlay.adds(hash)) {
      return Answer.MAYBE_HERE;
    }
    return overlay.removes(hash) ? Answer.NOT_HERE : answer;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    int[] inBase = Arrays.copyOf(selected, base.candidates(hashes, count, selected));
    int next = 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      boolean maybe = next < inBase.length && inBase[next] == i;
      next += maybe ? 1 : 0;
      selected[kept] = i;
      kept += (maybe && !overlay.removes(hashes[i])) || overlay.adds(hashes[i]) ? 1 : 0;
    }
    return kept;
  }

  @Override
  public FilterStats stats() {
    FilterStats before = base.stats();
    Header header = overlay.header();
    return new FilterStats(
        String.format(
            Locale.ROOT,
            "%s, patched: %,d keys added, %,d removed",
            before.layout(),
            header.parameter(2),
            header.parameter(3)),
        before.bits() + 8L * delta.length,
        header.expectedKeys(),
        header.keyCount(),
        before.fill(),
        header.promisedFpp(),
        Math.min(1, before.currentFpp() + header.promisedFpp() - before.promisedFpp()),
        before.doubts());
  }

  @Override
  public long sizeInBytes() {
    return base.sizeInBytes() + SECTION_HEAD_BYTES + Overlay.padded(delta.length);
  }

  @Override
  public Image image() throws IOException {
    Image image = base.image();
    List<byte[]> overlaid = List.of(FileWriter.overlay(image.header(), delta));
    return new Image(image.header(), image.data(), overlaid);
  }

  @Override
  public void verify() throws IOException {
    base.verify();
  }

  @Override
  public void close() {
    base.close();
  }
}
