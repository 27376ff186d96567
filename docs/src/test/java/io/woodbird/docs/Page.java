package io.woodbird.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown file, cut into what tests look at: blocks, notes, headings and links.
 *
 * @param name the path from the root of the project
 * @param parts blocks and notes in order
 * @param headings the headings in order, without their signs
 * @param links where links and images lead
 * @param prose all lines outside of blocks and notes
 */
record Page(String name, List<Part> parts, List<String> headings, List<Link> links, String prose) {
  /**
   * A link.
   *
   * @param line where it stands
   * @param target where it leads
   */
  record Link(int line, String target) {}

  private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?[^)]*\\)");
  private static final Pattern ATTRIBUTE = Pattern.compile("(?:src|href|srcset)=\"([^\"]+)\"");

  /** The root of the project. */
  static Path root() {
    return Path.of(System.getProperty("woodbird.root", "..")).toAbsolutePath().normalize();
  }

  /** All Markdown files of the project. */
  static List<String> all() {
    Path root = root();
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(name -> !name.matches("(.*/)?(target|\\.git|node_modules)/.*"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Page read(String name) {
    try {
      return parse(name, Files.readString(root().resolve(name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Page parse(String name, String text) {
    List<Part> parts = new ArrayList<>();
    List<String> headings = new ArrayList<>();
    List<Link> links = new ArrayList<>();
    StringBuilder prose = new StringBuilder();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int start = i + 1;
      if (line.strip().startsWith("```")) {
        String fence = line.strip().replaceFirst("[^`].*", "");
        String language = line.strip().substring(fence.length()).strip();
        StringBuilder block = new StringBuilder();
        for (i++; i < lines.size() && !lines.get(i).strip().equals(fence); i++) {
          block.append(lines.get(i)).append('\n');
        }
        if (i == lines.size()) {
          throw new AssertionError(name + ":" + start + ": the block does not end");
        }
        parts.add(new Part(Part.Kind.BLOCK, start, language, block.toString()));
      } else if (line.strip().startsWith("<!--")) {
        StringBuilder note = new StringBuilder(line.strip().substring(4));
        while (note.indexOf("-->") < 0) {
          if (++i == lines.size()) {
            throw new AssertionError(name + ":" + start + ": the comment does not end");
          }
          note.append('\n').append(lines.get(i));
        }
        parts.add(note(start, note.substring(0, note.indexOf("-->")).strip()));
      } else {
        prose.append(line).append('\n');
        if (line.startsWith("#")) {
          headings.add(line.replaceFirst("^#+", "").strip());
        }
        String shown = line.replaceAll("`[^`]*`", "");
        for (Pattern pattern : List.of(LINK, ATTRIBUTE)) {
          Matcher matcher = pattern.matcher(shown);
          while (matcher.find()) {
            links.add(new Link(start, matcher.group(1)));
          }
        }
      }
    }
    return new Page(name, parts, headings, links, prose.toString());
  }

  private static Part note(int line, String text) {
    Matcher word = Pattern.compile("[a-z ]*[a-z]").matcher(text);
    String name = word.lookingAt() ? word.group() : "";
    if (text.startsWith("java\n") || text.startsWith("sh\n")) {
      name = text.substring(0, text.indexOf('\n'));
    }
    String rest = text.substring(name.length()).replaceFirst("^:", "");
    int skipped = rest.startsWith("\n") ? 1 : 0;
    return new Part(Part.Kind.NOTE, line + skipped, name, rest.strip());
  }

  /** The anchors of its headings, as GitHub makes them. */
  List<String> anchors() {
    List<String> anchors = new ArrayList<>();
    for (String heading : headings) {
      String plain = heading.replaceAll("\\]\\([^)]*\\)", "]").toLowerCase(Locale.ROOT);
      String anchor = plain.replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-');
      int again = 0;
      String unique = anchor;
      while (anchors.contains(unique)) {
        unique = anchor + "-" + ++again;
      }
      anchors.add(unique);
    }
    return anchors;
  }

  /** The blocks alone. */
  List<Part> blocks() {
    return parts.stream().filter(Part::isBlock).toList();
  }
}
