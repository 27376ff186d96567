package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Time to ask about one String: a URL of 60 characters.
 *
 * <p>DataSketches is left out, as its option stops any JVM but 17 from starting: {@code -p
 * rival=DATASKETCHES -jvmArgsAppend "--add-modules jdk.incubator.foreign"}.
 */
public class StringLookupBench extends AskBench<String[]> {
  @Param({
    "WOODBIRD",
    "WOODBIRD_BATCH",
    "WOODBIRD_CLASSIC",
    "GUAVA",
    "FASTFILTER_BLOCKED",
    "FASTFILTER_BLOOM",
    "FASTFILTER_XOR8",
    "SPARK",
    "COMMONS",
    "HASHSET"
  })
  RivalKind rival;

  @Param({"100000", "10000000"})
  long n;

  @Setup
  public void fill() {
    fill(KeyKind.STRINGS, rival, n);
  }
}
