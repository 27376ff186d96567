package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

class JsonTest {
  @Test
  void document_hasALineForEachRowAndEachFact() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("text", "a \"b\"\n\u00e9");
    document.put(
        "numbers", Stream.of(1.23456789, 2.0, Double.NaN, 1e-5).map(Json::rounded).toList());
    document.put("machine", Map.of("cpu", "fast"));
    document.put("notes", Map.of());
    document.put("failures", List.of());
    document.put("rows", Arrays.asList(Map.of("values", List.of(1, 2)), Map.of("kept", true)));
    assertThat(Json.of(document))
        .isEqualTo(
            """
            {
              "text": "a \\"b\\"\\n\\u00E9",
              "numbers": [1.2346, 2, null, 1.0E-5],
              "machine": {
                "cpu": "fast"
              },
              "notes": {},
              "failures": [],
              "rows": [
                {"values": [1, 2]},
                {"kept": true}
              ]
            }
            """);
  }

  @Test
  void number_isNaNWhereTheFileHasNull() {
    assertThat(Json.number(Json.read("{\"a\": null}").get("a"))).isNaN();
    assertThat(Json.number(Json.read("{\"a\": 7}").get("a"))).isEqualTo(7.0);
  }

  @Test
  void read_refusesWhatIsNotJson() {
    for (String text : List.of("{", "[1,", "{\"a\" 1}", "1 2", "[")) {
      assertThatThrownBy(() -> Json.read(text)).as(text).isInstanceOf(JacksonException.class);
    }
  }
}
