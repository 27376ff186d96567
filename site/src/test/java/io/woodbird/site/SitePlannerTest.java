package io.woodbird.site;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.console.ConsolePage;
import io.woodbird.console.PageRequest;
import io.woodbird.console.PageResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The planner in JavaScript gives the answers of the one in Java. */
final class SitePlannerTest {
  /*
   * Java and a browser may differ in the last bit of exp, log and pow, so a search for the smallest
   * size may end one block apart. Sizes may differ by a block of each generation of a window, and
   * rates by what that changes; all else is the same. The curves of the load are measured in Java and
   * computed in the page, so they differ by chance.
   */
  private static final String COMPARE =
      """
      const [text, done] = arguments;
      import('./offline.js').then(async ({ answer }) => {
        const near = (a, b, share) => Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));
        const samePlan = (a, b) => a.family === b.family
            && Math.abs(a.bits - b.bits) <= Math.max(8 * 512, 1e-12 * a.bits)
            && near(a.bytes, b.bytes, 1e-12 + (a.bits === b.bits ? 0 : 1040 / b.bytes))
            && near(a.fpp, b.fpp, a.bits === b.bits ? 1e-9 : 0.05);
        const sorted = (plans) => [...plans].sort((a, b) => (a.family < b.family ? -1 : 1));
        const samePlans = (a, b) => a.length === b.length
            && sorted(a).every((plan, i) => samePlan(plan, sorted(b)[i]));
        const sameLoad = (a, b) => a.length === b.length && a.every((curve, i) =>
            curve.family === b[i].family && curve.fpp.every((rate, j) =>
                Math.abs(rate - b[i].fpp[j]) <= 0.3 * rate + 1e-3 * curve.fpp[10]));
        const wrong = [];
        for (const [path, java] of JSON.parse(text)) {
          let site;
          try {
            site = await answer(path);
          } catch (error) {
            site = { code: error.code };
          }
          const bad = [];
          const must = (name, good) => good || bad.push(name);
          if (java.code || site.code) {
            must('code', java.code === site.code);
          } else if (path.startsWith('map')) {
            must('map', java.cells.every((row, i) => row.every((cell, j) =>
                cell.family === site.cells[i][j].family
                    && (!cell.family || samePlan(cell, site.cells[i][j])))));
            must('axes', String([site.keys, site.fpps]) === String([java.keys, java.fpps]));
          } else {
            for (const name of ['keys', 'fpp', 'budget'])
              must(name, java[name] === site[name]);
            for (const name of ['limitBitsPerKey', 'limitFpp', 'limitBytes'])
              must(name, near(java[name], site[name], 1e-9));
            must('plans', samePlans(java.plans, site.plans));
            must('ways', samePlans(java.ways, site.ways));
            must('doubled', samePlans(Object.values(java.doubled), Object.values(site.doubled)));
            must('load', sameLoad(java.load, site.load));
            must('abilities', JSON.stringify(java.abilities) === JSON.stringify(site.abilities));
            for (const { family } of java.plans) {
              const [a, b] = [java.snippets[family], site.snippets[family]];
              for (const kind of ['java', 'yaml', 'cli'])
                must(family + ' ' + kind, a[kind] === b[kind]
                    || (java.budget && a[kind] && b[kind])); // A rate of 17 digits.
            }
          }
          if (bad.length) wrong.push(path + ': ' + bad);
        }
        done(wrong.length + ' ' + wrong.slice(0, 10).join('; '));
      }).catch((error) => done(String(error.stack)));
      """;

  @TempDir static Path site;

  @BeforeAll
  static void build() throws IOException {
    ConsoleFiles.write(site);
  }

  /** Each shape of a Bloom filter, one shard and several, ternary columns and none. */
  @Test
  void usualQuestions_haveTheAnswersOfJava() throws IOException {
    List<String> paths = new ArrayList<>(List.of("map?needs=put,delete"));
    for (String one :
        List.of(
            "keys=1&fpp=30%25",
            "keys=999&fpp=5%25",
            "keys=12,345&fpp=1%25",
            "keys=1.1M&fpp=0.3%25",
            "keys=10M&fpp=0.1%25&needs=put",
            "keys=2e9&fpp=.0008",
            "keys=1e12&fpp=1/3M",
            "keys=50k&fpp=1e-8",
            "keys=10M&budget=100",
            "keys=10M&budget=5kB",
            "keys=10M&budget=64MiB",
            "keys=2e9&budget=500MB",
            "keys=2e9&budget=5GB&needs=delete",
            "keys=1e10&budget=100GB")) {
      paths.add("plan?" + one);
    }
    for (String refused :
        List.of(
            "plan?keys=0&fpp=1%25",
            "plan?keys=many&fpp=1%25",
            "plan?keys=1.5&fpp=1%25",
            "plan?fpp=1%25",
            "plan?keys=1e18&fpp=1%25",
            "plan?keys=1e10&fpp=1e-10",
            "plan?keys=1000&fpp=2",
            "plan?keys=1000",
            "plan?keys=1000&budget=0",
            "plan?keys=1000&budget=5M")) {
      paths.add(refused);
    }
    compare(paths);
  }

  @Tag("slow")
  @Test
  void everySize_hasTheAnswerOfJava() throws IOException {
    long seed = Long.getLong("woodbird.seed", 20261118);
    System.out.println("woodbird.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 10; round++) {
      List<String> paths = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        long keys = (long) Math.pow(10, 13 * random.nextDouble());
        String wish =
            random.nextInt(4) > 0
                ? "fpp=" + Math.pow(10, -9 * random.nextDouble() - 0.01)
                : "budget=" + (long) (keys * 3 * random.nextDouble() + 300);
        paths.add(String.format(Locale.ROOT, "plan?keys=%d&%s", keys, wish));
      }
      compare(paths);
    }
  }

  private static void compare(List<String> paths) throws IOException {
    StringBuilder answers = new StringBuilder("[");
    try (ConsolePage page = ConsolePage.builder(host -> true).build()) {
      for (String path : paths) {
        int query = path.indexOf('?');
        Map<String, List<String>> headers = Map.of("Host", List.of("site"));
        PageResponse response =
            page.handle(
                new PageRequest(
                    "GET",
                    "api/" + path.substring(0, query),
                    path.substring(query + 1),
                    headers,
                    ""));
        answers.append(answers.length() > 1 ? "," : "");
        answers.append("[\"").append(path).append("\",").append(response.body()).append("]");
      }
    }
    String all = answers.append("]").toString();
    SiteTest.inBrowser(
        site,
        (browser, base) -> {
          browser.visit(base + "index.html");
          assertThat(browser.jsLater(COMPARE, all)).isEqualTo("0 ");
        });
  }
}
