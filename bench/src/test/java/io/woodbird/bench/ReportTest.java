package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.bench.rival.RivalKind;
import java.io.IOException;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReportTest {
  private static final Cell OURS =
      new Cell(KeyKind.LONGS, 1_000, RivalKind.WOODBIRD, Workload.MISS);

  @Test
  void judge_comparesMediansAndShowsTheRounds() {
    Results results = new Results();
    for (double nanos : new double[] {10, 20, 10}) {
      results.add(OURS, sample(nanos));
    }
    for (double nanos : new double[] {100, 100, 90}) {
      results.add(OURS.of(RivalKind.GUAVA), sample(nanos));
    }
    Verdict verdict = Promise.ask("one long", OURS, RivalKind.GUAVA, 10).judge(results);
    assertThat(verdict.measured()).isEqualTo(10);
    assertThat(verdict.range()).isEqualTo(new Verdict.Range(5, 10));
    assertThat(verdict.kept()).isTrue();
    assertThat(Promise.ask("one long", OURS, RivalKind.GUAVA, 10.1).judge(results).kept())
        .isFalse();
  }

  @Test
  void judge_doesNotPassWhatWasNotMeasured() {
    Results results = new Results();
    results.add(OURS, sample(10));
    assertThat(Promise.put("put", OURS, RivalKind.GUAVA, 4).judge(results).kept()).isFalse();
  }

  @Test
  void standing_findsGarbage() {
    Results results = new Results();
    results.add(OURS, new Sample(List.of(1.0), List.of(1.0), List.of(), 0.009, 10.3, 24, 0));
    assertThat(results.standing())
        .filteredOn(verdict -> !verdict.kept())
        .singleElement()
        .satisfies(verdict -> assertThat(verdict.promise()).startsWith("bytes per question"));
  }

  @Test
  void everyPromise_isMeasuredByItsPlan() {
    for (Plan plan : List.of(Plan.quick(), Plan.full(), Plan.smoke())) {
      List<Cell> cells = plan.sections().stream().flatMap(s -> s.cells().stream()).toList();
      assertThat(cells).doesNotHaveDuplicates();
      for (Promise promise : plan.promises()) {
        assertThat(cells).contains(promise.ours(), promise.ours().of(promise.theirs()));
      }
    }
  }

  @Test
  void judge_comparesARemoveWithTheirPut() {
    Results results = new Results();
    Cell ours = OURS.of(RivalKind.WOODBIRD_QUOTIENT);
    results.add(ours, new Sample(List.of(1.0), List.of(2.0), List.of(8.0), 0.01, 10, 0, 0));
    results.add(OURS, sample(4));
    Verdict verdict = Promise.remove("remove", ours, RivalKind.WOODBIRD, 0.5).judge(results);
    assertThat(verdict.measured()).isEqualTo(0.5);
    assertThat(verdict.kept()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"WOODBIRD", "WOODBIRD_QUOTIENT", "WOODBIRD_COUNTING"})
  void probe_measuresAndItsLinesAreReadBack(RivalKind rival) throws IOException {
    Sample sample = new Probe<>(KeyKind.LONGS, 1_000, rival, 0.001).measure(Workload.MIX);
    assertThat(sample.ask()).isPositive();
    assertThat(sample.put()).isPositive();
    assertThat(sample.removeNanos().isEmpty()).isEqualTo(rival == RivalKind.WOODBIRD);
    Properties lines = new Properties();
    lines.load(new StringReader(sample.toLines()));
    assertThat(Sample.of(lines)).isEqualTo(sample);
  }

  @Test
  void json_isWrittenAndEscaped() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a \"b\"\n");
    map.put("numbers", List.of(1.5, Double.NaN));
    map.put("maps", List.of(Map.of("yes", true)));
    assertThat(Json.of(map))
        .isEqualTo(
            """
            {
              "text": "a \\"b\\"\\u000a",
              "numbers": [1.5, null],
              "maps": [
                {"yes": true}
              ]
            }
            """);
  }

  private static Sample sample(double nanos) {
    return new Sample(List.of(nanos), List.of(nanos), List.of(), 0.01, 10, 0, 0);
  }
}
