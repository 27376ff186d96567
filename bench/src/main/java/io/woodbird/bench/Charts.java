package io.woodbird.bench;

import java.nio.file.Path;

final class Charts {
  static void draw(Path out) {}
}
