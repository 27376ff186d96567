package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.bench.RegressionCheck.Ratio;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two minutes of measuring, which needs a quiet machine. */
@Tag("slow")
class RegressionTest {
  @Test
  void ratios_areNotFarBelowWhatIsPromised() throws IOException, InterruptedException {
    Map<Ratio, Double> ratios = new RegressionCheck().measure(RegressionCheck.RATIOS);
    System.out.println("ratios, their time by ours: " + ratios);
    assertThat(ratios)
        .allSatisfy((ratio, value) -> assertThat(value).isGreaterThanOrEqualTo(ratio.least()));
  }

  @Test
  void aFilterThatIsFourTimesSlower_isFound() throws IOException, InterruptedException {
    Ratio ratio = RegressionCheck.RATIOS.get(0);
    double value = new RegressionCheck(4).measure(List.of(ratio)).get(ratio);
    System.out.println("the same of a slowed filter: " + ratio + "=" + value);
    assertThat(value).isLessThan(ratio.least());
  }
}
