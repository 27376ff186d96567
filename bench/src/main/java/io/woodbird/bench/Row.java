package io.woodbird.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One number that was measured: a row of a {@link Document}.
 *
 * @param who was measured, such as "woodbird" or "guava"
 * @param metric what was measured, such as "ask" or "bitsPerKey"
 * @param unit of the values
 * @param at under which conditions, such as {@code n} and {@code workload}, in order
 * @param values one for each fork or round
 */
record Row(String who, String metric, String unit, Map<String, Object> at, List<Double> values) {
  static Row of(String who, String metric, String unit, Map<String, Object> at, double... values) {
    return new Row(who, metric, unit, at, Arrays.stream(values).boxed().toList());
  }

  double value() {
    return Sample.median(values);
  }

  /** Names it within its document: metric, conditions and subject, joined by slashes. */
  String id() {
    StringBuilder id = new StringBuilder(metric);
    at.values().forEach(value -> id.append('/').append(value));
    return id.append('/').append(who).toString();
  }

  Map<String, Object> json() {
    Verdict.Range range = Verdict.range(values);
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id());
    map.put("who", who);
    map.put("metric", metric);
    map.putAll(at);
    map.put("value", Json.rounded(value()));
    map.put("unit", unit);
    map.put("low", Json.rounded(range.low()));
    map.put("high", Json.rounded(range.high()));
    map.put("values", values.stream().map(Json::rounded).toList());
    return map;
  }
}
