package io.woodbird.filter.quotient;

import io.woodbird.words.WordSource;

/** One shard of a quotient filter in stored words. */
final class StoredQuotientShard extends QuotientReader {
  private final WordSource words;
  private final long bitsAt;
  private final long offsetsAt;
  private final long payloadsAt;

  StoredQuotientShard(int quotients, int slots, int width, WordSource words, long at) {
    super(quotients, slots, width);
    this.words = words;
    this.bitsAt = at;
    this.offsetsAt = bitsAt + 2L * blocks();
    this.payloadsAt = offsetsAt + (blocks() + 7) / 8;
  }

  long count() {
    return words.get(payloadsAt + QuotientTable.payloadWords(slots(), width()));
  }

  @Override
  long occupiedBits(int block) {
    return words.get(bitsAt + 2L * block);
  }

  @Override
  long runEnds(int block) {
    return words.get(bitsAt + 2L * block + 1);
  }

  @Override
  int storedOffset(int block) {
    return (int) (words.get(offsetsAt + (block >>> 3)) >>> (8 * (block & 7))) & 0xff;
  }

  @Override
  int countOffset(int block) {
    // In a wiped file all offsets are 255, and each count would run through all earlier blocks.
    words.prove(offsetsAt + (block >>> 3));
    return super.countOffset(block);
  }

  @Override
  long payloadWord(int word) {
    return words.get(payloadsAt + word);
  }
}
