package io.woodbird.file;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Tag;

/**
 * The fuzzers of every reader of foreign bytes. In the slow build they replay the corpus beside
 * this class in the test resources; {@link MutationTest} does so in every build. To let one search
 * for new inputs, which it adds to the corpus if they fail:
 *
 * <pre>
 * JAZZER_FUZZ=1 mvn -Dwoodbird.quick -Pslow test -pl core -Dtest=FileFuzzTest#sealedFilter \
 *     -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@link LongFuzzTest} does so for all of them, for a few minutes each.
 */
@Tag("slow")
class FileFuzzTest {
  @FuzzTest(maxDuration = "10m")
  void filter(byte[] bytes) {
    FuzzTargets.filter(bytes);
  }

  @FuzzTest(maxDuration = "10m")
  void sealedFilter(byte[] bytes) {
    FuzzTargets.sealedFilter(bytes);
  }

  @FuzzTest(maxDuration = "10m")
  void sealedForeign(byte[] bytes) {
    FuzzTargets.sealedForeign(bytes);
  }

  @FuzzTest(maxDuration = "10m")
  void journal(byte[] bytes) {
    FuzzTargets.journal(bytes);
  }

  @FuzzTest(maxDuration = "10m")
  void sealedJournal(byte[] bytes) {
    FuzzTargets.sealedJournal(bytes);
  }
}
