package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links of all Markdown files lead somewhere, and nothing is left to do. */
final class LinksTest {
  private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|TBD|XXX)\\b");

  @Test
  void everyRelativeLink_leadsToAFileAndAHeading() {
    List<String> dead = new ArrayList<>();
    Page.all().forEach(name -> dead.addAll(dead(Page.read(name))));
    assertThat(dead).isEmpty();
  }

  /** The links of a page that lead nowhere. */
  static List<String> dead(Page page) {
    List<String> dead = new ArrayList<>();
    for (Page.Link link : page.links()) {
      if (!link.target().matches("[a-z]+:.*") && !leads(page, link.target())) {
        dead.add(page.name() + ":" + link.line() + ": " + link.target());
      }
    }
    return dead;
  }

  private static boolean leads(Page page, String target) {
    String decoded = URLDecoder.decode(target.replace("+", "%2B"), StandardCharsets.UTF_8);
    int hash = decoded.indexOf('#');
    String path = hash < 0 ? decoded : decoded.substring(0, hash);
    Path here = Path.of(page.name());
    Path there = path.isEmpty() ? here : here.resolveSibling(path).normalize();
    if (!path.isEmpty() && (there.startsWith("..") || !Files.exists(Page.root().resolve(there)))) {
      return false;
    }
    return hash < 0
        || (there.toString().endsWith(".md")
            && anchors(page, there).contains(decoded.substring(hash + 1)));
  }

  private static List<String> anchors(Page page, Path there) {
    String name = there.toString().replace('\\', '/');
    return (name.equals(page.name()) ? page : Page.read(name)).anchors();
  }

  @Test
  void noPage_isUnfinished() {
    List<String> unfinished =
        Page.all().stream()
            .filter(
                name -> {
                  Page page = Page.read(name);
                  return UNFINISHED.matcher(page.prose()).find()
                      || page.parts().stream()
                          .anyMatch(part -> UNFINISHED.matcher(part.text()).find());
                })
            .toList();
    assertThat(unfinished).isEmpty();
  }

  @Test
  void everyPageOfTheGuide_isInItsIndex() {
    Page index = Page.read("docs/README.md");
    List<String> linked = index.links().stream().map(Page.Link::target).toList();
    List<String> pages =
        Page.all().stream()
            .filter(name -> name.matches("docs/(tutorial|howto|explanation|reference)/.*"))
            .map(name -> name.substring("docs/".length()))
            .toList();
    assertThat(linked).containsAll(pages);
  }
}
