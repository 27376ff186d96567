package io.woodbird.cli.model;

import java.util.List;

/** The reference page, in Markdown. */
public final class Reference {
  private Reference() {}

  /** Makes the page of all verbs. */
  public static String of(List<Spec> specs) {
    StringBuilder page = new StringBuilder();
    page.append("# The command line\n\n");
    page.append(
        "Made by `woodbird help --markdown`; a test keeps it in step. What `--json` prints is in");
    page.append(" [cli-json.md](cli-json.md).\n\n");
    for (Spec spec : specs) {
      page.append("- [`").append(spec.name()).append("`](#").append(spec.name()).append("): ");
      page.append(spec.summary()).append('\n');
    }
    for (Spec spec : specs) {
      page.append("\n## ").append(spec.name()).append("\n\n");
      page.append("```\n").append(spec.usage()).append("\n```\n\n");
      page.append(spec.about()).append("\n\n");
      if (!spec.examples().isEmpty()) {
        page.append("```\n");
        for (Spec.Example example : spec.examples()) {
          page.append(example.command()).append("    # ").append(example.does()).append('\n');
        }
        page.append("```\n\n");
      }
      table(page, spec.options());
    }
    page.append("\n## Options of all verbs\n\n");
    table(page, Spec.COMMON);
    page.append("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (String[] code : Help.EXIT_CODES) {
      page.append("| ").append(code[0]).append(" | ").append(code[1]).append(" |\n");
    }
    return page.toString();
  }

  private static void table(StringBuilder page, List<Option> options) {
    if (options.isEmpty()) {
      return;
    }
    page.append("| option | |\n|---|---|\n");
    for (Option option : options) {
      page.append("| `").append(option.form().replace("|", "\\|")).append("` | ");
      page.append(option.help().replace("|", "\\|")).append(" |\n");
    }
  }
}
