package io.woodbird.cli.model;

import java.util.List;

/** The scripts that complete words for shells. */
public final class Completion {
  private Completion() {}

  public static String bash(List<Spec> specs) {
    StringBuilder script = new StringBuilder();
    script.append("# bash completion of woodbird\n_woodbird() {\n");
    script.append("  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n");
    script.append("  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n");
    String verbs = String.join(" ", names(specs)) + " --help --version";
    script.append("    mapfile -t COMPREPLY < <(compgen -W '" + verbs + "' -- \"$cur\")\n");
    script.append("    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
    for (Spec spec : specs) {
      script.append("    ").append(spec.name()).append(")\n      case $prev in\n");
      for (Option option : spec.allOptions()) {
        if (option.value() != null) {
          String letter = option.letter() == 0 ? "" : "-" + option.letter() + "|";
          script.append("        " + letter + "--" + option.name() + ") ");
          if (!option.choices().isEmpty()) {
            script.append(compgen(option.choices()) + " ");
          } else if (option.takesFile()) {
            script.append(compgen("-f") + " ");
          }
          script.append("return ;;\n");
        }
      }
      script.append("      esac\n      if [[ $cur == -* ]]; then\n        ");
      script.append(compgen(spec.optionNames()));
      List<String> words = argumentWords(spec, specs);
      script.append("\n      else\n        ");
      script.append(words.isEmpty() ? compgen("-f") : compgen(words)).append("\n      fi ;;\n");
    }
    script.append("  esac\n}\ncomplete -o filenames -F _woodbird woodbird\n");
    return script.toString();
  }

  private static String compgen(List<String> words) {
    return compgen("-W '" + String.join(" ", words) + "'");
  }

  private static String compgen(String what) {
    return "mapfile -t COMPREPLY < <(compgen " + what + " -- \"$cur\");";
  }

  public static String zsh(List<Spec> specs) {
    StringBuilder script = new StringBuilder();
    script.append("#compdef woodbird\n\n_woodbird() {\n  local -a verbs\n  verbs=(\n");
    for (Spec spec : specs) {
      script.append("    '" + spec.name() + ":" + single(spec.summary()) + "'\n");
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
        String equals = option.value() == null ? "" : "=";
        script.append("        '--" + option.name() + equals + help + action + "' \\\n");
        if (option.letter() != 0) {
          String plus = option.value() == null ? "" : "+";
          script.append("        '-" + option.letter() + plus + help + action + "' \\\n");
        }
      }
      List<String> words = argumentWords(spec, specs);
      String argument = words.isEmpty() ? "_files" : "(" + String.join(" ", words) + ")";
      script.append("        '*:argument:" + argument + "' ;;\n");
    }
    script.append("  esac\n}\n\n_woodbird \"$@\"\n");
    return script.toString();
  }

  private static String action(Option option) {
    return option.choices().isEmpty()
        ? option.takesFile() ? "_files" : " "
        : "(" + String.join(" ", option.choices()) + ")";
  }

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

  /** Text inside single quotes of a POSIX shell. */
  private static String single(String text) {
    return text.replace("'", "'\\''");
  }

  private static String fishQuoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}
