package io.woodbird.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Pages in Chinese, and the English page that each of them follows. */
final class Translation {
  /** "See the English", in a section of a translation that leaves its tables out. */
  private static final String SEE_ENGLISH = "\u89c1[\u82f1\u6587\u7248";

  private static final Pattern CODE = Pattern.compile("`[^`]+`");

  private Translation() {}

  /** The English page of a Chinese one; nothing if the page is English. */
  static Optional<String> original(String name) {
    if (name.equals("README.zh.md")) {
      return Optional.of("README.md");
    }
    return name.startsWith("docs/zh/")
        ? Optional.of("docs/" + name.substring("docs/zh/".length()))
        : Optional.empty();
  }

  /** The blocks without comments, which a translation may translate, and without spaces. */
  static List<String> code(Page page) {
    return page.blocks().stream()
        .map(
            block ->
                block.name()
                    + "\n"
                    + block
                        .text()
                        .lines()
                        .map(line -> line.replaceFirst("(^|\\s)(//|#)(\\s.*)?$", ""))
                        .map(line -> line.replaceAll("\\s+", " ").strip())
                        .filter(line -> !line.isEmpty())
                        .collect(Collectors.joining("\n")))
        .toList();
  }

  /** What stands as code in each section. */
  private static List<Set<String>> names(List<String> sections) {
    return sections.stream()
        .map(text -> CODE.matcher(text).results().map(found -> found.group()))
        .map(found -> (Set<String>) found.collect(Collectors.toCollection(TreeSet::new)))
        .toList();
  }

  private static List<String> sections(Page page) {
    return List.of(page.prose().split("(?m)^## "));
  }

  /**
   * What stands as code in a section of one page and not in that of the other: a row of a table, an
   * option or a setting that a translation has not followed.
   */
  static List<String> onlyInOne(Page translation, Page original) {
    List<String> sections = sections(translation);
    List<Set<String>> ours = names(sections);
    List<Set<String>> theirs = names(sections(original));
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      Set<String> missing = new TreeSet<>(theirs.get(i));
      missing.removeAll(ours.get(i));
      Set<String> more = new TreeSet<>(ours.get(i));
      more.removeAll(theirs.get(i));
      if (!sections.get(i).contains(SEE_ENGLISH) && !(missing.isEmpty() && more.isEmpty())) {
        String heading = sections.get(i).lines().findFirst().orElse("");
        found.add("section \"%s\" lacks %s, has %s".formatted(heading, missing, more));
      }
    }
    return found;
  }

  /** Links of a translation that lead to a page in English though there is one in Chinese. */
  static List<String> linksToEnglish(Page translation, List<String> all) {
    String original = original(translation.name()).orElseThrow();
    Path folder = Path.of("/", translation.name()).getParent();
    return translation.links().stream()
        .map(Page.Link::target)
        .filter(target -> !target.contains(":") && !target.startsWith("#"))
        .filter(
            target -> {
              Path file = folder.resolve(target.replaceFirst("#.*", "")).normalize();
              String name = Path.of("/").relativize(file).toString();
              return !name.equals(original)
                  && all.stream()
                      .anyMatch(other -> original(other).filter(name::equals).isPresent());
            })
        .toList();
  }
}
