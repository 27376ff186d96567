package io.woodbird.key;

/** The 64-bit finaliser of SplitMix64: every input bit flips every output bit half of the time. */
final class Mix {
  private Mix() {}

  /** Returns a bijection of {@code value}, as in {@link java.util.SplittableRandom}. */
  static long mix64(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
