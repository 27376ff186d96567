package io.woodbird.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The web site. It has the same folders as the project, so that relative links stay as they are;
 * what a page links to is in it too, and a link that leads nowhere ends the build.
 */
public final class Site {
  private static final Pattern REFERENCE = Pattern.compile("\\b(href|src|srcset)=\"([^\"]+)\"");
  private static final Pattern ELSEWHERE = Pattern.compile("(?:[a-z]+:|#|//).*");
  private static final Set<String> PICTURES = Set.of("svg", "png", "jpg", "gif", "webp");

  private final Path root;
  private final Path out;
  private final boolean javadoc;
  private final Map<String, Markdown> pages = new LinkedHashMap<>();
  private final Set<String> others = new LinkedHashSet<>();
  private final Deque<String> waiting = new ArrayDeque<>();

  private Site(Path root, Path out, boolean javadoc) {
    this.root = root;
    this.out = out;
    this.javadoc = javadoc;
  }

  /**
   * Makes the site.
   *
   * @param arguments the project's folder, and the folder to write into
   * @throws IOException if something can't be read or written
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("usage: java -jar site.jar PROJECT FOLDER");
      System.exit(2);
    }
    Path target = Path.of(arguments[1]).toAbsolutePath().normalize();
    int written = build(Path.of(arguments[0]).toAbsolutePath().normalize(), target, true);
    System.out.println(written + " pages in " + target);
    System.out.println("Any web server will do, for example: python3 -m http.server -d " + target);
  }

  /**
   * Makes the site.
   *
   * @param root the project
   * @param out where to; files that are there already stay
   * @param javadoc whether to run the Javadoc tool, which takes longest
   * @return how many pages of text there are
   * @throws IOException if something can't be read or written
   */
  public static int build(Path root, Path out, boolean javadoc) throws IOException {
    Site site = new Site(root, out, javadoc);
    site.read();
    site.write();
    ConsoleFiles.write(out.resolve("play"));
    if (javadoc) {
      Javadoc.write(root, out.resolve("javadoc"));
    }
    return site.pages.size();
  }

  /** Reads the guide, and from there on all that is linked to. */
  private void read() throws IOException {
    waiting.add("README.md");
    waiting.add("README.zh.md");
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(".md") && !name.contains("/target/"))
          .sorted()
          .forEach(waiting::add);
    }
    while (!waiting.isEmpty()) {
      String name = waiting.remove();
      if (!pages.containsKey(name)) {
        Markdown page = new Markdown(Files.readString(root.resolve(name)));
        pages.put(name, page);
        links(name, page.html());
      }
    }
  }

  private void write() throws IOException {
    Layout layout = new Layout(pages, javadoc);
    StringBuilder index = new StringBuilder("window.woodbirdPages = [\n");
    for (Map.Entry<String, Markdown> entry : pages.entrySet()) {
      String name = entry.getKey();
      Markdown page = entry.getValue();
      save(url(name), layout.page(name, page.title(), links(name, page.html())));
      index.append(
          "{\"url\":%s,\"zh\":%s,\"title\":%s,\"heads\":%s,\"text\":%s},\n"
              .formatted(
                  Layout.quoted(url(name)),
                  Layout.chinese(name),
                  Layout.quoted(page.title()),
                  Layout.quoted(page.headings()),
                  Layout.quoted(page.text())));
    }
    save("search-index.js", index.append("];\n").toString());
    for (String name : others) {
      writeOther(name, layout);
    }
    save("site.css", ConsoleFiles.palette() + resource("site.css"));
    save("site.js", resource("site.js"));
  }

  /** A picture as it is, a text as a page around it, a folder as the list of its files. */
  private void writeOther(String name, Layout layout) throws IOException {
    Path file = root.resolve(name);
    if (Files.isDirectory(file)) {
      StringBuilder list = new StringBuilder("<h1>" + Layout.escaped(name) + "</h1>\n<ul>\n");
      try (Stream<Path> files = Files.list(file)) {
        files
            .map(one -> one.getFileName() + (Files.isDirectory(one) ? "/" : ""))
            .filter(one -> !one.equals("target/"))
            .sorted()
            .forEach(one -> list.append("<li>" + Layout.escaped(one) + "</li>\n"));
      }
      save(url(name), layout.page(url(name), name, list + "</ul>\n"));
    } else if (isPicture(name)) {
      Path target = out.resolve(name);
      Files.createDirectories(target.getParent());
      Files.write(target, Files.readAllBytes(file));
    } else {
      String text = Layout.escaped(Files.readString(file));
      String content =
          "<h1>%s</h1>\n<pre tabindex=\"0\"><code>%s</code></pre>\n"
              .formatted(Layout.escaped(name), text);
      save(url(name), layout.page(url(name), name, content));
    }
  }

  /** Leads the links of a page to the files of the site, and notes what has to be in it. */
  private String links(String from, String html) {
    Matcher matcher = REFERENCE.matcher(html);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      String link = matcher.group(1) + "=\"" + link(from, matcher.group(2)) + "\"";
      matcher.appendReplacement(result, Matcher.quoteReplacement(link));
    }
    return matcher.appendTail(result).toString();
  }

  private String link(String from, String link) {
    if (ELSEWHERE.matcher(link).matches()) {
      return link;
    }
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = root.resolve(from).resolveSibling(path).normalize();
    if (!target.startsWith(root) || !Files.exists(target)) {
      throw new IllegalStateException(from + " links to what is not there: " + link);
    }
    Path readme = target.resolve("README.md");
    String name = root.relativize(Files.exists(readme) ? readme : target).toString();
    name = name.replace('\\', '/');
    boolean page = name.endsWith(".md");
    if (page) {
      waiting.add(name);
    } else {
      others.add(name);
    }
    // A place in a source file is a line; the page around it has none.
    String place = hash >= 0 && page ? link.substring(hash) : "";
    return relative(url(from), url(name)) + place;
  }

  private static boolean isPicture(String name) {
    return PICTURES.contains(name.substring(name.lastIndexOf('.') + 1));
  }

  /** Where a file of the project is in the site. */
  private String url(String name) {
    if (name.endsWith(".md")) {
      return name.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.md$", ".html");
    }
    if (Files.isDirectory(root.resolve(name))) {
      return name + "/index.html";
    }
    return isPicture(name) ? name : name + ".html";
  }

  /** The way from one file of the site to another. */
  static String relative(String from, String to) {
    Path folder = Path.of("/" + from).resolveSibling("");
    return String.valueOf(folder.relativize(Path.of("/" + to))).replace('\\', '/');
  }

  private void save(String name, String text) throws IOException {
    Path file = out.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  static String resource(String name) {
    try (InputStream in = Site.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("not in the jar: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
