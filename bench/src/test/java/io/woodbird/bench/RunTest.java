package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.woodbird.bench.rival.RivalKind;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunTest {
  private static final Cell OURS =
      new Cell(KeyKind.LONGS, 1_000, RivalKind.WOODBIRD, Workload.MISS);

  @Test
  void judge_takesTheMedianRatioAndShowsTheRounds() {
    Results results = new Results();
    for (double nanos : new double[] {10, 20, 10}) {
      results.add(OURS, sample(nanos));
    }
    for (double nanos : new double[] {100, 100, 90}) {
      results.add(OURS.of(RivalKind.GUAVA), sample(nanos));
    }
    Verdict verdict = Promise.ask("one long", OURS, RivalKind.GUAVA, 9).judge(results);
    assertThat(verdict.measured()).isEqualTo(9);
    assertThat(verdict.range()).isEqualTo(new Verdict.Range(5, 10));
    assertThat(verdict.kept()).isTrue();
    assertThat(Promise.ask("one long", OURS, RivalKind.GUAVA, 9.1).judge(results).kept()).isFalse();
  }

  /** Each JVM says when it is its turn; no other one may run then. */
  public static final class Turner {
    private Turner() {}

    public static void main(String[] args) throws InterruptedException {
      StringBuilder times = new StringBuilder();
      for (int i = 0; i < 3; i++) {
        Forks.awaitTurn();
        times.append(times.isEmpty() ? "" : ",").append(System.nanoTime());
        Thread.sleep(20);
        times.append(",").append(System.nanoTime());
      }
      System.out.println("times=" + times);
      System.exit(Integer.parseInt(args[0]));
    }
  }

  @Test
  void rivals_takeTurns() throws Exception {
    Forks forks = new Forks(List.of(), new Progress(List.of(), 1));
    Forks.Job good = new Forks.Job(List.of("-Xmx64m"), Turner.class, List.of(0));
    Forks.Job bad = new Forks.Job(List.of("-Xmx64m"), Turner.class, List.of(3));
    List<Fork> done = forks.runInTurns(List.of(good, good, bad));
    List<Double> one = done.get(0).values().get("times");
    List<Double> two = done.get(1).values().get("times");
    for (int turn = 0; turn < 3; turn++) {
      assertThat(one.get(2 * turn + 1)).isLessThanOrEqualTo(two.get(2 * turn));
      if (turn < 2) {
        assertThat(two.get(2 * turn + 1)).isLessThanOrEqualTo(one.get(2 * turn + 2));
      }
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> done.get(2).values())
        .withMessageContaining("exit code 3");
  }

  @Test
  void whatIsCompared_isMeasuredInTurns() {
    int compared = 0;
    for (Section section : Suite.sections(Scale.FULL)) {
      if (section instanceof Questions questions) {
        List<List<Questions.Group>> batches = Questions.batches(questions.groups(), 24);
        assertThat(batches.stream().mapToInt(List::size).sum())
            .isEqualTo(questions.groups().size());
        for (Claim claim : questions.claims()) {
          if (claim instanceof Promise promise
              && promise.ours().rival().frozen() == promise.theirs().frozen()) {
            assertThat(batches)
                .as("%s", promise)
                .anyMatch(
                    batch ->
                        batch.stream().anyMatch(group -> measures(group, promise.ours()))
                            && batch.stream()
                                .anyMatch(
                                    group -> measures(group, promise.ours().of(promise.theirs()))));
            compared++;
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(40);
  }

  private static boolean measures(Questions.Group group, Cell cell) {
    return group.rival() == cell.rival()
        && group.size().n() == cell.n()
        && (group.workloads().isEmpty() || group.workloads().contains(cell.workload()));
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
    results.add(
        OURS, new Sample(List.of(1.0), List.of(1.0), List.of(), List.of(), 0.009, 10.3, 24, 0));
    assertThat(results.standing())
        .filteredOn(verdict -> !verdict.kept())
        .singleElement()
        .satisfies(verdict -> assertThat(verdict.promise()).startsWith("bytes per question"));
  }

  @Test
  void everyPromise_isMeasuredByItsSection() {
    int judged = 0;
    for (Scale scale : List.of(Scale.FULL, Scale.QUICK, Scale.SMOKE)) {
      for (Section section : Suite.sections(scale)) {
        if (section instanceof Questions questions) {
          List<Cell> cells = questions.cells();
          assertThat(cells).doesNotHaveDuplicates();
          for (Claim claim : questions.claims()) {
            if (claim instanceof Promise promise) {
              assertThat(questions.sizes())
                  .as("%s", promise)
                  .anyMatch(
                      size ->
                          size.n() == promise.ours().n()
                              && size.rivals().contains(promise.ours().rival())
                              && size.rivals().contains(promise.theirs()));
              if (promise.time() == Promise.Time.ASK) { // Filling is measured with any question.
                assertThat(cells).contains(promise.ours(), promise.ours().of(promise.theirs()));
              }
              judged++;
            }
          }
        }
      }
    }
    assertThat(judged).isGreaterThan(60);
  }

  @Test
  void sections_haveTheirOwnNamesAndAreShort() {
    List<Section> sections = Suite.sections(Scale.FULL);
    assertThat(sections).extracting(Section::name).doesNotHaveDuplicates();
    assertThat(sections).allMatch(section -> section.seconds() <= 300);
  }

  @Test
  void judge_comparesARemoveWithTheirPut() {
    Results results = new Results();
    Cell ours = OURS.of(RivalKind.WOODBIRD_QUOTIENT);
    List<Double> none = List.of();
    results.addFilling(ours, new Sample(none, List.of(2.0), none, List.of(8.0), 0.01, 10, 0, 0));
    results.addFilling(OURS, sample(4));
    Verdict verdict = Promise.remove("remove", ours, RivalKind.WOODBIRD, 0.5).judge(results);
    assertThat(verdict.measured()).isEqualTo(0.5);
    assertThat(verdict.kept()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"WOODBIRD", "WOODBIRD_QUOTIENT", "WOODBIRD_COUNTING"})
  void probe_measuresAndItsLinesAreReadBack(RivalKind rival) throws IOException {
    Map<String, Sample> samples =
        new Probe<>(KeyKind.LONGS, 1_000, rival, 0.001).measure(List.of(Workload.MIX));
    Sample sample = samples.get("mix.");
    assertThat(sample.ask()).isPositive();
    assertThat(sample.put()).isPositive();
    assertThat(sample.removeNanos().isEmpty()).isEqualTo(rival == RivalKind.WOODBIRD);
    Properties lines = new Properties();
    lines.load(new StringReader(sample.toLines("mix.")));
    Map<String, List<Double>> read = new TreeMap<>();
    lines.forEach((name, value) -> read.put((String) name, numbers((String) value)));
    assertThat(Sample.of(read, "mix.")).isEqualTo(sample);
  }

  private static List<Double> numbers(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
  }

  @Test
  void document_isReadBackAsWritten(@TempDir Path folder) throws IOException {
    Document document = new Document("cache", "a \"title\"", "bench/run");
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", 100_000.0);
    at.put("workload", "mix");
    Row row = Row.of("woodbird", "ask", "ns", at, 7, 9.25, 8);
    document.add(row);
    document.add(Verdict.atMost("Bits per key, at 1 %", "", 10.4, 10.3));
    document.write(folder);
    Published read = Published.all(folder).get("cache");
    assertThat(read.rows()).containsExactly(row);
    assertThat(read.text("title")).isEqualTo("a \"title\"");
    assertThat(read.promises())
        .singleElement()
        .satisfies(
            promise -> assertThat(promise.get("id").stringValue()).isEqualTo("bits-per-key-at-1"));
    assertThat(Page.of(Published.all(folder), List.of()))
        .contains("| woodbird | 8 |")
        .doesNotContain("not kept");
  }

  private static Sample sample(double nanos) {
    return new Sample(List.of(nanos), List.of(nanos), List.of(), List.of(), 0.01, 10, 0, 0);
  }

  @Test
  void roundsOnBothSidesOfTheTarget_decideNothing() {
    Verdict.Range both = new Verdict.Range(0.9, 1.3);
    assertThat(Verdict.atLeast("", "x", 1, 1.05, both).undecided()).isTrue();
    assertThat(Verdict.atLeast("", "x", 1, 0.8, both).undecided()).as("far away").isFalse();
    assertThat(Verdict.atLeast("", "x", 1.4, 1.1, both).undecided()).isFalse();
    assertThat(Verdict.atLeast("", "x", 0.8, 1.1, both)).matches(Verdict::kept);
    assertThat(Verdict.atMost("", "ns", 1, 1.05, both).undecided()).isTrue();
    assertThat(Verdict.atMost("", "ns", 1, 1.1).undecided()).isFalse();
  }
}
