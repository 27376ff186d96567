package io.woodbird.bench;

/** Boxes small Longs, as any real program has done before it asks its first question. */
final class Boxes {
  /*
   * Long.valueOf looks small values up and allocates the others. In a JVM that never saw a small one
   * the compiler drops the look-up, and then the box of a key never comes to be. Once small Longs
   * were seen, C2 of JDK 17 keeps the box: 24 bytes per call of a method that takes a Long. A
   * benchmark with large keys only would hide that from everyone who passes longs as Long.
   *
   * -Dwoodbird.bench.boxes=false leaves it out.
   */
  private static final int COUNT = 1_000_000;

  private Boxes() {}

  static void warm() {
    if (System.getProperty("woodbird.bench.boxes", "true").equals("false")) {
      return;
    }
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {
      Long box = (long) (i % 400 - 200);
      sum += box.hashCode();
    }
    if (sum == 0) { // Never: only here so that the loop is not optimised away.
      throw new AssertionError(sum);
    }
  }
}
