package io.woodbird.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.kafka.Event.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shapes of change events. */
final class EventReaderTest {
  private static final String SCHEMA =
      "{\"schema\": {\"type\": \"struct\", \"fields\": [{\"field\": \"after\", \"payload\": 3}]}, ";

  private final EventReader reader = new EventReader("id");

  private Event read(String key, String value) {
    return reader.read(bytes(key), bytes(value));
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"before\": null, \"after\": {\"name\": \"x\", \"id\": 5}, \"source\": {\"id\": 7}, \"op\": \"c\"}",
        "{\"op\": \"u\", \"before\": {\"id\": 4}, \"after\": {\"id\": \"5\", \"more\": {\"id\": 7}}}",
        "{\"after\": {\"id\": 5}, \"op\": \"r\", \"transaction\": null}",
        "{\"id\": 5, \"name\": \"x\", \"__deleted\": \"false\"}",
        "{\"id\": 5, \"op\": \"d\", \"payload\": \"x\", \"schema\": \"y\"}",
        "{\"id\": 5, \"op\": \"d\", \"after\": \"noon\"}",
      })
  void theKeyOfARow_isRead(String value) {
    assertThat(read(null, value)).isEqualTo(Event.present("5"));
    assertThat(read("{\"id\": 9}", SCHEMA + "\"payload\": " + value + "}"))
        .isEqualTo(Event.present("5"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"id\": 5}", "5", "\"5\""})
  void theKeyOfTheRecord_standsInForTheRow(String key) {
    String value = "{\"op\": \"c\", \"after\": {\"name\": \"x\"}}";
    assertThat(read(key, value)).isEqualTo(Event.present("5"));
    assertThat(read(SCHEMA + "\"payload\": " + key + "}", value)).isEqualTo(Event.present("5"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"op\": \"d\", \"before\": {\"id\": 5}, \"after\": null}",
        "{\"id\": 5, \"__deleted\": \"true\"}",
        "{\"id\": 5, \"__deleted\": true}",
        "{\"id\": 5, \"__op\": \"d\"}",
      })
  void aDeletion_isNoKey(String value) {
    assertThat(read("{\"id\": 5}", value)).isEqualTo(Event.of(Kind.DELETED));
    assertThat(read(null, SCHEMA + "\"payload\": " + value + "}"))
        .isEqualTo(Event.of(Kind.DELETED));
  }

  @Test
  void otherEvents_areNoKeys() {
    assertThat(read("5", null)).isEqualTo(Event.of(Kind.TOMBSTONE));
    assertThat(read("5", SCHEMA + "\"payload\": null}")).isEqualTo(Event.of(Kind.TOMBSTONE));
    assertThat(read("5", "{\"op\": \"t\", \"after\": null}")).isEqualTo(Event.of(Kind.TRUNCATED));
    assertThat(read("5", "{\"op\": \"m\", \"after\": null}")).isEqualTo(Event.of(Kind.OTHER));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "[1]",
        "17",
        "{\"op\": \"c\", \"after\": {\"id\": 5",
        "{\"op\": \"c\", \"after\": null}",
        "{\"op\": \"c\", \"after\": {\"id\": null}}",
        "{\"op\": \"c\", \"after\": {\"id\": {\"scale\": 0, \"value\": \"BQ==\"}}}",
        "\0\0\0\0\1binary",
      })
  void whatIsNoEvent_isRefused(String value) {
    assertThatThrownBy(() -> read(null, value)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void deepNesting_isRefusedOrSkipped() {
    String deep = "[".repeat(100_000);
    assertThatThrownBy(() -> read(null, "{\"x\": " + deep)).isInstanceOf(RuntimeException.class);
    String after = "{\"after\": ".repeat(100_000);
    assertThatThrownBy(() -> read(null, after)).isInstanceOf(RuntimeException.class);
  }
}
