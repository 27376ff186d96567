package io.woodbird.cli.model;

import java.util.ArrayList;
import java.util.List;

/** The pages of {@code help}. */
public final class Help {
  private static final int INDENT = 26;
  private static final int WIDTH = 100;

  private Help() {}

  static final List<String[]> EXIT_CODES =
      List.of(
          new String[] {"0", "done; check KEY: maybe here"},
          new String[] {"2", "wrong usage"},
          new String[] {"3", "a file or pipe can't be read or written, or memory is not enough"},
          new String[] {"4", "a filter file is damaged, foreign, or too new"},
          new String[] {"5", "over the plan, with --strict; or a plan that is impossible"},
          new String[] {"6", "Redis can't be reached, or the shared filter can't be trusted"},
          new String[] {
            "10", "a \"no\", not an error: check KEY: not here; verify: a key is missing"
          },
          new String[] {"70", "a bug in woodbird"},
          new String[] {"130", "ended by Ctrl-C; no half-written file is left"},
          new String[] {"141", "the program that read the output has ended"});

  /** What woodbird is, and where to start. */
  public static String firstPage(List<Spec> specs, String version) {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        woodbird %s - is this key here? "not here" is certain; a key that was never added is called
        "maybe here" with a probability that you choose. For sets too large to hold: a filter takes about
        10 bits a key.

        start here
          woodbird demo                        see what it is good for, in seconds
          woodbird plan -n 10M -p 0.1%%         how large will it be?
          woodbird build users.txt             make users.wbird of the lines
          woodbird check users.wbird alice     maybe here, or not here
          woodbird diff today.txt known.txt    lines of today that are not in known, exactly
          crawl | woodbird new -s seen.wbird   lines never seen before, over all runs

        verbs
        """
            .formatted(version));
    for (Spec spec : specs) {
      page.append("  ").append(padded(spec.name(), 12)).append(spec.summary()).append('\n');
    }
    page.append(
        """

        Lines are bytes. gzip and zstd are recognised. Data goes to stdout, messages to stderr.
        Numbers: 10M, 2e9; sizes: 500MB is not 500MiB; shares: 0.1%, 1e-3, 1/1000.
        woodbird help VERB says more; --json makes every report readable by programs.
        """);
    return page.toString();
  }

  public static String page(Spec spec) {
    StringBuilder page = new StringBuilder();
    page.append("woodbird " + spec.name() + " - " + spec.summary() + "\n\n");
    page.append("usage: ").append(spec.usage()).append('\n');
    if (!spec.about().isEmpty()) {
      page.append('\n').append(spec.about()).append('\n');
    }
    if (!spec.examples().isEmpty()) {
      page.append("\nexamples\n");
      for (Spec.Example example : spec.examples()) {
        page.append("  ").append(example.command()).append('\n');
        page.append("      ").append(example.does()).append('\n');
      }
    }
    page.append("\noptions\n");
    for (Option option : spec.allOptions()) {
      String form = (option.letter() == 0 ? "    " : "") + option.form();
      page.append("  ").append(padded(form, INDENT));
      if (form.length() >= INDENT) {
        page.append('\n').append(" ".repeat(INDENT + 2));
      }
      page.append(wrapped(option.help(), WIDTH - INDENT - 2, INDENT + 2)).append('\n');
    }
    page.append("\nexit codes\n");
    for (String[] code : EXIT_CODES) {
      page.append("  ").append(padded(code[0], 5)).append(code[1]).append('\n');
    }
    return page.toString();
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String wrapped(String text, int width, int indent) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return String.join("\n" + " ".repeat(indent), lines);
  }
}
