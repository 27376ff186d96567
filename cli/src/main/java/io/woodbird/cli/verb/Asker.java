package io.woodbird.cli.verb;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.MappedFilter;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.cli.lines.Lines;
import io.woodbird.cli.model.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A filter file of any family or scheme that answers for lines. */
interface Asker extends AutoCloseable {
  /** Asks about a key. */
  Answer ask(ByteBuffer key);

  /**
   * Asks about a batch of lines.
   *
   * @param selected receives the indexes of those that may be here, ascending
   * @return how many
   */
  int candidates(Lines batch, int count, int[] selected);

  /** Why answers were unknown; empty when all is well. */
  List<String> doubts();

  @Override
  void close();

  /** Opens a file. */
  static Asker open(Call call, Path path) throws IOException {
    if (Filters.header(path).isScheme()) {
      return new OfScheme(Filters.scheme(path));
    }
    return open(Filters.open(call, path));
  }

  /** Asks a filter that is open. */
  static Asker open(MappedFilter<ByteBuffer> filter) {
    return new OfFilter(filter);
  }

  /** Asks a filter. */
  final class OfFilter implements Asker {
    private final MappedFilter<ByteBuffer> filter;
    private final long[] hashes = new long[Lines.BATCH];

    OfFilter(MappedFilter<ByteBuffer> filter) {
      this.filter = filter;
    }

    @Override
    public Answer ask(ByteBuffer key) {
      return filter.ask(key);
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
      FilterStats stats = filter.stats();
      return stats.doubts();
    }

    @Override
    public void close() {
      filter.close();
    }
  }

  /** Asks a filter of a well-known scheme, which takes a copy of the key. */
  record OfScheme(ClassicFilter filter) implements Asker {
    @Override
    public Answer ask(ByteBuffer key) {
      int from = key.arrayOffset() + key.position();
      byte[] copy = Arrays.copyOfRange(key.array(), from, from + key.remaining());
      return filter.mightContain(copy) ? Answer.MAYBE_HERE : Answer.NOT_HERE;
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
