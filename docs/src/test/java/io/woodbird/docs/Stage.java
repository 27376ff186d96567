package io.woodbird.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the Java of a page runs: what it printed, and what hidden lines may ask for. */
public final class Stage {
  private final Page page;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  Stage(Page page) {
    this.page = page;
  }

  /**
   * Fails unless something is true.
   *
   * @param expected what should be true
   */
  public void check(boolean expected) {
    if (!expected) {
      throw new AssertionError("a check of the page does not hold");
    }
  }

  /**
   * Fails unless this was printed since the last time.
   *
   * @param expected three dots stand for anything
   */
  public void prints(String expected) {
    String text = printed.toString(StandardCharsets.UTF_8);
    printed.reset();
    compare(expected, text);
  }

  /** Fails unless a text is as a page shows it; three dots stand for anything. */
  static void compare(String expected, String text) {
    String pattern =
        Arrays.stream(clean(expected).split("\\.\\.\\.", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    if (!Pattern.compile(pattern, Pattern.DOTALL).matcher(clean(text)).matches()) {
      throw new AssertionError("the page shows\n" + expected + "\nbut this was printed\n" + text);
    }
  }

  private static String clean(String text) {
    return text.lines().map(String::stripTrailing).collect(Collectors.joining("\n")).strip();
  }

  /**
   * The settings in a YAML block of the page.
   *
   * @param number of the block, from 0
   * @return such as {@code "woodbird.enabled=true"}
   */
  public String[] settings(int number) {
    List<Part> blocks = page.blocks().stream().filter(part -> part.name().equals("yaml")).toList();
    return Settings.flat(blocks.get(number).text());
  }

  /** Runs something with standard output kept. */
  void run(Body body) throws Exception {
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      body.run();
    } finally {
      System.setOut(before);
    }
  }

  /** What is run. */
  interface Body {
    void run() throws Exception;
  }

  /** The folder that pages write to, emptied. */
  static Path emptyFolder() throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    if (!folder.endsWith("pages")) {
      throw new IllegalStateException("not the folder for pages: " + folder);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(folder)) {
          Files.delete(file);
        }
      }
    }
    return folder;
  }
}
