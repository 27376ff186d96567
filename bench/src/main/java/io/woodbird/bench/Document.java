package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one section of the benchmarks found, as a file of docs/benchmarks: machine, command, rows,
 * promises. bench/README.md describes the format.
 */
final class Document {
  /** Counts up when a reader of the format would have to change. */
  static final int SCHEMA = 1;

  private final String section;
  private final String title;
  private final String command;
  private final Instant start = Instant.now();
  private final double loadBefore = Machine.load();
  private final long[] ticks = Machine.ticks();
  private boolean quick;
  private final Map<String, Object> notes = new LinkedHashMap<>();
  private final List<Verdict> promises = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  /**
   * Starts one, and the clock.
   *
   * @param section names the file
   * @param title in words
   * @param command that makes it again
   */
  Document(String section, String title, String command) {
    this.section = section;
    this.title = title;
    this.command = command;
  }

  String section() {
    return section;
  }

  List<Row> rows() {
    return rows;
  }

  List<Verdict> promises() {
    return promises;
  }

  List<String> failures() {
    return failures;
  }

  void add(Row row) {
    rows.add(row);
  }

  void add(Verdict verdict) {
    promises.add(verdict);
  }

  /** Says that it was measured in a hurry. */
  void quick(boolean value) {
    quick = value;
  }

  /** Adds something that one should know about the run. */
  void note(String name, String text) {
    notes.put(name, text);
  }

  /** Adds what went wrong; the section then has a hole. */
  void fail(String what) {
    failures.add(what);
  }

  boolean kept() {
    return failures.isEmpty()
        && promises.stream().allMatch(each -> each.kept() || each.undecided());
  }

  /** Writes it as {@code section.json} into a folder; returns the file. */
  Path write(Path folder) throws IOException {
    Files.createDirectories(folder);
    return Files.writeString(folder.resolve(section + ".json"), Json.of(json()));
  }

  private Map<String, Object> json() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("schema", SCHEMA);
    map.put("section", section);
    map.put("title", title);
    map.put("date", start.truncatedTo(ChronoUnit.SECONDS).toString());
    map.put("command", command);
    map.put("quick", quick);
    map.put("seconds", Duration.between(start, Instant.now()).toSeconds());
    map.put("loadBefore", Json.rounded(loadBefore));
    map.put("stolenPercent", Json.rounded(Machine.stolenPercentSince(ticks)));
    map.put("machine", Machine.facts());
    map.put("notes", notes);
    map.put("promises", promises.stream().map(Verdict::json).toList());
    map.put("failures", failures);
    map.put("rows", rows.stream().map(Row::json).toList());
    return map;
  }
}
