package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Time to ask about one long: the filter on the heap beside the same filter from its file, all of
 * whose pages are in memory.
 */
public class MappedBench extends AskBench<long[]> {
  @Param({"WOODBIRD", "WOODBIRD_MAPPED", "WOODBIRD_BATCH", "WOODBIRD_MAPPED_BATCH"})
  RivalKind rival;

  // A file of up to 16 MiB (13 million keys) is read and not mapped.
  @Param({"20000000", "100000000"})
  long n;

  @Setup
  public void fill() {
    fill(KeyKind.LONGS, rival, n);
  }
}
