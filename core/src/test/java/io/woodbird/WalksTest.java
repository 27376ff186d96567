package io.woodbird;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The files that the architecture page lists for a question are those that its methods lead to:
 * every call in a listed method goes to another method of its file, which is followed too, to a
 * listed method, or to the JDK. No subclass elsewhere has a listed method of its own. What a listed
 * method of {@code layout}, {@code words} or {@code file} does is the end of the walk.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WalksTest {
  private static final Path PAGE = Path.of("../docs/architecture.md");
  private static final Pattern TABLE =
      Pattern.compile("(?m)^### (.*): (\\d+) files\n\n((?:\\|.*\n)+)");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| \\[`(\\w+)`\\]\\(\\.\\./core/(.*?)\\) \\| (.*?) \\| .* \\|$");
  private static final Pattern CALL = Pattern.compile("(?:\\b(\\w+)\\.)?\\b([a-z]\\w*)\\(");
  private static final Pattern END = Pattern.compile(".*/(layout|words|file)/\\w+\\.java");
  private static final Set<String> JDK = Set.of("getBytes");

  /** A file of a walk, and its methods, nested types before a dot. */
  private record Step(Path file, List<String> methods) {}

  private record Walk(String title, int files, List<Step> steps) {}

  private final List<Walk> walks = new ArrayList<>();
  private final Set<String> listed = new HashSet<>();
  private final Set<String> listedWithType = new HashSet<>();

  @BeforeAll
  void readThePage() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf("## The way of a question");
    Matcher tables = TABLE.matcher(page.substring(from, page.indexOf("\n## ", from + 1)));
    while (tables.find()) {
      List<Step> steps = new ArrayList<>();
      Matcher rows = ROW.matcher(tables.group(3));
      while (rows.find()) {
        List<String> methods = List.of(rows.group(3).replace("`", "").split(", "));
        steps.add(new Step(Path.of(rows.group(2)), methods));
        for (String method : methods) {
          listed.add(simple(method));
          listedWithType.add(rows.group(1) + "." + simple(method));
        }
      }
      walks.add(new Walk(tables.group(1), Integer.parseInt(tables.group(2)), steps));
    }
  }

  private static String simple(String method) {
    return method.substring(method.indexOf('.') + 1);
  }

  @Test
  void thePage_countsItsFiles() {
    assertThat(walks).hasSize(3);
    for (Walk walk : walks) {
      assertThat(walk.steps.stream().map(Step::file).distinct())
          .as(walk.title)
          .hasSize(walk.files)
          .hasSameSizeAs(walk.steps);
    }
  }

  @Test
  void everyCall_leadsToAListedMethod() throws IOException {
    Set<String> called = new HashSet<>(Set.of("mightContain"));
    for (Walk walk : walks) {
      for (Step step : walk.steps) {
        String source = code(step.file);
        for (String method : step.methods) {
          assertThat(called).as("%s: who calls %s?", walk.title, method).contains(simple(method));
          String part = inside(source, method);
          assertThat(bodies(part, simple(method))).as("%s in %s", method, step.file).isNotEmpty();
          if (!isEnd(step.file)) {
            follow(step, part, simple(method), called, new HashSet<>());
          }
        }
      }
    }
  }

  /** An object of a listed class may be one of a subclass, whose method then answers. */
  @Test
  void noSubclassOfAListedClass_answersInItsPlace() throws IOException {
    for (Walk walk : walks) {
      Set<Path> files =
          walk.steps.stream().map(step -> step.file.normalize()).collect(Collectors.toSet());
      for (Step step : walk.steps) {
        if (isEnd(step.file)) {
          continue;
        }
        for (Path file : subclasses(step.file)) {
          for (String method : step.methods) {
            assertThat(files.contains(file) || bodies(code(file), simple(method)).isEmpty())
                .as("%s: %s has a %s of its own", walk.title, file, method)
                .isTrue();
          }
        }
      }
    }
  }

  /** The files of core with a class that extends the one of a file. */
  private static List<Path> subclasses(Path file) throws IOException {
    String type = file.getFileName().toString().replace(".java", "");
    Pattern extending = Pattern.compile("\\bextends " + type + "\\b");
    List<Path> found = new ArrayList<>();
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
        if (extending.matcher(code(source)).find()) {
          found.add(source.normalize());
        }
      }
    }
    return found;
  }

  private static boolean isEnd(Path file) {
    return END.matcher(file.toString().replace('\\', '/')).matches();
  }

  /** A source without its comments. */
  private static String code(Path file) throws IOException {
    return Files.readString(file).replaceAll("(?m)//.*$|(?s:/\\*.*?\\*/)", "");
  }

  private void follow(
      Step step, String source, String method, Set<String> called, Set<String> followed)
      throws IOException {
    if (!followed.add(method)) {
      return;
    }
    for (String body : bodies(source, method)) {
      Matcher calls = CALL.matcher(body);
      while (calls.find()) {
        String on = calls.group(1);
        String name = calls.group(2);
        boolean ofAnObject = on != null && Character.isLowerCase(on.charAt(0));
        if (ofAnObject && listed.contains(name)) {
          called.add(name);
        } else if (on == null && bodies(source, name).stream().anyMatch(own -> !own.isEmpty())) {
          follow(step, source, name, called, followed);
        } else if (on == null || ofAnObject || isOurs(step.file, on)) {
          boolean known =
              on == null || ofAnObject
                  ? listed.contains(name) || JDK.contains(name)
                  : listedWithType.contains(on + "." + name);
          assertThat(known)
              .as("%s of %s calls %s, which the page does not list", method, step.file, name)
              .isTrue();
          called.add(name);
        }
      }
    }
  }

  /** Whether a type that a file names is one of this library. */
  private static boolean isOurs(Path file, String type) throws IOException {
    return Files.exists(file.resolveSibling(type + ".java"))
        || Pattern.compile("import io\\.woodbird\\.[\\w.]*\\b" + type + ";")
            .matcher(Files.readString(file))
            .find();
  }

  /** The nested type that a method is named with, or the whole file. */
  private static String inside(String source, String method) {
    if (!method.contains(".")) {
      return source;
    }
    String nested = method.substring(0, method.indexOf('.'));
    Matcher type = Pattern.compile("\\b(class|record|enum) " + nested + "\\b").matcher(source);
    assertThat(type.find()).as(method).isTrue();
    return block(source, source.indexOf('{', type.end()));
  }

  /** The bodies of the methods with a name; one that is abstract has an empty one. */
  private static List<String> bodies(String source, String method) {
    List<String> bodies = new ArrayList<>();
    Matcher found =
        Pattern.compile(
                "(?m)^ +(?!return|throw|else|new)[\\w@<>\\[\\]?,. ]*[\\w>\\]] " + method + "\\(")
            .matcher(source);
    while (found.find()) {
      int open = source.indexOf('{', found.end());
      int end = source.indexOf(';', found.end());
      bodies.add(end < open || open < 0 ? "" : block(source, open));
    }
    return bodies;
  }

  private static String block(String source, int open) {
    int depth = 0;
    for (int i = open; i < source.length(); i++) {
      depth += source.charAt(i) == '{' ? 1 : source.charAt(i) == '}' ? -1 : 0;
      if (depth == 0) {
        return source.substring(open, i + 1);
      }
    }
    throw new AssertionError("no end after " + open);
  }
}
