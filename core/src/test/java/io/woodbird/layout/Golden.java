package io.woodbird.layout;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Golden values in resource files: one a line, fields with commas, comments with a hash sign. */
final class Golden {
  private Golden() {}

  static List<String[]> read(String resource) {
    try (InputStream in = Golden.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(",", -1))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static long[] numbers(String field) {
    return Arrays.stream(field.split(" ")).mapToLong(Long::parseLong).toArray();
  }
}
