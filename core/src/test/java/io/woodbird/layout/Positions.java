package io.woodbird.layout;

import java.util.Arrays;

/** The layouts as sets of bit positions: slow, and plain enough to be seen right. */
final class Positions {
  private Positions() {}

  /** The bits of a hash in ascending order, counted from the first of the filter. */
  static long[] sorted(BlockedBloom layout, long hash) {
    return Arrays.stream(of(layout, hash)).sorted().distinct().toArray();
  }

  /** The bits of a hash, some of them perhaps twice. */
  static long[] of(BlockedBloom layout, long hash) {
    BlockShape shape = layout.shape();
    long[] bits = new long[shape.blocks() * shape.words() * shape.bits()];
    int count = add(bits, 0, layout, hash);
    if (shape.blocks() == 2) {
      count = add(bits, count, layout, BlockedBloom.other(hash));
    }
    Arrays.fill(bits, count, bits.length, bits[0]);
    return bits;
  }

  private static int add(long[] bits, int count, BlockedBloom layout, long hash) {
    long first = BlockedBloom.block(hash, layout.blockCount()) * BlockedBloom.BITS;
    long fields = layout.fields(hash);
    int to = count;
    for (int j = 0; j < layout.shape().words(); j++) {
      to = add(bits, to, first + 64 * layout.word(fields, j), layout.mask(fields, j));
    }
    return to;
  }

  private static int add(long[] bits, int count, long firstBit, long mask) {
    int to = count;
    for (long rest = mask; rest != 0; rest &= rest - 1) {
      bits[to++] = firstBit + Long.numberOfTrailingZeros(rest);
    }
    return to;
  }

  /** The positions of a hash in the order of the steps. */
  static long[] of(ClassicBloom layout, long hash) {
    long[] positions = new long[layout.hashCount()];
    long state = ClassicBloom.first(hash);
    for (int i = 0; i < positions.length; i++) {
      positions[i] = ClassicBloom.position(state, layout.bitCount());
      state = ClassicBloom.next(state);
    }
    return positions;
  }
}
