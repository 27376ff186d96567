package io.woodbird.filter;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.UntrustedFilterException;
import io.woodbird.file.FileReader;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.bloom.BloomCodec;
import io.woodbird.filter.bloom.CountingCodec;
import io.woodbird.filter.frozen.FrozenCodec;
import io.woodbird.filter.quotient.GrowingCodec;
import io.woodbird.filter.quotient.QuotientCodec;
import io.woodbird.filter.window.WindowCodec;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Opens filters of any layout from files, buffers and streams. */
public final class StoredFilters {
  private StoredFilters() {}

  /** Opens a file; see {@link FileReader#open}. */
  public static <K> OpenFilter<K> open(Path path, KeyHasher<K> keys, OpenRules rules)
      throws IOException {
    try {
      return opened(path, keys, rules);
    } catch (InternalError e) {
      // The JVM throws it where a mapped page is gone, sometimes a while after the page was read.
      throw new CorruptFilterException(path + ": cut short while it was being opened");
    }
  }

  private static <K> OpenFilter<K> opened(Path path, KeyHasher<K> keys, OpenRules rules)
      throws IOException {
    StoredFile file = file(path, rules);
    try {
      file.requireWhole(path + ": ");
      return PatchedFilter.of(plain(file, keys), file, keys, rules);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /** Returns the filter of a file, without its overlay. */
  static <K> OpenFilter<K> plain(StoredFile file, KeyHasher<K> keys) throws CorruptFilterException {
    return file.isInMemory() && isSound(file) ? loaded(file, keys) : stored(file, keys);
  }

  /** Opens a file. Its messages begin with the path. */
  static StoredFile file(Path path, OpenRules rules) throws IOException {
    try {
      return FileReader.open(path, rules);
    } catch (CorruptFilterException e) {
      throw new CorruptFilterException(path + ": " + e.getMessage());
    } catch (UntrustedFilterException e) {
      throw new UntrustedFilterException(e.reason(), path + ": " + e.getMessage());
    }
  }

  /** Checks every page of a file of any kind, also of a delta, and who signed it. */
  public static void verify(Path path, OpenRules rules) throws IOException {
    try (StoredFile file = file(path, rules)) {
      file.verify();
      byte[] delta = file.overlay();
      if (delta != null) {
        Overlay.read(delta, rules).requireBase(file);
      }
    } catch (CorruptFilterException e) {
      String message = String.valueOf(e.getMessage());
      throw message.startsWith(path + ": ") ? e : new CorruptFilterException(path + ": " + message);
    }
  }

  /** Whether a file that was read into memory can be taken as it is. */
  private static boolean isSound(StoredFile file) {
    try {
      file.verify();
      return true;
    } catch (CorruptFilterException e) {
      return false; // Its good pages still answer.
    }
  }

  private static <K> OpenFilter<K> loaded(StoredFile file, KeyHasher<K> keys)
      throws CorruptFilterException {
    Codec codec = codec(file.header().layout());
    FilterSpec<K> spec = spec(file, keys);
    if (!isFixed(codec)) {
      return new StoredFilter<>(spec, codec.stored(file));
    }
    Filter<K> filter = codec.onHeap(spec, file);
    return filter instanceof OpenFilter<K> map ? map : StoredFilter.loaded(spec, filter);
  }

  public static <K> Filter<K> of(ByteBuffer buffer, KeyHasher<K> keys)
      throws CorruptFilterException {
    try {
      StoredFile file = FileReader.of(buffer, OpenRules.ANY);
      file.requireWhole("");
      return PatchedFilter.of(stored(file, keys), file, keys, OpenRules.ANY);
    } catch (CorruptFilterException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Never thrown: memory can be read.
    }
  }

  public static <K> Filter<K> read(InputStream in, KeyHasher<K> keys, OpenRules rules)
      throws IOException {
    StoredFile file = FileReader.read(in, rules);
    file.requireWhole("");
    FilterSpec<K> spec = spec(file, keys);
    Filter<K> filter = codec(file.header().layout()).onHeap(spec, file);
    return file.overlay() == null
        ? filter
        : PatchedFilter.of(StoredFilter.loaded(spec, filter), file, keys, rules);
  }

  private static <K> OpenFilter<K> stored(StoredFile file, KeyHasher<K> keys)
      throws CorruptFilterException {
    Codec codec = codec(file.header().layout());
    FilterSpec<K> spec = spec(file, keys);
    if (file.header().layout() == LayoutId.RIBBON_MAP) { // It is asked for values too.
      return FrozenCodec.storedMap(spec, file);
    }
    return isFixed(codec)
        ? StoredFilter.warming(spec, file, codec)
        : new StoredFilter<>(spec, codec.stored(file));
  }

  /**
   * Whether the form on the heap answers as the file does. The others can be changed there, or age.
   */
  private static boolean isFixed(Codec codec) {
    return codec == BloomCodec.INSTANCE || codec == FrozenCodec.INSTANCE;
  }

  public static <K> FilterSpec<K> spec(StoredFile file, KeyHasher<K> keys) {
    Header header = file.header();
    if (!header.keyId().equals(keys.id())) {
      throw new IncompatibleFilterException(
          "the filter was built with other keys\n  its keys:   "
              + header.keyId()
              + "\n  your keys:  "
              + keys.id()
              + "\nopen it with the key hasher it was built with");
    }
    return FilterSpec.of(header, keys);
  }

  private static Codec codec(LayoutId layout) {
    return switch (layout) {
      case BLOCKED_BLOOM, CLASSIC_BLOOM -> BloomCodec.INSTANCE;
      case RIBBON, FUSE, RIBBON_MAP, EXACT -> FrozenCodec.INSTANCE;
      case QUOTIENT -> QuotientCodec.INSTANCE;
      case COUNTING_BLOOM -> CountingCodec.INSTANCE;
      case GROWING -> GrowingCodec.INSTANCE;
      case WINDOW -> WindowCodec.INSTANCE;
      case DELTA, DIFFERENCE ->
          throw new IncompatibleFilterException(
              "the file is a delta: apply it to its base with Woodbird.patch, or woodbird patch");
      case SCHEME ->
          throw new IncompatibleFilterException(
              "the file holds the bits of a well-known scheme, which has no 64-bit hash: read it"
                  + " with io.woodbird.classic.ClassicFilter.load");
      case FOREIGN ->
          throw new IncompatibleFilterException(
              "the file holds a filter of another program, which has no 64-bit hash: read it with"
                  + " io.woodbird.classic.ForeignFilter");
    };
  }
}
