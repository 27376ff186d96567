package io.woodbird.filter.frozen;

import io.woodbird.words.HeapWords;
import java.util.ArrayList;
import java.util.List;

/** Collects the words of a filter on the heap until their number is known. */
final class HeapSink implements ShardPool.Sink {
  private final List<long[]> pieces = new ArrayList<>();
  private long[] table = new long[0];

  @Override
  public void write(long firstWord, long[] words) {
    if (firstWord == 0) {
      table = words;
    } else {
      pieces.add(words);
    }
  }

  long[] table() {
    return table;
  }

  HeapWords join() {
    long count = table.length;
    for (long[] piece : pieces) {
      count += piece.length;
    }
    HeapWords words = new HeapWords(count);
    System.arraycopy(table, 0, words.array(), HeapWords.index(0), table.length);
    long at = table.length;
    for (long[] piece : pieces) {
      System.arraycopy(piece, 0, words.array(), HeapWords.index(at), piece.length);
      at += piece.length;
    }
    return words;
  }
}
