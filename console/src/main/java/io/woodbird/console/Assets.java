package io.woodbird.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files that the page is made of: a fixed list, read once from the jar. */
final class Assets {
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "mjs", "text/javascript; charset=utf-8",
          "json", "application/json; charset=utf-8",
          "svg", "image/svg+xml");

  /** A path that is not in this list does not exist. */
  static final String[] NAMES = {
    "index.html",
    "page.css",
    "bird.svg",
    "early.js",
    "main.js",
    "dom.js",
    "text.js",
    "link.js",
    "chart.js",
    "hash.mjs",
    "woodbird.mjs",
    "toys.js",
    "cabinet.js",
    "draw.js",
    "crowd.js",
    "old-man.js",
    "sound.js",
    "qr.js",
    "lessons.js",
    "lesson-card.js",
    "classroom.js",
    "answer.js",
    "facts.js",
    "play.js",
    "play-charts.js",
    "histogram.js",
    "plan.js",
    "plan-cards.js",
    "plan-charts.js",
    "plan-steps.js",
    "memory-map.js",
    "filters.js",
    "file-kinds.js",
    "heat.js",
    "many-keys.js",
    "compare-files.js",
    "guards.js",
    "instances.js",
    "en.json",
    "zh.json"
  };

  private final Map<String, PageResponse> responses = new TreeMap<>();

  Assets() {
    for (String name : NAMES) {
      String type = TYPES.get(name.substring(name.indexOf('.') + 1));
      responses.put(name, PageResponse.of(200, String.valueOf(type), read(name)));
    }
  }

  @Nullable PageResponse get(String path) {
    return responses.get(path.isEmpty() ? "index.html" : path);
  }

  private static String read(String name) {
    try (InputStream in = Assets.class.getResourceAsStream("page/" + name)) {
      if (in == null) {
        throw new IllegalStateException("not in the jar: page/" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
