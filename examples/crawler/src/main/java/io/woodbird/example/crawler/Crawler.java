package io.woodbird.example.crawler;

import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A crawler that fetches no page twice, and goes on where it was after {@code kill -9}.
 *
 * <pre>
 *   seen.wbird    every URL that was ever found, in a durable filter
 *   found.txt     the same URLs, one a line, in the order they were found: the queue
 *   fetched.txt   those of them that were fetched, in the same order
 * </pre>
 *
 * <p>The filter alone decides whether a link is new: one {@code put}, and no look-up in a database.
 * The two logs are only read when the crawler starts. They keep one rule: what the filter has on
 * disk is in the queue, as a link is written to the queue before the filter's next checkpoint.
 */
public final class Crawler {
  private final Path found;
  private final Path fetched;
  private final Deque<String> queue = new ArrayDeque<>();

  private Crawler(Path folder) {
    found = folder.resolve("found.txt");
    fetched = folder.resolve("fetched.txt");
  }

  private void crawl(DurableFilter<String> seen, String start) throws IOException {
    int done = lines(fetched).size();
    List<String> all = lines(found);
    queue.addAll(all.subList(done, all.size()));
    queue.forEach(seen::put); // The last of them may be newer than the last checkpoint.
    System.out.printf("%d pages fetched before, %d are waiting%n", done, queue.size());
    visit(seen, start);
    while (!queue.isEmpty()) {
      String url = queue.remove();
      for (String link : Web.fetch(url)) {
        visit(seen, link);
      }
      seen.checkpoint(); // One fsync. A real fetch takes a hundred times as long.
      append(fetched, url);
      System.out.println("fetched " + url);
    }
  }

  /** Queues a link if it is new. */
  private void visit(DurableFilter<String> seen, String link) throws IOException {
    if (!seen.mightContain(link)) {
      append(found, link); // First: a link that the filter has must be in the log.
      seen.put(link);
      queue.add(link);
    }
  }

  private static void append(Path log, String line) throws IOException {
    Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Reads a log, and drops a line that the last crash cut short. */
  private static List<String> lines(Path log) throws IOException {
    String text = Files.exists(log) ? Files.readString(log) : "";
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    Files.write(log, whole.getBytes(StandardCharsets.UTF_8));
    return whole.lines().toList();
  }

  /** A little web that needs no network. */
  static final class Web {
    static final int PAGES = 2000;

    private Web() {}

    /** Returns the links of a page. */
    static List<String> fetch(String url) {
      long page = Long.parseLong(url.substring(url.lastIndexOf('/') + 1));
      List<String> links = new ArrayList<>();
      for (int i = 1; i <= 8; i++) {
        links.add("https://web.example/" + (page * 31 + i * 17L) % PAGES);
      }
      return links;
    }
  }

  /**
   * Crawls.
   *
   * @param args the folder for the files, {@code crawl} if none is given
   * @throws IOException if they can't be read or written
   */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args.length > 0 ? args[0] : "crawl"));
    try (DurableFilter<String> seen =
        Woodbird.bloom(Keys.strings(), 1_000_000).fpp(1e-6).file(folder.resolve("seen.wbird"))) {
      System.out.println("the filter: " + seen.recovery());
      new Crawler(folder).crawl(seen, "https://web.example/0");
      System.out.println("all done: " + seen.stats());
    }
  }
}
