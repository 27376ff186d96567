package io.woodbird.site;

import java.util.List;
import java.util.Map;

/** What is around the text of each page: the bar above it, and the pages beside it. */
final class Layout {
  private static final List<String> GROUPS =
      List.of("tutorial", "howto", "explanation", "reference");
  private static final Map<String, String> ENGLISH =
      Map.ofEntries(
          Map.entry("skip", "Skip to the content"),
          Map.entry("sections", "Sections"),
          Map.entry("pages", "Pages"),
          Map.entry("search", "Search"),
          Map.entry("none", "Nothing was found."),
          Map.entry("guide", "Guide"),
          Map.entry("play", "Play"),
          Map.entry("plan", "Plan"),
          Map.entry("benchmarks", "Benchmarks"),
          Map.entry("other", "\u4e2d\u6587"),
          Map.entry("tutorial", "Begin"),
          Map.entry("howto", "How to"),
          Map.entry("explanation", "How it works"),
          Map.entry("reference", "Reference"));
  private static final Map<String, String> CHINESE =
      Map.ofEntries(
          Map.entry("skip", "\u8df3\u5230\u6b63\u6587"),
          Map.entry("sections", "\u680f\u76ee"),
          Map.entry("pages", "\u9875\u9762"),
          Map.entry("search", "\u641c\u7d22"),
          Map.entry("none", "\u6ca1\u6709\u627e\u5230\u3002"),
          Map.entry("guide", "\u6307\u5357"),
          Map.entry("play", "\u73a9\u4e00\u73a9"),
          Map.entry("plan", "\u89c4\u5212"),
          Map.entry("benchmarks", "\u6027\u80fd"),
          Map.entry("other", "English"),
          Map.entry("tutorial", "\u5165\u95e8"),
          Map.entry("howto", "\u64cd\u4f5c\u6307\u5357"),
          Map.entry("explanation", "\u539f\u7406"),
          Map.entry("reference", "\u53c2\u8003"));

  private final Map<String, Markdown> pages;
  private final boolean javadoc;
  private final String template = Site.resource("page.html");

  Layout(Map<String, Markdown> pages, boolean javadoc) {
    this.pages = pages;
    this.javadoc = javadoc;
  }

  static boolean chinese(String name) {
    return name.startsWith("docs/zh/") || name.equals("README.zh.md");
  }

  /** A whole page of HTML. */
  String page(String name, String title, String content) {
    boolean zh = chinese(name);
    Map<String, String> words = zh ? CHINESE : ENGLISH;
    String html = template;
    html = html.replace("{lang}", zh ? "zh-CN" : "en");
    html =
        html.replace("{title}", escaped(title.equals("Woodbird") ? title : title + " - Woodbird"));
    html = html.replace("{root}", "../".repeat((int) name.chars().filter(c -> c == '/').count()));
    html = html.replace("{home}", way(name, zh ? "README.zh.html" : "index.html"));
    for (String word : List.of("skip", "sections", "pages", "search", "none")) {
      html = html.replace("{" + word + "}", String.valueOf(words.get(word)));
    }
    html = html.replace("{links}", links(name, zh, words));
    html = html.replace("{side}", side(name, zh, words));
    return html.replace("{content}", content); // Last: a page may have such words of its own.
  }

  private String links(String name, boolean zh, Map<String, String> words) {
    StringBuilder links = new StringBuilder();
    add(links, way(name, zh ? "docs/zh/index.html" : "docs/index.html"), words.get("guide"));
    add(links, way(name, "play/index.html") + "#play", words.get("play"));
    add(links, way(name, "play/index.html") + "#plan", words.get("plan"));
    add(links, way(name, "docs/benchmarks/index.html"), words.get("benchmarks"));
    if (javadoc) {
      add(links, way(name, "javadoc/index.html"), "Javadoc");
    }
    add(links, way(name, html(otherLanguage(name, zh))), words.get("other"));
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

  private String side(String name, boolean zh, Map<String, String> words) {
    StringBuilder side = new StringBuilder();
    for (String group : GROUPS) {
      String folder = zh ? "docs/zh/" + group + "/" : "docs/" + group + "/";
      side.append("<h2>").append(words.get(group)).append("</h2><ul>");
      for (Map.Entry<String, Markdown> page : pages.entrySet()) {
        if (page.getKey().startsWith(folder)) {
          side.append("<li><a href=\"").append(way(name, html(page.getKey()))).append('"');
          side.append(page.getKey().equals(name) ? " aria-current=\"page\">" : ">");
          side.append(escaped(page.getValue().title())).append("</a></li>");
        }
      }
      side.append("</ul>");
    }
    return side.toString();
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
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\' || c == '<' || c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
