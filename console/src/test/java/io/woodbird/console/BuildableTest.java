package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import io.woodbird.console.Abilities.Ability;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the Plan tab offers can be built: each snippet is compiled, run, and its filter looked at.
 */
final class BuildableTest {
  private static final int KEYS = 3000;
  private static final List<String> NAMES =
      IntStream.range(0, KEYS).mapToObj(i -> "key " + i).toList();

  @TempDir private Path folder;

  private static Map<String, String> java(Map<String, String> question) throws BadRequestException {
    Map<String, Object> answer = PlanApi.plan(question);
    Map<String, String> snippets = new LinkedHashMap<>();
    Map<?, ?> all = (Map<?, ?>) answer.get("snippets");
    for (Object plan : (List<?>) answer.get("plans")) {
      String family = (String) ((Map<?, ?>) plan).get("family");
      Object java = ((Map<?, ?>) all.get(family)).get("java");
      assertThat(java).as("%s of %s", family, question).isNotNull();
      snippets.put(family, java.toString());
    }
    return snippets;
  }

  /** Runs the snippets, and gives each family's filter. */
  private Map<String, Filter<String>> build(Map<String, String> snippets)
      throws IOException, ReflectiveOperationException {
    StringBuilder source =
        new StringBuilder(
            "import io.woodbird.*; import io.woodbird.key.*; public class Copied {\n");
    snippets.forEach(
        (family, java) ->
            source.append(
                "public static Filter<String> %s(java.util.List<String> keys) {%n%s return filter; }%n"
                    .formatted(family.replace('-', '_'), java)));
    Path file = folder.resolve("Copied.java");
    Files.writeString(file, source.append("}\n"));
    String path = System.getProperty("java.class.path");
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-cp", path, file.toString());
    assertThat(code).as(source.toString()).isZero();
    Map<String, Filter<String>> filters = new LinkedHashMap<>();
    URL[] where = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(where, getClass().getClassLoader())) {
      for (String family : snippets.keySet()) {
        Method method = loader.loadClass("Copied").getMethod(family.replace('-', '_'), List.class);
        @SuppressWarnings("unchecked")
        Filter<String> filter = (Filter<String>) method.invoke(null, NAMES);
        if (filter instanceof MutableFilter<String> mutable) {
          NAMES.forEach(mutable::put);
        }
        filters.put(family, filter);
      }
    }
    return filters;
  }

  @Test
  void everyFamily_isBuiltAsPlanned() throws Exception {
    Map<String, Filter<String>> filters =
        build(java(Map.of("keys", String.valueOf(KEYS), "fpp", "0.5%")));
    assertThat(filters.keySet())
        .containsExactlyInAnyOrder(
            "bloom",
            "bloom-classic",
            "ribbon",
            "fuse",
            "deletable",
            "counting",
            "growing",
            "window");
    filters.forEach(
        (family, filter) -> {
          assertThat(filter.candidates(NAMES)).as(family).hasSize(KEYS);
          assertThat(filter.stats().promisedFpp()).as(family).isLessThanOrEqualTo(0.005);
        });
    assertThat(filters.get("counting").stats().layout()).startsWith("counting");
    assertThat(filters.get("bloom-classic").stats().layout()).startsWith("classic");
    assertThat(filters.get("window").stats().layout()).startsWith("window");
  }

  @Test
  void everyFamily_keepsToTheBudget() throws Exception {
    for (long budget : new long[] {6_000, 12_000}) {
      Map<String, Filter<String>> filters =
          build(java(Map.of("keys", String.valueOf(KEYS), "budget", String.valueOf(budget))));
      assertThat(filters).hasSizeGreaterThanOrEqualTo(7);
      for (Map.Entry<String, Filter<String>> entry : filters.entrySet()) {
        Path file = folder.resolve(entry.getKey() + ".wbird");
        entry.getValue().save(file);
        assertThat(Files.size(file)).as(entry.getKey()).isLessThanOrEqualTo(budget);
        assertThat(entry.getValue().candidates(NAMES)).as(entry.getKey()).hasSize(KEYS);
      }
    }
  }

  /** From one key to two billion, and from 50 % to one in a hundred million. */
  @Test
  void everyPlan_hasItsCall() throws BadRequestException {
    for (String keys : List.of("1", "1000", "10M", "300M")) {
      for (String fpp : List.of("0.5", "0.1%", "1e-6", "1e-8")) {
        assertThat(java(Map.of("keys", keys, "fpp", fpp))).isNotEmpty();
      }
    }
    for (String budget : List.of("2GB", "10GB")) {
      assertThat(java(Map.of("keys", "2e9", "budget", budget))).isNotEmpty();
    }
  }

  /** A call is left out only where the builder itself refuses, and where nobody would want it. */
  @Test
  void whatIsTooLarge_hasNoCall() throws BadRequestException {
    Map<?, ?> all = (Map<?, ?>) PlanApi.plan(Map.of("keys", "1e10", "fpp", "1e-6")).get("snippets");
    assertThat(((Map<?, ?>) all.get("counting")).containsKey("java")).isFalse();
    assertThatThrownBy(
            () -> Woodbird.deletable(Keys.strings(), 10_000_000_000L).counting().fpp(1e-6).plan())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(((Map<?, ?>) all.get("ribbon")).containsKey("java")).isTrue();
    Map<?, ?> large =
        (Map<?, ?>) PlanApi.plan(Map.of("keys", "1e10", "budget", "100GB")).get("snippets");
    assertThatThrownBy(
            () -> Woodbird.bloom(Keys.strings(), 10_000_000_000L).maxBytes(100_000_000_000L).plan())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(((Map<?, ?>) large.get("bloom")).containsKey("java")).isFalse();
    assertThat(((Map<?, ?>) large.get("bloom-classic")).containsKey("java")).isFalse();
    assertThat(((Map<?, ?>) large.get("ribbon")).containsKey("java")).isTrue();
    Map<String, Object> tight = PlanApi.plan(Map.of("keys", "2e9", "budget", "500MB"));
    Map<?, ?> calls = (Map<?, ?>) tight.get("snippets");
    for (Object plan : (List<?>) tight.get("plans")) {
      Map<?, ?> facts = (Map<?, ?>) plan;
      boolean has = ((Map<?, ?>) calls.get(facts.get("family"))).containsKey("java");
      assertThat(has || (Double) facts.get("fpp") > 0.9).as(facts.toString()).isTrue();
    }
  }

  @Test
  void abilities_areThoseOfTheTypes() throws Exception {
    Map<String, Filter<String>> filters =
        build(java(Map.of("keys", String.valueOf(KEYS), "fpp", "1%")));
    assertThat(filters).hasSize(Abilities.values().length);
    for (Abilities family : Abilities.values()) {
      Filter<String> filter = filters.get(family.family());
      EnumSet<Ability> expected = EnumSet.noneOf(Ability.class);
      add(expected, Ability.PUT, filter instanceof MutableFilter);
      add(expected, Ability.FIXED, !(filter instanceof MutableFilter));
      add(expected, Ability.DELETE, filter instanceof DeletableFilter);
      add(expected, Ability.GROW, serves(family, Need.GROW));
      add(expected, Ability.WINDOW, serves(family, Need.WINDOW));
      boolean bloom = filter instanceof BloomFilter;
      add(expected, Ability.MERGE, bloom || filter instanceof MergeableFilter);
      add(expected, Ability.DURABLE, bloom); // BloomBuilder.file is the only one.
      add(expected, Ability.COUNT, filter.stats().layout().startsWith("quotient"));
      Path file = folder.resolve(family + ".wbird");
      filter.save(file);
      try (OpenFilter<String> mapped = Woodbird.open(file, Keys.strings())) {
        add(expected, Ability.MAP, mapped.mightContain("key 7"));
      }
      assertThat(family.all()).as(family.family()).isEqualTo(expected);
    }
  }

  private static void add(EnumSet<Ability> all, Ability ability, boolean can) {
    if (can) {
      all.add(ability);
    }
  }

  private static boolean serves(Abilities family, Need need) {
    List<String> families = new ArrayList<>();
    for (FilterPlan plan : Woodbird.plan(KEYS).needs(need).plans()) {
      families.add(plan.family());
    }
    return families.contains(family.family());
  }
}
