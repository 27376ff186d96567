package io.woodbird.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.core.util.Separators.Spacing;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes the JSON of the result files. */
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** Writes a value in one line, with a space after each comma and colon. */
  private static final ObjectWriter LINE =
      MAPPER
          .writer()
          .with(
              new DefaultPrettyPrinter(
                      Separators.createDefaultInstance()
                          .withObjectNameValueSpacing(Spacing.AFTER)
                          .withObjectEntrySpacing(Spacing.AFTER)
                          .withObjectEmptySeparator("")
                          .withArrayElementSpacing(Spacing.AFTER)
                          .withArrayEmptySeparator(""))
                  .withObjectIndenter(DefaultPrettyPrinter.NopIndenter.instance())
                  .withArrayIndenter(DefaultPrettyPrinter.NopIndenter.instance()));

  private Json() {}

  /**
   * Reads a value.
   *
   * @throws JacksonException if the text is not JSON
   */
  static JsonNode read(String text) {
    return MAPPER.readTree(text);
  }

  /** Returns a number, or NaN where the file has null. */
  static double number(JsonNode value) {
    return value.isNumber() ? value.doubleValue() : Double.NaN;
  }

  /** Writes a document. Each row and each fact gets its own line: easy to read, and to compare. */
  static String of(Map<String, ?> document) {
    return lines("{", fields(document, Json::indented), "}", "") + "\n";
  }

  private static String indented(Object value) {
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      return lines("{", fields(map, LINE::writeValueAsString), "}", "  ");
    }
    if (value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map) {
      return lines("[", list.stream().map(LINE::writeValueAsString), "]", "  ");
    }
    return LINE.writeValueAsString(value);
  }

  private static Stream<String> fields(Map<?, ?> map, Function<Object, String> writer) {
    return map.entrySet().stream()
        .map(
            field ->
                LINE.writeValueAsString(field.getKey()) + ": " + writer.apply(field.getValue()));
  }

  private static String lines(String open, Stream<String> lines, String close, String indent) {
    return lines
        .map(line -> indent + "  " + line)
        .collect(Collectors.joining(",\n", open + "\n", "\n" + indent + close));
  }

  /**
   * Returns a number as it is written: five digits of it, as more would only pretend; whole numbers
   * without a point; null for NaN, which JSON does not have.
   */
  static Number rounded(double value) {
    if (!Double.isFinite(value)) {
      return null;
    }
    return value == (long) value
        ? (Number) (long) value
        : (Number) new BigDecimal(value).round(new MathContext(5)).doubleValue();
  }
}
