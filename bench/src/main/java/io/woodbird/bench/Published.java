package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The results of a section as they were written.
 *
 * @param json the whole file
 * @param rows its rows
 */
record Published(JsonNode json, List<Row> rows) {
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

  static Published of(String text) {
    JsonNode json = Json.read(text);
    if (json.path("schema").asInt(0) != Document.SCHEMA) {
      throw new IllegalArgumentException("schema " + json.path("schema") + ": run it again");
    }
    return new Published(json, json.get("rows").valueStream().map(Published::row).toList());
  }

  private static Row row(JsonNode json) {
    Map<String, Object> at = new LinkedHashMap<>();
    json.properties().forEach(field -> at.put(field.getKey(), condition(field.getValue())));
    at.keySet().removeAll(NOT_CONDITIONS);
    return new Row(
        json.get("who").stringValue(),
        json.get("metric").stringValue(),
        json.get("unit").stringValue(),
        at,
        json.get("values").valueStream().map(Json::number).toList());
  }

  /** Returns a condition as it was written: a text, or a number as a Double. */
  private static Object condition(JsonNode value) {
    return value.isString() ? value.stringValue() : (Object) Json.number(value);
  }

  String text(String name) {
    return json.get(name).stringValue();
  }

  double number(String name) {
    return Json.number(json.get(name));
  }

  /** The share of the processors that the host gave to others, in words. */
  String stolen() {
    return json.has("stolenPercent")
        ? String.format(Locale.ROOT, "%.1f %%", number("stolenPercent"))
        : "not recorded";
  }

  boolean quick() {
    return json.path("quick").asBoolean(false);
  }

  JsonNode machine() {
    return json.get("machine");
  }

  JsonNode promises() {
    return json.get("promises");
  }

  JsonNode failures() {
    return json.get("failures");
  }

  List<Row> rows(String metric) {
    return rows.stream().filter(row -> row.metric().equals(metric)).toList();
  }
}
