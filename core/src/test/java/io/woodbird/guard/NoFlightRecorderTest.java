package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.file.ChildJvm;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A runtime without the Java Flight Recorder, in a process of its own. */
@Tag("jdk")
final class NoFlightRecorderTest {
  @Test
  void aRuntimeWithoutTheRecorder_works() throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(ChildJvm.SHORT_LIVED);
    options.addAll(List.of("--limit-modules", "java.base"));
    ChildJvm.Result result = ChildJvm.run(ChildJvm.command(options, WithoutRecorder.class));
    assertThat(result.output()).isEqualTo("recorder false, 2 keys, 3 is NOT_HERE\n");
    assertThat(result.exit()).isZero();
  }

  /** Runs in a JVM of its own. */
  static final class WithoutRecorder {
    private WithoutRecorder() {}

    public static void main(String[] args) throws Exception {
      try (RebuildingFilter<Long> filter =
          RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L, 2L)).seed(1).build()) {
        Generation built = filter.rebuildNow().get(5, TimeUnit.MINUTES);
        Answer answer = filter.ask(3L);
        boolean there = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
        System.out.print(
            "recorder " + there + ", " + built.keys() + " keys, 3 is " + answer + "\n");
      }
    }
  }
}
