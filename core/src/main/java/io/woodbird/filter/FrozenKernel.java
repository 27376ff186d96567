package io.woodbird.filter;

import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import org.jspecify.annotations.Nullable;

/** Asks the words of a frozen filter. */
abstract class FrozenKernel {
  private final WordSource words;
  private final long @Nullable [] heap;
  private final ShardTable table;

  FrozenKernel(WordSource words, ShardTable table) {
    this.words = words;
    this.heap = words instanceof HeapWords onHeap ? onHeap.array() : null;
    this.table = table;
  }

  final long get(long word) {
    // Words come from heap, file and buffer; a call that may go to any of them takes as long as all
    // the rest of a question.
    return heap != null ? heap[HeapWords.index(word)] : words.get(word);
  }

  final ShardTable table() {
    return table;
  }

  /** Whether the words say that this hash was not built in. */
  abstract boolean lacks(long hash);

  /** Hands on every word that {@link #lacks} may look at for this hash. */
  abstract void visit(long hash, WordVisitor visitor);

  /** Returns a word that {@link #lacks} looks at early. */
  abstract long touch(long hash);

  /** Takes the place of a word; false ends the visit. */
  interface WordVisitor {
    boolean visit(long word);
  }
}
