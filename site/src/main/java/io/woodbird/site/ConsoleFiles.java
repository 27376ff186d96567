package io.woodbird.site;

import io.woodbird.console.ConsolePage;
import io.woodbird.console.PageRequest;
import io.woodbird.console.PageResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Play and Plan of the console without a server. The files are those that the console serves. The
 * answers of Plan are the console's own, for each step of its two sliders.
 */
final class ConsoleFiles {
  /*
   * Why not a planner in JavaScript: it would be a second one, and both would have to be kept equal.
   * 25 steps of keys times 25 steps of the rate are 625 answers, some 2 MB in 25 files, of which a
   * reader gets one for each rate that he chooses.
   */
  private static final Pattern FILE =
      Pattern.compile("['\"](?:\\./)?([\\w-]+\\.(?:js|mjs|css|svg))['\"]");
  private static final Pattern PALETTE = Pattern.compile("(?s):root \\{.*?\n\\}");
  private static final List<String> NEEDS = List.of("delete", "grow", "put", "window");
  private static final int[] LEADING = {1, 2, 5};

  private final ConsolePage page;
  private final Path out;

  private ConsoleFiles(ConsolePage page, Path out) {
    this.page = page;
    this.out = out;
  }

  static void write(Path out) throws IOException {
    Files.createDirectories(out.resolve("plans"));
    try (ConsolePage page = ConsolePage.builder(host -> true).build()) {
      ConsoleFiles files = new ConsoleFiles(page, out);
      files.assets();
      files.plans();
      files.maps();
    }
    Files.writeString(out.resolve("offline.js"), Site.resource("offline.js"));
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
    changed = replace(changed, "<input id=\"plan-keys\"", "<input id=\"plan-keys\" readonly");
    changed = replace(changed, "<input id=\"plan-fpp\"", "<input id=\"plan-fpp\" readonly");
    return replace(changed, "data-t=\"footer\"", "data-t=\"footer.site\"");
  }

  private static String replace(String html, String pattern, String replacement) {
    Matcher matcher = Pattern.compile(pattern).matcher(html);
    if (!matcher.find()) {
      throw new IllegalStateException("the console's page has no " + pattern);
    }
    return matcher.replaceFirst(Matcher.quoteReplacement(replacement));
  }

  /** The steps of the sliders: 1, 2 and 5 of each power of ten. */
  private static List<String> steps(int from, int to) {
    List<String> steps = new ArrayList<>();
    for (int power = from; power < to; power++) {
      for (int first : LEADING) {
        steps.add(first + "e" + power);
      }
    }
    steps.add("1e" + to);
    return steps;
  }

  /** One file for each rate. What all numbers of keys have in common stands in it once. */
  private void plans() throws IOException {
    List<String> rates = steps(-9, -1);
    for (int i = 0; i < rates.size(); i++) {
      List<String> answers = new ArrayList<>();
      String load = "";
      String abilities = "";
      for (String keys : steps(2, 10)) {
        String query = "keys=" + keys + "&fpp=" + rates.get(i);
        // The curves are measured, which takes time; they depend on the rate alone.
        PageResponse response = ask("api/plan", load.isEmpty() ? query : query + "&load=no");
        String answer = response.body();
        if (response.status() != 200) {
          answers.add(answer); // So low a rate can't be kept for so many keys; the page says that.
          continue;
        }
        int first = answer.indexOf("\"load\":");
        int second = answer.indexOf(",\"snippets\":", first);
        int third = answer.lastIndexOf(",\"abilities\":");
        load = load.isEmpty() ? answer.substring(first, second) : load;
        abilities = answer.substring(third + 1, answer.length() - 1);
        answers.add(answer.substring(0, first) + answer.substring(second + 1, third) + "}");
      }
      String text =
          "{%s,%s,\"answers\":[%s]}".formatted(load, abilities, String.join(",\n", answers));
      // The slider goes from the highest rate to the lowest.
      Files.writeString(out.resolve("plans/rate-" + (rates.size() - 1 - i) + ".json"), text);
    }
  }

  private void maps() throws IOException {
    List<String> maps = new ArrayList<>();
    for (int chosen = 0; chosen < 1 << NEEDS.size(); chosen++) {
      List<String> needs = new ArrayList<>();
      for (int i = 0; i < NEEDS.size(); i++) {
        if ((chosen >> i & 1) == 1) {
          needs.add(NEEDS.get(i));
        }
      }
      String list = String.join(",", needs);
      maps.add("\"" + list + "\":" + get("api/map", "needs=" + list));
    }
    Files.writeString(out.resolve("plans/maps.json"), "{" + String.join(",\n", maps) + "}");
  }
}
