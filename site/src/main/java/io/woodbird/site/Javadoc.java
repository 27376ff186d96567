package io.woodbird.site;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The Javadoc of what programs use, made by the JDK's own tool. */
final class Javadoc {
  /** The folders of the packages that programs use. */
  private static final List<String> EXPORTED = List.of("", "key", "guard", "classic");

  private Javadoc() {}

  static void write(Path root, Path out) throws IOException {
    ToolProvider tool = ToolProvider.findFirst("javadoc").orElseThrow();
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    List<String> arguments =
        new ArrayList<>(List.of("-d", out.toString(), "-quiet", "-notimestamp", "-Xdoclint:none"));
    arguments.addAll(List.of("-encoding", "UTF-8", "-charset", "UTF-8", "-locale", "en"));
    arguments.addAll(List.of("-windowtitle", "Woodbird"));
    arguments.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    // No source path: there is a module-info, which would need jspecify as a module too.
    arguments.addAll(List.of("-sourcepath", out.toString()));
    for (String name : EXPORTED) {
      Path folder = root.resolve("core/src/main/java/io/woodbird").resolve(name);
      try (Stream<Path> files = Files.list(folder)) {
        files
            .map(Path::toString)
            .filter(file -> file.endsWith(".java"))
            .sorted()
            .forEach(arguments::add);
      }
    }
    int code = tool.run(writer, writer, arguments.toArray(String[]::new));
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
      Path bird = out.resolveSibling("play/bird.svg");
      String icon = file.resolveSibling("").relativize(bird).toString();
      String link = "<head>\n<link rel=\"icon\" href=\"" + icon.replace('\\', '/') + "\">";
      String html = Files.readString(file).replace("<head>", link);
      Files.writeString(file, name.endsWith("constant-values.html") ? named(html) : html);
    } else if (name.endsWith("stylesheet.css") && !Files.exists(out.resolve("resources/fonts"))) {
      String css = Files.readString(file);
      Files.writeString(file, css.replaceAll("@import url\\([^)]*dejavu[^)]*\\);", ""));
    }
  }

  /** The tool of JDK 17 links to the packages of constants, and gives them a title but no name. */
  static String named(String constants) {
    return constants.replaceAll("<h2 title=\"([^\"]+)\">", "<h2 id=\"$1\" title=\"$1\">");
  }
}
