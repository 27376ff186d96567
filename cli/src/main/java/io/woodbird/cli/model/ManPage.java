package io.woodbird.cli.model;

import java.util.List;

/** The man page, in roff. */
public final class ManPage {
  private ManPage() {}

  /** Makes the page of all verbs. */
  public static String of(List<Spec> specs) {
    StringBuilder page = new StringBuilder();
    page.append(".TH WOODBIRD 1\n.SH NAME\n");
    page.append("woodbird \\- is this key here? a filter for sets too large to hold\n");
    page.append(".SH SYNOPSIS\n.B woodbird\n.I VERB\n[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n");
    page.append(".SH DESCRIPTION\n");
    page.append(
        escaped(
            "\"not here\" is certain; a key that was never added is called \"maybe here\" with a"
                + " probability that you choose. Lines are bytes; gzip and zstd input is recognised. Data goes to stdout,"
                + " messages to stderr."));
    page.append("\n.SH VERBS\n");
    for (Spec spec : specs) {
      page.append(".SS ").append(escaped(spec.usage())).append('\n');
      page.append(escaped(spec.summary())).append(spec.summary().endsWith("?") ? "\n" : ".\n");
      for (String paragraph : spec.about().split("\n\n", -1)) {
        page.append(".PP\n").append(escaped(paragraph)).append('\n');
      }
      for (Option option : spec.options()) {
        page.append(".TP\n\\fB").append(escaped(option.form())).append("\\fR\n");
        page.append(escaped(option.help())).append('\n');
      }
      for (Spec.Example example : spec.examples()) {
        page.append(".PP\n.EX\n").append(escaped(example.command())).append("\n.EE\n");
        page.append(escaped(example.does())).append('\n');
      }
    }
    page.append(".SH OPTIONS OF ALL VERBS\n");
    for (Option option : Spec.COMMON) {
      page.append(".TP\n\\fB").append(escaped(option.form())).append("\\fR\n");
      page.append(escaped(option.help())).append('\n');
    }
    page.append(".SH EXIT STATUS\n");
    for (String[] code : Help.EXIT_CODES) {
      page.append(".TP\n").append(code[0]).append('\n').append(escaped(code[1])).append('\n');
    }
    page.append(".SH ENVIRONMENT\n.TP\nNO_COLOR\nno colours\n");
    page.append(".TP\nWOODBIRD_JAVA_OPTS\n")
        .append(escaped("options of the Java machine, such as -Xmx8g"));
    return page.append('\n').toString();
  }

  /** Text that roff takes as it is; a dot or quote at the start of a line would be a command. */
  private static String escaped(String text) {
    StringBuilder out = new StringBuilder();
    boolean start = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (start && (c == '.' || c == '\'')) {
        out.append("\\&");
      }
      switch (c) {
        case '\\' -> out.append("\\e");
        case '-' -> out.append("\\-");
        default -> out.append(c);
      }
      start = c == '\n';
    }
    return out.toString();
  }
}
