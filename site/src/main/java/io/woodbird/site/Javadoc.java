package io.woodbird.site;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The Javadoc of what programs use, made by the JDK's own tool. */
final class Javadoc {
  private Javadoc() {}

  static void write(Path root, Path out) throws IOException {
    ToolProvider tool = ToolProvider.findFirst("javadoc").orElseThrow();
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int code =
        tool.run(
            writer,
            writer,
            "-d",
            out.toString(),
            "-quiet",
            "-notimestamp",
            "-Xdoclint:none",
            "-encoding",
            "UTF-8",
            "-charset",
            "UTF-8",
            "-locale",
            "en",
            "--module-path",
            System.getProperty("java.class.path"),
            "--module-source-path",
            "io.woodbird=" + root.resolve("core/src/main/java"),
            "-windowtitle",
            "Woodbird",
            "--module",
            "io.woodbird");
    if (code != 0) {
      throw new IllegalStateException("javadoc ended with " + code + ":\n" + said);
    }
    try (Stream<Path> files = Files.walk(out)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        mend(out, file);
      }
    }
  }

  /** Gives each page an icon, and leaves out fonts that some builds of the JDK do not bring. */
  private static void mend(Path out, Path file) throws IOException {
    String name = file.toString();
    if (name.endsWith(".html")) {
<<<<<<< HEAD
      Path folder = file.resolveSibling("");
      String icon = folder.relativize(out.resolveSibling("play/bird.svg")).toString();
=======
      Path bird = out.resolveSibling("play/bird.svg");
      String icon = file.resolveSibling("").relativize(bird).toString();
>>>>>>> open
      String link = "<head>\n<link rel=\"icon\" href=\"" + icon.replace('\\', '/') + "\">";
      Files.writeString(file, Files.readString(file).replace("<head>", link));
    } else if (name.endsWith("stylesheet.css") && !Files.exists(out.resolve("resources/fonts"))) {
      String css = Files.readString(file);
      Files.writeString(file, css.replaceAll("@import url\\([^)]*dejavu[^)]*\\);", ""));
    }
  }
}
