package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules ask for meters and tags that the starter really has. */
final class MonitoringTest {
  private static final Pattern METER = Pattern.compile("\\bwoodbird_[a-z_]+");
  private static final Pattern TAG = Pattern.compile("(verdict|result|event)=~?\\\\?\"([a-z_|]+)");

  /** The meters as Prometheus names them, with the values of their tags. */
  private static Map<String, Set<String>> meters() {
    Map<String, Set<String>> meters = new TreeMap<>();
    for (Meter meter : CatalogueTest.meters()) {
      String name = meter.getId().getName().replace('.', '_');
      if (meter instanceof FunctionCounter) {
        name += "_total";
      } else if (meter instanceof TimeGauge) {
        name += "_seconds";
      }
      Set<String> tags = meters.computeIfAbsent(name, unused -> new TreeSet<>());
      meter.getId().getTags().forEach(tag -> tags.add(tag.getKey() + "=" + tag.getValue()));
    }
    return meters;
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs/monitoring/grafana.json", "docs/monitoring/alerts.yml"})
  void everyMeterAndTag_exists(String file) throws IOException {
    String text = Files.readString(Page.root().resolve(file));
    Map<String, Set<String>> meters = meters();
    Set<String> tags = new TreeSet<>();
    meters.values().forEach(tags::addAll);
    List<String> used = METER.matcher(text).results().map(MatchResult::group).distinct().toList();
    assertThat(used).isNotEmpty();
    assertThat(meters.keySet()).containsAll(used);
    for (MatchResult tag : TAG.matcher(text).results().toList()) {
      for (String value : Arrays.asList(tag.group(2).split("\\|"))) {
        assertThat(tags).contains(tag.group(1) + "=" + value);
      }
    }
  }

  @Test
  void everyRule_saysWhatItMeans() throws IOException {
    Map<?, ?> file =
        new Yaml().load(Files.readString(Page.root().resolve("docs/monitoring/alerts.yml")));
    List<?> rules = (List<?>) ((Map<?, ?>) ((List<?>) file.get("groups")).get(0)).get("rules");
    assertThat(rules).hasSizeGreaterThan(4);
    for (Object rule : rules) {
      Map<?, ?> one = (Map<?, ?>) rule;
      assertThat(one.get("expr").toString()).contains("woodbird_");
      assertThat(((Map<?, ?>) one.get("annotations")).keySet().toString())
          .contains("summary")
          .contains("description");
    }
  }

  /** The dashboard is one that can be imported: each panel has a place and a question. */
  @Test
  void theDashboard_isWhole() throws IOException {
    Map<?, ?> board =
        new Yaml().load(Files.readString(Page.root().resolve("docs/monitoring/grafana.json")));
    List<?> panels = (List<?>) board.get("panels");
    assertThat(panels).hasSizeGreaterThan(8);
    for (Object panel : panels) {
      Map<?, ?> one = (Map<?, ?>) panel;
      assertThat(one.get("gridPos")).isNotNull();
      assertThat((List<?>) one.get("targets")).isNotEmpty();
      assertThat(one.get("description").toString()).endsWith(".");
    }
  }
}
