package io.woodbird.example.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrawlerTest {
  private static final int KILLS = 4;

  @TempDir private Path folder;

  @Test
  void itFetchesEveryPageOnce_thoughItIsKilledAgainAndAgain() throws Exception {
    for (int kill = 1; kill <= KILLS; kill++) {
      assertThat(crawlAndKillAfter(kill * 70)).isEqualTo(137);
    }
    assertThat(crawlAndKillAfter(Integer.MAX_VALUE)).isZero();

    List<String> fetched = Files.readAllLines(folder.resolve("fetched.txt"));
    Set<String> once = new HashSet<>(fetched);
    assertThat(once).isEqualTo(reachable());
    // The page in flight may be fetched again.
    assertThat(fetched.size() - once.size()).isBetween(0, KILLS);
    assertThat(Files.readAllLines(folder.resolve("found.txt"))).doesNotHaveDuplicates();
  }

  /**
   * Runs the crawler in a process of its own, kills it after so many pages, returns its exit code.
   */
  private int crawlAndKillAfter(int pages) throws Exception {
    String classes = origin(Woodbird.class) + File.pathSeparator + origin(Crawler.class);
    Process crawler =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes,
                Crawler.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(crawler.getInputStream(), StandardCharsets.UTF_8))) {
      int fetched = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        fetched += line.startsWith("fetched ") ? 1 : 0;
        if (fetched == pages) {
          crawler.toHandle().destroyForcibly(); // kill -9
        }
      }
    }
    return crawler.waitFor();
  }

  private static String origin(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static Set<String> reachable() throws IOException {
    Set<String> all = new HashSet<>(Set.of("https://web.example/0"));
    Set<String> next = all;
    while (!next.isEmpty()) {
      Set<String> links = new HashSet<>();
      next.forEach(url -> links.addAll(Crawler.Web.fetch(url)));
      links.removeAll(all);
      all = new HashSet<>(all);
      all.addAll(links);
      next = links;
    }
    assertThat(all.size()).isGreaterThan(1000);
    return all;
  }
}
