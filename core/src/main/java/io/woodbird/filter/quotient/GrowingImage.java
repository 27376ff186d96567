package io.woodbird.filter.quotient;

import io.woodbird.file.DataSource;
import io.woodbird.layout.Growing;
import java.nio.ByteBuffer;
import java.util.List;

/** The words of a growing filter as they are stored in a file. */
final class GrowingImage implements DataSource {
  /*
   * First an entry of four words per shard, in the order of the hash bits that choose it:
   *
   *   word 0   bits that choose the shard (byte 0), bits of a quotient (byte 1), slots (upper half)
   *   word 1   where the shard's words begin
   *   word 2   the sum, over its payloads, of the share of foreign keys that match, as a double
   *   word 3   the lowest hash of the shard, so that a reader can find a shard by bisection
   *
   * then the words of the shards, each as QuotientTable stores them. All words are inverted.
   */
  private final List<Piece> pieces;
  private final long[] entries;
  private int piece = -1;
  private long pieceEnd;
  private long pieceStart;
  private QuotientTable copy;

  GrowingImage(List<Piece> pieces) {
    this.pieces = pieces;
    this.copy = pieces.get(0).table;
    this.entries = new long[Growing.ENTRY_WORDS * pieces.size()];
    long next = entries.length;
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      int at = Growing.ENTRY_WORDS * i;
      entries[at] = piece.shardBits | piece.quotientBits << 8 | (long) piece.table.slots() << 32;
      entries[at + 1] = next;
      entries[at + 2] = Double.doubleToLongBits(piece.passes);
      // In two steps, as Java ignores a shift by 64.
      entries[at + 3] = piece.prefix << 1 << (63 - piece.shardBits);
      next += piece.storedWords();
    }
    this.pieceEnd = entries.length;
    this.pieceStart = pieceEnd;
  }

  /** The number of words. */
  static long words(List<Piece> pieces) {
    long words = (long) Growing.ENTRY_WORDS * pieces.size();
    for (Piece piece : pieces) {
      words += piece.storedWords();
    }
    return words;
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    for (long word = offset / 8; target.hasRemaining(); word++) {
      target.putLong(~word(word));
    }
  }

  private long word(long word) {
    if (word < entries.length) {
      return entries[(int) word];
    }
    while (word >= pieceEnd) {
      copy = pieces.get(++piece).copy();
      pieceStart = pieceEnd;
      pieceEnd += pieces.get(piece).storedWords();
    }
    return copy.storedWord((int) (word - pieceStart));
  }

  /**
   * A shard at one moment.
   *
   * @param shard the shard, whose lock guards the table
   * @param prefix the bits that choose the shard
   * @param payloads how many payloads it has
   */
  record Piece(
      GrowingShard shard,
      long prefix,
      int shardBits,
      int quotientBits,
      QuotientTable table,
      double passes,
      long payloads) {
    int placeBits() {
      return shardBits + quotientBits;
    }

    long place(int quotient) {
      return prefix << quotientBits | quotient;
    }

    int storedWords() {
      return QuotientTable.storedWords(table.slots(), table.width());
    }

    QuotientTable copy() {
      long stamp = shard.lock().readLock();
      try {
        return table.copy();
      } finally {
        shard.lock().unlockRead(stamp);
      }
    }
  }
}
