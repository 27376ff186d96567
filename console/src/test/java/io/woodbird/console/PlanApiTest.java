package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FilterPlan;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlanApiTest {
  @ParameterizedTest
  @CsvSource({
    "10M, 0.1%, 10000000, 0.001",
    "2e9, 1%, 2000000000, 0.01",
    "1000, 1/1000000, 1000, 0.000001",
    "1, 0.5, 1, 0.5"
  })
  void plan_givesThePlannersNumbersForAnFpp(String keys, String fpp, long n, double p)
      throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(Map.of("keys", keys, "fpp", fpp));
    var planner = Woodbird.plan(n).fpp(p);
    assertThat(answer)
        .containsEntry("limitBitsPerKey", planner.limitBitsPerKey())
        .containsEntry("limitFpp", planner.limitFpp());
    assertSame(answer, planner.plans());
  }

  @Test
  void plan_givesThePlannersNumbersForABudget() throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(Map.of("keys", "2e9", "budget", "500MB"));
    var planner = Woodbird.plan(2_000_000_000L).maxBytes(500_000_000);
    assertSame(answer, planner.plans());
    assertThat((Double) answer.get("limitFpp")).isEqualTo(0.25);
    assertThat((List<?>) answer.get("ways")).hasSize(2);
  }

  /** Beyond what a 64-bit hash can keep there is no curve to draw, but still a plan. */
  @Test
  void plan_takesABudgetThatIsFarTooLarge() throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(Map.of("keys", "10k", "budget", "1MiB"));
    assertSame(answer, Woodbird.plan(10_000).maxBytes(1 << 20).plans());
    assertThat((List<?>) answer.get("load")).isEmpty();
    assertThat((List<?>) PlanApi.plan(Map.of("keys", "1", "budget", "10GB")).get("plans"))
        .isNotEmpty();
  }

  @Test
  void plan_leavesOutWhatDoesNotServe() throws BadRequestException {
    Map<String, Object> answer =
        PlanApi.plan(Map.of("keys", "1M", "fpp", "1%", "needs", "put,delete"));
    assertSame(answer, Woodbird.plan(1_000_000).fpp(0.01).needs(Need.PUT, Need.DELETE).plans());
  }

  private static void assertSame(Map<String, Object> answer, List<FilterPlan> plans) {
    List<?> described = (List<?>) answer.get("plans");
    assertThat(described).hasSameSizeAs(plans);
    for (int i = 0; i < plans.size(); i++) {
      FilterPlan plan = plans.get(i);
      assertThat(described.get(i))
          .isEqualTo(
              Map.of(
                  "family", plan.family(),
                  "bytes", plan.bytes(),
                  "bits", plan.bits(),
                  "bitsPerKey", plan.bitsPerKey(),
                  "limitBitsPerKey", plan.limitBitsPerKey(),
                  "fpp", plan.fpp()));
    }
  }

  @Test
  void load_meetsThePromiseAtFullLoadAndBreaksItBeyond() throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(Map.of("keys", "10M", "fpp", "0.1%"));
    for (Object curve : (List<?>) answer.get("load")) {
      double[] fpp = (double[]) ((Map<?, ?>) curve).get("fpp");
      assertThat(fpp).hasSize(31).isSorted();
      assertThat(fpp[10]).isBetween(0.0008, 0.001);
      assertThat(fpp[20]).isGreaterThan(0.01);
    }
  }

  /** Both Bloom families reach another rate than the best one does in the same bytes. */
  @Test
  void load_inABudgetIsThatOfTheFamily() throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(Map.of("keys", "2e9", "budget", "500MB"));
    List<?> curves = (List<?>) answer.get("load");
    assertThat(curves).hasSize(2);
    for (Object curve : curves) {
      String family = (String) ((Map<?, ?>) curve).get("family");
      double planned =
          Woodbird.plan(2_000_000_000L).maxBytes(500_000_000).plans().stream()
              .filter(plan -> plan.family().equals(family))
              .findAny()
              .orElseThrow()
              .fpp();
      // 20,000 keys set about 20,000 of 40,000 bits: one sigma of the fill is below 0.5 %, and of
      // the rate, which is its first or second power, below 1 %.
      double reached = ((double[]) ((Map<?, ?>) curve).get("fpp"))[10];
      assertThat(reached).as(family).isBetween(0.95 * planned, 1.05 * planned);
    }
    Map<String, Object> none =
        PlanApi.plan(Map.of("keys", "2e9", "budget", "5GB", "needs", "delete"));
    assertThat((List<?>) none.get("load")).isEmpty();
  }

  @Test
  void map_givesTheSmallestOfThePlanner() throws BadRequestException {
    Map<String, Object> answer = PlanApi.map(Map.of("needs", "put"));
    List<?> rows = (List<?>) answer.get("cells");
    Map<?, ?> cell = (Map<?, ?>) ((List<?>) rows.get(1)).get(4);
    FilterPlan least = Woodbird.plan(10_000_000).fpp(0.01).needs(Need.PUT).plans().get(0);
    assertThat(cell.get("bytes")).isEqualTo(least.bytes());
    assertThat(cell.get("family")).isEqualTo(least.family());
  }

  /** What the page offers to copy as Java must compile. */
  @Test
  void snippets_compile(@TempDir java.nio.file.Path classes)
      throws BadRequestException, IOException {
    List<String> bodies = new ArrayList<>();
    for (Map<String, String> question :
        List.of(Map.of("keys", "10M", "fpp", "0.1%"), Map.of("keys", "3e9", "budget", "5GB"))) {
      Map<?, ?> all = (Map<?, ?>) PlanApi.plan(question).get("snippets");
      for (Object family : all.values()) {
        Object java = ((Map<?, ?>) family).get("java");
        if (java != null) {
          bodies.add(java.toString());
        }
      }
    }
    assertThat(bodies).hasSizeGreaterThanOrEqualTo(6);
    StringBuilder source =
        new StringBuilder("import io.woodbird.*; import io.woodbird.key.*; class Copied {\n");
    for (int i = 0; i < bodies.size(); i++) {
      source.append("void m" + i + "(java.util.List<String> keys) {\n" + bodies.get(i) + "}\n");
    }
    source.append("}\n");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Copied.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    List<String> options =
        List.of(
            "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
    boolean done = compiler.getTask(null, null, problems, options, null, List.of(file)).call();
    assertThat(done).as(problems.getDiagnostics() + "\n" + source).isTrue();
  }
}
