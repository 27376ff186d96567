package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Planner;
import io.woodbird.Woodbird;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * {@code woodbird plan} gives the numbers of {@link Planner}. {@code PlanPageTest} says the same of
 * the console's page for the same questions, so that both give the same numbers.
 */
final class PlanNumbersTest {
  /** A question as the command line takes it, and as the planner does. */
  private record Question(Planner planner, String... words) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(Woodbird.plan(10_000_000).fpp(0.001), "-n", "10M", "-p", "0.1%"),
          new Question(Woodbird.plan(1).fpp(0.5), "-n", "1", "-p", "0.5"),
          new Question(Woodbird.plan(1_234_567).fpp(1e-9), "-n", "1_234_567", "-p", "1e-9"),
          new Question(Woodbird.plan(1_000_000_000).fpp(1e-6), "-n", "1e9", "-p", "1/1000000"),
          new Question(
              Woodbird.plan(2_000_000_000).maxBytes(500_000_000), "-n", "2e9", "--budget", "500MB"),
          new Question(Woodbird.plan(10_000).maxBytes(1_048_576), "-n", "10k", "--budget", "1MiB"));

  @Test
  void everyNumber_isThePlanners() {
    for (Question question : QUESTIONS) {
      List<String> words = new ArrayList<>(List.of("plan", "--json"));
      words.addAll(List.of(question.words));
      Map<String, List<Double>> expected = new TreeMap<>();
      question
          .planner
          .plans()
          .forEach(
              plan ->
                  expected.put(
                      plan.family(),
                      List.of((double) plan.bytes(), plan.bitsPerKey(), plan.fpp())));
      assertThat(expected).hasSizeGreaterThan(3);
      assertThat(families(Command.run(words.toArray(String[]::new)).out()))
          .as("%s", words)
          .isEqualTo(expected);
    }
  }

  /** Bytes, bits per key and fpp of each family, from the report of the command. */
  private static Map<String, List<Double>> families(String json) {
    Map<String, List<Double>> families = new TreeMap<>();
    Map<String, String> members = new TreeMap<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          String name = parser.currentName();
          if (name.equals("needed")) {
            break; // Other sizes, for another question.
          }
          parser.nextToken();
          members.put(name, String.valueOf(parser.getString()));
        } else if (token == JsonToken.END_OBJECT && members.containsKey("family")) {
          families.put(
              String.valueOf(members.remove("family")),
              List.of(
                  Double.valueOf(members.get("bytes")),
                  Double.valueOf(members.get("bitsPerKey")),
                  Double.valueOf(members.get("fpp"))));
        }
      }
    }
    return families;
  }
}
