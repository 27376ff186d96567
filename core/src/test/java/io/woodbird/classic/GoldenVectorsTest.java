package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The positions and sizes that the original programs printed. */
@Tag("jdk")
class GoldenVectorsTest {
  @ParameterizedTest
  @CsvSource({
    "hashcode-shift16, 159",
    "djb2-sdbm, 212",
    "polynomial-seeds, 53",
    "crc32-shift16, 159"
  })
  void positions_areThoseOfTheOriginal(String name, int lines) throws IOException {
    Scheme scheme = Scheme.of(name);
    List<Map<String, Object>> vectors = vectors(name);
    assertThat(vectors).hasSize(lines);
    for (Map<String, Object> vector : vectors) {
      assertThat(vector).containsEntry("scheme", name);
      String key = (String) vector.get("key");
      List<?> expected = (List<?>) vector.get("positions");
      long bits = (long) vector.get("bits");
      long[] positions = expected.stream().mapToLong(position -> (long) position).toArray();
      assertThat(scheme.positions(key, bits, positions.length))
          .as("%s", vector)
          .isEqualTo(positions);
      assertThat(scheme.positions(key.getBytes(UTF_8), bits, positions.length))
          .as("bytes of %s", vector)
          .isEqualTo(positions);
    }
  }

  @ParameterizedTest
  @CsvSource({"hashcode-shift16", "crc32-shift16"})
  void sizes_areThoseOfTheOriginal(String name) throws IOException {
    Scheme scheme = Scheme.of(name);
    for (Map<String, Object> vector : vectors(name)) {
      long keys = (long) vector.get("n");
      double fpp = (double) vector.get("p");
      long bits = (long) vector.get("bits");
      long hashes = (long) vector.get("hashes");
      assertThat(scheme.bitsFor(keys, fpp)).as("%s", vector).isEqualTo(bits);
      assertThat((long) scheme.hashesFor(keys, bits)).as("%s", vector).isEqualTo(hashes);
      assertThat((long) scheme.hashesFor(keys, fpp)).as("%s", vector).isEqualTo(hashes);
    }
  }

  private static List<Map<String, Object>> vectors(String name) throws IOException {
    try (InputStream in = GoldenVectorsTest.class.getResourceAsStream(name + ".jsonl")) {
      return new String(in.readAllBytes(), UTF_8).lines().map(JsonLine::parse).toList();
    }
  }
}
