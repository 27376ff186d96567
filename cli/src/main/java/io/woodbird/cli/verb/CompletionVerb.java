package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Completion;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** {@code completion}: the script that completes words for a shell. */
public record CompletionVerb(Supplier<List<Spec>> specs) implements Verb {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Override
  public Spec spec() {
    return Spec.of("completion", "write the completion script of bash, zsh or fish")
        .arguments("bash|zsh|fish", 1, 1)
        .about(
            """
            The script is plain text: no Java runs while you type. The installed archive has all three
            in share/.""")
        .choices(SHELLS)
        .example("source <(woodbird completion bash)", "for this shell")
        .example("woodbird completion zsh > ~/.zfunc/_woodbird", "for zsh, if ~/.zfunc is in fpath")
        .example("woodbird completion fish > ~/.config/fish/completions/woodbird.fish", "for fish")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    String shell = call.words().get(0);
    List<Spec> all = specs.get();
    String script =
        switch (shell) {
          case "bash" -> Completion.bash(all);
          case "zsh" -> Completion.zsh(all);
          case "fish" -> Completion.fish(all);
          default ->
              throw Problem.BAD_VALUE.failure(
                  "there is no completion for \"" + shell + "\".",
                  "The shells are bash, zsh and fish.",
                  "woodbird completion bash");
        };
    call.print(script.stripTrailing());
    return ExitCode.DONE;
  }
}
