package io.woodbird.filter.frozen;

import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import org.jspecify.annotations.Nullable;

/** Queries a frozen filter of any size in the words of its file. */
abstract class WordsKernel extends FrozenKernel {
  private final WordSource words;
  private final long @Nullable [] heap;

  WordsKernel(WordSource words) {
    this.words = words;
    this.heap = words instanceof HeapWords onHeap ? onHeap.array() : null;
  }

  @Override
  final long word(long index) {
    // Words come from heap, file or buffer. A virtual call to any of them would take as long as the
    // rest of a question.
    return heap != null ? heap[HeapWords.index(index)] : words.get(index);
  }
}
