package io.woodbird.site;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** What is around the text of each page: the bar above it, and the pages beside it. */
final class Layout {
  private static final List<String> GROUPS =
      List.of("tutorial", "howto", "explanation", "reference");
  private final Map<String, Markdown> pages;
  private final boolean javadoc;
  private final String template = Site.resource("page.html");
  private final Properties english = words("words-en.properties");
  private final Properties chinese = words("words-zh.properties");

  Layout(Map<String, Markdown> pages, boolean javadoc) {
    this.pages = pages;
    this.javadoc = javadoc;
  }

  private static Properties words(String name) {
    Properties words = new Properties();
    try {
      words.load(new StringReader(Site.resource(name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return words;
  }

  static boolean chinese(String name) {
    return name.startsWith("docs/zh/") || name.equals("README.zh.md");
  }

  /** A whole page of HTML. */
  String page(String name, String title, String content) {
    boolean zh = chinese(name);
    Properties words = zh ? chinese : english;
    String html = template;
    html = html.replace("{lang}", zh ? "zh-CN" : "en");
    html =
        html.replace("{title}", escaped(title.equals("Woodbird") ? title : title + " - Woodbird"));
    html = html.replace("{root}", "../".repeat((int) name.chars().filter(c -> c == '/').count()));
    html = html.replace("{home}", way(name, zh ? "README.zh.html" : "index.html"));
    for (String word : List.of("skip", "sections", "pages", "search", "none")) {
      html = html.replace("{" + word + "}", words.getProperty(word));
    }
    html = html.replace("{links}", links(name, zh, words));
    html = html.replace("{side}", side(name, zh, words));
    return html.replace("{content}", content); // Last: a page may have such words of its own.
  }

  private String links(String name, boolean zh, Properties words) {
    StringBuilder links = new StringBuilder();
    add(
        links,
        way(name, zh ? "docs/zh/index.html" : "docs/index.html"),
        words.getProperty("guide"));
    String play = way(name, "play/index.html") + (zh ? "?lang=zh" : "?lang=en");
    add(links, play + "#play", words.getProperty("play"));
    add(links, play + "#plan", words.getProperty("plan"));
    add(links, way(name, "docs/benchmarks/index.html"), words.getProperty("benchmarks"));
    if (javadoc) {
      add(links, way(name, "javadoc/index.html"), "Javadoc");
    }
    add(links, way(name, html(otherLanguage(name, zh))), words.getProperty("other"));
    return links.toString();
  }

  /** The same page in the other language, or the first one. */
  private String otherLanguage(String name, boolean zh) {
    String other =
        zh ? name.replaceFirst("^docs/zh/", "docs/") : name.replaceFirst("^docs/", "docs/zh/");
    if (other.startsWith("docs/") && pages.containsKey(other)) {
      return other;
    }
    return zh ? "README.md" : "README.zh.md";
  }

  private String side(String name, boolean zh, Properties words) {
    StringBuilder side = new StringBuilder();
    for (String group : GROUPS) {
      String folder = zh ? "docs/zh/" + group + "/" : "docs/" + group + "/";
      side.append("<h2>").append(words.getProperty(group)).append("</h2><ul>");
      for (Map.Entry<String, Markdown> page : inOrder(folder, zh ? "docs/zh/" : "docs/")) {
        side.append("<li><a href=\"").append(way(name, html(page.getKey()))).append('"');
        side.append(page.getKey().equals(name) ? " aria-current=\"page\">" : ">");
        side.append(escaped(page.getValue().title())).append("</a></li>");
      }
      side.append("</ul>");
    }
    return side.toString();
  }

  /** The pages of a folder in the order in which the guide names them, then the others. */
  private List<Map.Entry<String, Markdown>> inOrder(String folder, String guide) {
    Markdown contents = pages.get(guide + "README.md");
    List<String> names = contents == null ? List.of() : contents.links();
    List<Map.Entry<String, Markdown>> found = new ArrayList<>(pages.entrySet());
    found.removeIf(page -> !page.getKey().startsWith(folder));
    found.sort(
        Comparator.comparing(
            page -> {
              int place = names.indexOf(page.getKey().substring(guide.length()));
              return place < 0 ? Integer.MAX_VALUE : place;
            }));
    return found;
  }

  private static void add(StringBuilder links, String target, String text) {
    links.append("<a href=\"").append(target).append("\">").append(text).append("</a>");
  }

  private static String html(String page) {
    return page.replaceFirst("(^|/)README\\.md$", "$1index.html").replaceFirst("\\.md$", ".html");
  }

  private static String way(String from, String to) {
    return Site.relative(from, to);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** A text of JavaScript. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\' || c == '<' || c < ' ') {
        quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
