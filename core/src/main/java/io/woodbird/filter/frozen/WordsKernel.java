package io.woodbird.filter.frozen;

import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import org.jspecify.annotations.Nullable;

/** Asks a frozen filter of any size as it is in its file. */
abstract class WordsKernel extends FrozenKernel {
  private final WordSource words;
  private final long @Nullable [] heap;

  WordsKernel(WordSource words) {
    this.words = words;
    this.heap = words instanceof HeapWords onHeap ? onHeap.array() : null;
  }

  @Override
  final long word(long index) {
    // Words come from heap, file and buffer; a call that may go to any of them takes as long as all
    // the rest of a question.
    return heap != null ? heap[HeapWords.index(index)] : words.get(index);
  }

  /** Hands on every word that {@link #lacks} may look at for this hash. */
  abstract void visit(long hash, WordVisitor visitor);

  /** Takes the place of a word; false ends the visit. */
  interface WordVisitor {
    boolean visit(long word);
  }
}
