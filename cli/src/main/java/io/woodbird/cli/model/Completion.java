package io.woodbird.cli.model;

import java.util.ArrayList;
import java.util.List;

/** The scripts that complete words for shells. */
public final class Completion {
  private Completion() {}

  /** For bash. */
  public static String bash(List<Spec> specs) {
    StringBuilder script = new StringBuilder();
    script.append("# bash completion of woodbird\n_woodbird() {\n");
    script.append("  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n");
    script.append("  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n");
    script.append("    mapfile -t COMPREPLY < <(compgen -W '");
    script.append(String.join(" ", names(specs))).append(" --help --version' -- \"$cur\")\n");
    script.append("    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
    for (Spec spec : specs) {
      script.append("    ").append(spec.name()).append(")\n      case $prev in\n");
      for (Option option : spec.allOptions()) {
        if (option.value() != null) {
          script.append("        ").append(words(option, "|")).append(") ");
          if (!option.choices().isEmpty()) {
            script.append(compgen("-W '" + String.join(" ", option.choices()) + "'"));
          } else if (option.takesFile()) {
            script.append(compgen("-f"));
          }
          script.append(
              option.choices().isEmpty() && !option.takesFile() ? "return ;;\n" : " return ;;\n");
        }
      }
      script.append("      esac\n      if [[ $cur == -* ]]; then\n        ");
      List<String> options = new ArrayList<>();
      for (Option option : spec.allOptions()) {
        options.add("--" + option.name());
      }
      script
          .append(compgen("-W '" + String.join(" ", options) + "'"))
          .append("\n      else\n        ");
      List<String> words = argumentWords(spec, specs);
      script.append(
          words.isEmpty() ? compgen("-f") : compgen("-W '" + String.join(" ", words) + "'"));
      script.append("\n      fi ;;\n");
    }
    script.append("  esac\n}\ncomplete -o filenames -F _woodbird woodbird\n");
    return script.toString();
  }

  private static String compgen(String what) {
    return "mapfile -t COMPREPLY < <(compgen " + what + " -- \"$cur\");";
  }

  /** For zsh. */
  public static String zsh(List<Spec> specs) {
    StringBuilder script = new StringBuilder();
    script.append("#compdef woodbird\n\n_woodbird() {\n  local -a verbs\n  verbs=(\n");
    for (Spec spec : specs) {
      script
          .append("    '")
          .append(spec.name())
          .append(':')
          .append(single(spec.summary()))
          .append("'\n");
    }
    script.append("  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n");
    script.append("  local verb=${words[2]}\n  shift words\n  ((CURRENT--))\n  case $verb in\n");
    for (Spec spec : specs) {
      script.append("    ").append(spec.name()).append(")\n      _arguments -s \\\n");
      for (Option option : spec.allOptions()) {
        String help = "[" + single(option.help().replace("[", "\\[").replace("]", "\\]")) + "]";
        String action =
            option.value() == null
                ? ""
                : ":" + single(option.value()).replace(":", "") + ":" + action(option);
        script
            .append("        '--")
            .append(option.name())
            .append(option.value() == null ? "" : "=");
        script.append(help).append(action).append("' \\\n");
        if (option.letter() != 0) {
          script
              .append("        '-")
              .append(option.letter())
              .append(option.value() == null ? "" : "+");
          script.append(help).append(action).append("' \\\n");
        }
      }
      List<String> words = argumentWords(spec, specs);
      script.append("        '*:argument:");
      script
          .append(words.isEmpty() ? "_files" : "(" + String.join(" ", words) + ")")
          .append("' ;;\n");
    }
    script.append("  esac\n}\n\n_woodbird \"$@\"\n");
    return script.toString();
  }

  private static String action(Option option) {
    return option.choices().isEmpty()
        ? option.takesFile() ? "_files" : " "
        : "(" + String.join(" ", option.choices()) + ")";
  }

  /** For fish. */
  public static String fish(List<Spec> specs) {
    StringBuilder script = new StringBuilder();
    script.append("# fish completion of woodbird\n");
    for (Spec spec : specs) {
      script.append("complete -c woodbird -n __fish_use_subcommand -f -a ").append(spec.name());
      script.append(" -d '").append(fishQuoted(spec.summary())).append("'\n");
    }
    for (Spec spec : specs) {
      String when = "complete -c woodbird -n '__fish_seen_subcommand_from " + spec.name() + "'";
      for (Option option : spec.allOptions()) {
        script.append(when).append(" -l ").append(option.name());
        script.append(option.letter() == 0 ? "" : " -s " + option.letter());
        if (!option.choices().isEmpty()) {
          script.append(" -x -a '").append(String.join(" ", option.choices())).append('\'');
        } else if (option.value() != null) {
          script.append(option.takesFile() ? " -r -F" : " -x");
        }
        script.append(" -d '").append(fishQuoted(option.help())).append("'\n");
      }
      List<String> words = argumentWords(spec, specs);
      if (!words.isEmpty()) {
        script.append(when).append(" -f -a '").append(String.join(" ", words)).append("'\n");
      }
    }
    return script.toString();
  }

  private static List<String> names(List<Spec> specs) {
    return specs.stream().map(Spec::name).toList();
  }

  private static List<String> argumentWords(Spec spec, List<Spec> specs) {
    return spec.name().equals("help") ? names(specs) : spec.choices();
  }

  private static String words(Option option, String between) {
    return (option.letter() == 0 ? "" : "-" + option.letter() + between) + "--" + option.name();
  }

  /** Text inside single quotes of a POSIX shell. */
  private static String single(String text) {
    return text.replace("'", "'\\''");
  }

  private static String fishQuoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}
