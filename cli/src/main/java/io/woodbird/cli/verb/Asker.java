package io.woodbird.cli.verb;

import io.woodbird.Answer;
import io.woodbird.FrozenMap;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Lines;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import io.woodbird.console.shared.FileHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** A filter file of any family or scheme that answers for lines. */
interface Asker extends AutoCloseable {
  Answer ask(ByteBuffer key);

  /** Returns the value of a key that may be here; empty if the filter is no map. */
  default OptionalLong value(ByteBuffer key) {
    return OptionalLong.empty();
  }

  /**
   * Asks about a batch of lines, puts the indexes of those that may be here into {@code selected},
   * ascending, and returns how many.
   */
  int candidates(Lines batch, int count, int[] selected);

  /** Why answers were unknown; empty when all is well. */
  List<String> doubts();

  @Override
  void close();

  /** Opens a file. */
  static Asker open(Call call, Path path) throws IOException {
    FileHeader header = Filters.header(path);
    SignedFilters trusted = Signers.trusted(call);
    if (trusted != null) {
      return new OfFilter(Filters.trusted(call, path, header, trusted));
    }
    return header.isOwn() ? new OfFilter(Filters.open(call, path)) : converted(path, header);
  }

  /** Opens a filter of a well-known scheme or of another program. */
  static Asker converted(Path path, FileHeader header) throws IOException {
    return header.isScheme()
        ? new OfBytes(Filters.scheme(path)::mightContain)
        : foreign(Filters.foreign(path));
  }

  /** Asks a filter. */
  final class OfFilter implements Asker {
    private final OpenFilter<ByteBuffer> filter;
    private final long[] hashes = new long[Lines.BATCH];

    OfFilter(OpenFilter<ByteBuffer> filter) {
      this.filter = filter;
    }

    @Override
    public Answer ask(ByteBuffer key) {
      return filter.ask(key);
    }

    @Override
    public OptionalLong value(ByteBuffer key) {
      return filter instanceof FrozenMap<ByteBuffer> map ? map.get(key) : OptionalLong.empty();
    }

    @Override
    public int candidates(Lines batch, int count, int[] selected) {
      for (int i = 0; i < count; i++) {
        hashes[i] = filter.hashOf(batch.key(i));
      }
      return filter.candidates(hashes, count, selected);
    }

    @Override
    public List<String> doubts() {
      return filter.stats().doubts();
    }

    @Override
    public void close() {
      filter.close();
    }
  }

  /** Asks a filter of another program. The keys of a fuse filter are numbers in decimal. */
  private static Asker foreign(ForeignFilter filter) {
    if (!filter.format().startsWith("fuse")) {
      return new OfBytes(filter::mightContain);
    }
    return new OfBytes(
        key -> {
          try {
            return filter.mightContain(new String(key, StandardCharsets.UTF_8));
          } catch (IllegalArgumentException e) {
            throw Problem.BAD_KEY.failure(
                e,
                "a line is no key of this filter.",
                LineKeys.shown(String.valueOf(e.getMessage())),
                "the numbers that the filter was built from");
          }
        });
  }

  /** Asks a filter that has no 64-bit hash and takes a copy of the key. */
  record OfBytes(Predicate<byte[]> filter) implements Asker {
    @Override
    public Answer ask(ByteBuffer key) {
      int from = key.arrayOffset() + key.position();
      byte[] copy = Arrays.copyOfRange(key.array(), from, from + key.remaining());
      return filter.test(copy) ? Answer.MAYBE_HERE : Answer.NOT_HERE;
    }

    @Override
    public int candidates(Lines batch, int count, int[] selected) {
      int kept = 0;
      for (int i = 0; i < count; i++) {
        selected[kept] = i;
        kept += ask(batch.key(i)) == Answer.NOT_HERE ? 0 : 1;
      }
      return kept;
    }

    @Override
    public List<String> doubts() {
      return List.of();
    }

    @Override
    public void close() {
      // On the heap.
    }
  }
}
