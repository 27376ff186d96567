package io.woodbird.bench;

import java.nio.file.Path;

final class Page {
  static Object read(Path out) {
    return "";
  }

  static String of(Object x) {
    return "";
  }
}
