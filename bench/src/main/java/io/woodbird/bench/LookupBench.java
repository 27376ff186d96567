package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Time to ask about one long. */
public class LookupBench extends AskBench<long[]> {
  @Param({
    "WOODBIRD",
    "WOODBIRD_BATCH",
    "WOODBIRD_CLASSIC",
    "GUAVA",
    "FASTFILTER_BLOCKED",
    "FASTFILTER_BLOOM",
    "FASTFILTER_XOR8",
    "SPARK",
    "DATASKETCHES",
    "COMMONS",
    "HASHSET"
  })
  RivalKind rival;

  @Param({"100000", "10000000", "100000000"})
  long n;

  @Setup
  public void fill() {
    fill(KeyKind.LONGS, rival, n);
  }
}
