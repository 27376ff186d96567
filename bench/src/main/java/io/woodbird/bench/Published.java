package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The results of a section as they were written.
 *
 * @param json the whole file
 * @param rows its rows
 */
record Published(Map<String, Object> json, List<Row> rows) {
  private static final List<String> NOT_CONDITIONS =
      List.of("id", "who", "metric", "value", "unit", "low", "high", "values");

  /** Reads all sections of a folder, by name, in the order of the run; others at the end. */
  static Map<String, Published> all(Path folder) throws IOException {
    Map<String, Published> found = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    Suite.sections(Scale.FULL).forEach(section -> names.add(section.name()));
    try (Stream<Path> files = Files.list(folder)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".json"))
          .map(name -> name.substring(0, name.length() - ".json".length()))
          .filter(name -> !names.contains(name))
          .sorted()
          .forEach(names::add);
    }
    for (String name : names) {
      Path file = folder.resolve(name + ".json");
      if (Files.exists(file)) {
        found.put(name, of(Files.readString(file)));
      }
    }
    return found;
  }

  @SuppressWarnings("unchecked") // what Document wrote
  static Published of(String text) {
    Map<String, Object> json = (Map<String, Object>) JsonReader.read(text);
    if (!Double.valueOf(Document.SCHEMA).equals(json.get("schema"))) {
      throw new IllegalArgumentException("schema " + json.get("schema") + ": run it again");
    }
    List<Row> rows = new ArrayList<>();
    for (Object each : (List<Object>) json.get("rows")) {
      Map<String, Object> map = (Map<String, Object>) each;
      Map<String, Object> at = new LinkedHashMap<>(map);
      NOT_CONDITIONS.forEach(at::remove);
      List<Double> values =
          ((List<Object>) map.get("values")).stream().map(value -> (Double) value).toList();
      String metric = (String) map.get("metric");
      rows.add(new Row((String) map.get("who"), metric, (String) map.get("unit"), at, values));
    }
    return new Published(json, rows);
  }

  String text(String name) {
    return String.valueOf(json.get(name));
  }

  boolean quick() {
    return Boolean.TRUE.equals(json.get("quick"));
  }

  @SuppressWarnings("unchecked") // what Document wrote
  Map<String, Object> machine() {
    return (Map<String, Object>) json.get("machine");
  }

  @SuppressWarnings("unchecked") // what Document wrote
  List<Map<String, Object>> promises() {
    return ((List<Object>) json.get("promises"))
        .stream().map(each -> (Map<String, Object>) each).toList();
  }

  List<Row> rows(String metric) {
    return rows.stream().filter(row -> row.metric().equals(metric)).toList();
  }
}
