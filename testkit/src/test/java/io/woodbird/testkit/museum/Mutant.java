package io.woodbird.testkit.museum;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A historic bug, put back into today's code.
 *
 * @param name identifies it
 * @param where who had it
 * @param history one sentence about it
 * @param historyInChinese the same sentence
 * @param edits what must be changed in the code to have it again
 * @param test the test that fails then
 */
record Mutant(
    String name,
    String where,
    String history,
    String historyInChinese,
    List<Edit> edits,
    Test test) {
  /*
   * The files in museum/ are plain text. A mutant looks like this; what begins with "file" may come
   * several times:
   *
   *   == name-of-the-bug
   *   where: Guava
   *   history: One sentence.
   *   zh: The same in Chinese.
   *   test: core io.woodbird.key.KeysTest.theIdsAreForEver
   *   file: core/src/main/java/io/woodbird/key/Keys.java
   *   -- replace
   *   text that occurs once in the file
   *   -- with
   *   other text
   *
   * A line that begins with # is a comment.
   */

  /** A text that occurs exactly once in a file, and what it is replaced by. */
  record Edit(String file, String old, String with) {
    String applyTo(String source) {
      int at = source.indexOf(old);
      if (old.isBlank() || at < 0 || source.indexOf(old, at + 1) >= 0) {
        throw new IllegalStateException(file + " does not have exactly once:\n" + old);
      }
      return source.substring(0, at) + with + source.substring(at + old.length());
    }
  }

  /** A test: the folder of its module, its class and its method. */
  record Test(String module, String type, String method) {
    static Test parse(String text) {
      int space = text.indexOf(' ');
      int dot = text.lastIndexOf('.');
      return new Test(
          text.substring(0, space), text.substring(space + 1, dot), text.substring(dot + 1));
    }

    Path source(Path root) {
      return root.resolve(module)
          .resolve("src/test/java")
          .resolve(type.replace('.', '/') + ".java");
    }

    @Override
    public String toString() {
      return type.substring(type.lastIndexOf('.') + 1) + "." + method;
    }
  }

  /** Returns the changed text of each file. */
  Map<String, String> applyTo(Path root) throws IOException {
    Map<String, String> changed = new HashMap<>();
    for (Edit edit : edits) {
      String source = changed.get(edit.file);
      if (source == null) {
        source = Files.readString(root.resolve(edit.file));
      }
      changed.put(edit.file, edit.applyTo(source));
    }
    return changed;
  }

  /** Reads all mutants, in the order of the names of their files. */
  static List<Mutant> all(Path root) throws IOException {
    List<Mutant> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(root.resolve("museum"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".txt")).sorted().toList()) {
        all.addAll(parse(Files.readString(file)));
      }
    }
    return all;
  }

  static List<Mutant> parse(String text) {
    List<Mutant> all = new ArrayList<>();
    for (String part : text.split("(?m)^== ")) {
      if (part.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#"))) {
        all.add(parseOne(part.lines().toList()));
      }
    }
    return all;
  }

  private static Mutant parseOne(List<String> lines) {
    Map<String, String> fields = new HashMap<>();
    List<Edit> edits = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.equals("-- replace")) {
        int with = i + lines.subList(i, lines.size()).indexOf("-- with");
        int end = with + 1;
        while (end < lines.size()
            && !lines.get(end).startsWith("file: ")
            && !lines.get(end).startsWith("#")) {
          end++;
        }
        String old = text(lines.subList(i + 1, with));
        edits.add(new Edit(fields.get("file"), old, text(lines.subList(with + 1, end))));
        i = end - 1;
      } else if (!line.isBlank() && !line.startsWith("#")) {
        int colon = line.indexOf(": ");
        if (colon < 0) {
          throw new IllegalStateException(lines.get(0) + ": not a field: " + line);
        }
        fields.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return new Mutant(
        lines.get(0),
        required(fields, "where", lines.get(0)),
        required(fields, "history", lines.get(0)),
        required(fields, "zh", lines.get(0)),
        List.copyOf(edits),
        Test.parse(required(fields, "test", lines.get(0))));
  }

  private static String required(Map<String, String> fields, String field, String name) {
    String value = fields.get(field);
    if (value == null) {
      throw new IllegalStateException(name + " has no \"" + field + "\"");
    }
    return value;
  }

  /** The lines without empty ones at the end. */
  private static String text(List<String> lines) {
    return String.join("\n", lines).stripTrailing();
  }
}
