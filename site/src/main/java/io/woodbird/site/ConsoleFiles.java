package io.woodbird.site;

import io.woodbird.console.ConsolePage;
import io.woodbird.console.PageRequest;
import io.woodbird.console.PageResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Play and Plan of the console without a server. The files are those that the console serves; what
 * it would answer about plans is computed in the page, by {@code offline.js}.
 */
final class ConsoleFiles {
  private static final Pattern FILE =
      Pattern.compile("['\"](?:\\./)?([\\w-]+\\.(?:js|mjs|css|svg))['\"]");
  private static final Pattern PALETTE = Pattern.compile("(?s):root \\{.*?\n\\}");
  private static final List<String> PLANNER =
      List.of(
          "amounts.js",
          "bloom-size.js",
          "frozen-size.js",
          "offline.js",
          "planner.js",
          "snippets.js");

  private final ConsolePage page;
  private final Path out;

  private ConsoleFiles(ConsolePage page, Path out) {
    this.page = page;
    this.out = out;
  }

  static void write(Path out) throws IOException {
    Files.createDirectories(out);
    try (ConsolePage page = ConsolePage.builder(host -> true).build()) {
      ConsoleFiles files = new ConsoleFiles(page, out);
      files.assets();
      files.abilities();
    }
    for (String name : PLANNER) {
      Files.writeString(out.resolve(name), Site.resource(name));
    }
  }

  /** The colours and typefaces of the console, as a block of CSS. */
  static String palette() {
    try (ConsolePage page = ConsolePage.builder(host -> true).build()) {
      Matcher block = PALETTE.matcher(new ConsoleFiles(page, Path.of("")).get("page.css", ""));
      if (!block.find()) {
        throw new IllegalStateException("page.css has no colours");
      }
      return block.group() + "\n";
    }
  }

  private PageResponse ask(String path, String query) {
    Map<String, List<String>> headers = Map.of("Host", List.of("site"));
    return page.handle(new PageRequest("GET", path, query, headers, ""));
  }

  private String get(String path, String query) {
    PageResponse response = ask(path, query);
    if (response.status() != 200) {
      throw new IllegalStateException(path + "?" + query + ": " + response.body());
    }
    return response.body();
  }

  /** The page and all files that it names, directly or through others. */
  private void assets() throws IOException {
    Deque<String> waiting = new ArrayDeque<>(List.of("index.html", "en.json", "zh.json"));
    Set<String> known = new HashSet<>(waiting);
    while (!waiting.isEmpty()) {
      String name = waiting.remove();
      String text = get(name, "");
      Matcher matcher = FILE.matcher(text);
      while (matcher.find()) {
        if (known.add(matcher.group(1))) {
          waiting.add(matcher.group(1));
        }
      }
      Files.writeString(out.resolve(name), name.equals("index.html") ? withoutServer(text) : text);
    }
  }

  /** The page without the tabs that need a server, and with a way back to the guide. */
  private static String withoutServer(String html) {
    String changed =
        replace(html, "<html lang=\"en\">", "<html lang=\"en\" data-offline=\"offline.js\">");
    changed = replace(changed, "(?s)\\s*<section id=\"filters\".*?</section>", "");
    changed = replace(changed, "(?s)\\s*<section id=\"guards\".*?</section>", "");
    changed = replace(changed, "\\s*<a href=\"#filters\"[^\n]*", "");
    changed =
        replace(
            changed,
            "<a href=\"#guards\"[^\n]*",
            "<a href=\"../index.html\" data-t=\"site.guide\"></a>");
    return replace(changed, "data-t=\"footer\"", "data-t=\"footer.site\"");
  }

  private static String replace(String html, String pattern, String replacement) {
    Matcher matcher = Pattern.compile(pattern).matcher(html);
    if (!matcher.find()) {
      throw new IllegalStateException("the console's page has no " + pattern);
    }
    return matcher.replaceFirst(Matcher.quoteReplacement(replacement));
  }

  /** What the families can do, as the console says it. */
  private void abilities() throws IOException {
    String answer = get("api/plan", "keys=1&fpp=0.5");
    String abilities = answer.substring(answer.lastIndexOf("\"abilities\":") + 12);
    Files.writeString(
        out.resolve("abilities.js"),
        "export const ABILITIES = " + abilities.substring(0, abilities.length() - 1) + ";\n");
  }
}
