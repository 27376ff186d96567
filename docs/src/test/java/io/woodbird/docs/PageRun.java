package io.woodbird.docs;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Runs every block of a page, in order: commands first, then all Java.
 *
 * <p>A block is run by its language. Notes, which readers do not see, say the rest:
 *
 * <ul>
 *   <li>{@code java} and {@code sh}: lines that run at this place, but are not shown
 *   <li>{@code fresh}: the Java from here on does not see the variables above
 *   <li>{@code output}: the next block is what the block before printed
 *   <li>{@code not run: reason}: the next block is only shown
 * </ul>
 *
 * <p>No block is passed over in silence: one of another language, without a note, is a failure, and
 * so is a note that is none of these.
 */
final class PageRun {
  /**
   * What became of the blocks of pages.
   *
   * @param ran how many were run, bound or parsed
   * @param compared how many were compared with what was printed
   * @param shown those that are not run, with their reasons
   */
  record Count(int ran, int compared, List<String> shown) {
    Count plus(Count other) {
      List<String> both = new ArrayList<>(shown);
      both.addAll(other.shown);
      return new Count(ran + other.ran, compared + other.compared, both);
    }
  }

  private static final Set<String> REGIONS = Set.of("numbers", "mutants", "end");

  private final Page page;
  private final JavaBlocks java;
  private final ShellBlocks shell;
  private final List<String> shown = new ArrayList<>();
  private int ran;
  private int compared;
  private boolean anyJava;

  private PageRun(Page page, Path folder) throws IOException {
    this.page = page;
    this.java = new JavaBlocks(page);
    this.shell = new ShellBlocks(page, folder);
  }

  /** Runs a page in an empty folder. */
  static Count of(Page page) throws Exception {
    return new PageRun(page, Stage.emptyFolder()).run();
  }

  /** Returns what {@link JavaBlocks#missingImports} finds on a page. */
  static Set<String> missingImports(Page page) throws IOException {
    JavaBlocks java = new JavaBlocks(page);
    Part before = null;
    for (Part part : page.parts()) {
      boolean runs = before == null || !before.isNote("not run");
      if (part.isBlock() && part.name().equals("java") && runs) {
        java.add(part.line() + 1, part.text());
      } else if (part.isNote("java")) {
        java.addHidden(part.line(), part.text());
      } else if (part.isNote("fresh")) {
        java.fresh();
      }
      before = part;
    }
    return java.missingImports();
  }

  private Count run() throws Exception {
    Part note = null;
    String last = "";
    for (Part part : page.parts()) {
      if (note != null && !part.isBlock()) {
        throw failure(note, "a block must follow");
      }
      if (part.isNote("output") || part.isNote("not run")) {
        note = part;
      } else if (part.isBlock() && note == null) {
        block(part);
        last = part.name();
        ran++;
      } else if (part.isBlock() && note.isNote("output")) {
        output(part, last);
        compared++;
        note = null;
      } else if (part.isBlock()) {
        if (note.text().isBlank()) {
          throw failure(note, "say why it is not run");
        }
        shown.add(page.name() + ":" + part.line() + ": " + note.text());
        note = null;
      } else {
        hidden(part);
      }
    }
    if (note != null) {
      throw failure(note, "a block must follow");
    }
    if (anyJava) {
      java.run();
    }
    return new Count(ran, compared, shown);
  }

  private void block(Part part) throws Exception {
    switch (part.name()) {
      case "java" -> {
        java.add(part.line() + 1, part.text());
        anyJava = true;
      }
      case "sh" -> shell.script(part.line() + 1, part.text());
      case "console" -> shell.console(part.line(), part.text());
      case "yaml" -> at(part, () -> Settings.bind(part.text()));
      case "json" -> at(part, () -> json(part.text()));
      case "xml" -> at(part, () -> dependency(part.text()));
      default -> throw failure(part, "nobody knows how to run a block of '" + part.name() + "'");
    }
  }

  private void output(Part part, String last) {
    switch (last) {
      case "java" -> java.prints(part.line(), part.text());
      case "sh" -> shell.prints(part.line(), part.text());
      default -> throw failure(part, "nothing before it prints");
    }
  }

  private void hidden(Part note) {
    switch (note.name()) {
      case "java" -> {
        java.addHidden(note.line(), note.text());
        anyJava = true;
      }
      case "sh" -> shell.hidden(note.text());
      case "fresh" -> java.fresh();
      default -> {
        if (!REGIONS.contains(note.name())) {
          throw failure(note, "there is no note '" + note.name() + "'");
        }
      }
    }
  }

  private void at(Part part, Stage.Body body) {
    try {
      body.run();
    } catch (Exception | AssertionError e) {
      throw new AssertionError(page.name() + ":" + part.line() + ": " + e, e);
    }
  }

  private AssertionError failure(Part part, String what) {
    return new AssertionError(page.name() + ":" + part.line() + ": " + what);
  }

  private static void json(String text) {
    try (JsonParser parser =
        new JsonFactory().createParser(ObjectReadContext.empty(), new StringReader(text))) {
      while (parser.nextToken() != null) {
        parser.skipChildren();
      }
    }
  }

  /** A dependency must be a module of this project, in its version. */
  private static void dependency(String text) throws Exception {
    Document xml =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader("<all>" + text + "</all>")));
    NodeList names = xml.getElementsByTagName("artifactId");
    NodeList versions = xml.getElementsByTagName("version");
    Set<String> modules =
        Set.of(
            "woodbird-core",
            "woodbird-jdbc",
            "woodbird-redis",
            "woodbird-spark",
            "woodbird-spring-boot-starter");
    if (names.getLength() == 0 || names.getLength() != versions.getLength()) {
      throw new AssertionError("dependencies have an artifactId and a version");
    }
    Document root =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Page.root().resolve("pom.xml").toFile());
    String version = root.getElementsByTagName("version").item(0).getTextContent();
    for (int i = 0; i < names.getLength(); i++) {
      String name = names.item(i).getTextContent();
      if (!modules.contains(name) || !versions.item(i).getTextContent().equals(version)) {
        throw new AssertionError("no module " + name + " of version " + version);
      }
    }
  }
}
