package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.file.DataSource;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Filters of the well-known schemes in {@code .wbird} files. */
final class SchemeFormat {
  /*
   * Bits are stored inverted, as for all Bloom filters in such files: zeros mean "maybe here".
   */
  private static final String KEY_ID = "scheme:";

  private SchemeFormat() {}

  /** Writes a filter to a file, completely or not at all. */
  static void save(ClassicFilter filter, Path path) throws IOException {
    if (!Scheme.names().contains(filter.scheme().name())) {
      throw new IllegalArgumentException(
          "a file has no name for this scheme, only for "
              + Scheme.names()
              + ": "
              + filter.scheme());
    }
    Header header =
        new Header(
            LayoutId.SCHEME,
            0,
            KEY_ID + filter.scheme().name(),
            0,
            1,
            0,
            filter.words().count() * 8,
            List.of(filter.bits(), (long) filter.hashes()));
    FileWriter.save(
        header, DataSource.inverted(filter.words()), Objects.requireNonNull(path, "path"));
  }

  /** Reads a filter and checks all of it. */
  static ClassicFilter read(InputStream in) throws IOException {
    StoredFile file = FileReader.read(in);
    Header header = file.header();
    if (header.layout() != LayoutId.SCHEME) {
      throw new IncompatibleFilterException(
          "the file holds no filter of a well-known scheme: open it with Woodbird.open");
    }
    String name = header.keyId().startsWith(KEY_ID) ? header.keyId().substring(7) : "";
    if (!Scheme.names().contains(name)) {
      throw new IncompatibleFilterException(
          "the file has a scheme that this version does not know: " + header.keyId());
    }
    long hashes = header.parameter(1);
    long bits = header.parameter(0);
    // A question computes all hashes. A forged header must not make it compute billions, so more
    // hashes than bits are refused. Up to 255 are always accepted, as many as Guava can write.
    Header.require(
        hashes > 0 && hashes <= Math.min(Integer.MAX_VALUE, Math.max(255, bits)),
        "number of hashes",
        hashes);
    Header.require(
        bits > 0 && bits <= header.dataBytes() * 8 && bits > header.dataBytes() * 8 - 64,
        "number of bits",
        bits);
    ClassicFilter filter;
    try {
      filter = Scheme.of(name).filterOf(bits, (int) hashes);
    } catch (IllegalArgumentException e) {
      throw new CorruptFilterException("the header has an impossible size: " + e.getMessage());
    }
    Header.require(filter.words().count() * 8 == header.dataBytes(), "number of bits", bits);
    for (long word = 0; word < filter.words().count(); word++) {
      filter.words().set(word, ~file.get(word));
      Header.require((filter.words().get(word) & filter.neverNamed()) == 0, "word", word);
    }
    long past = filter.pastTheEnd(filter.words().get(filter.words().count() - 1));
    Header.require(past == 0, "last word", past);
    return filter;
  }
}
