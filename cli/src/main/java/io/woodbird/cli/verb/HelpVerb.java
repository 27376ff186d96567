package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Help;
import io.woodbird.cli.model.ManPage;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Parser;
import io.woodbird.cli.model.Reference;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** {@code help}: the first page, or the page of a verb. */
public record HelpVerb(Supplier<List<Spec>> specs, String version) implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("help", "explain a verb")
        .arguments("[VERB]", 0, 1)
        .about("Without VERB: what woodbird is, and where to start.")
        .options(
            Option.flag("man", "write the man page (roff)"),
            Option.flag("markdown", "write the reference page (docs/cli.md)"))
        .example("woodbird help build", "the page of 'build'")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    List<Spec> all = specs.get();
    if (call.has("man")) {
      call.print(ManPage.of(all).stripTrailing());
    } else if (call.has("markdown")) {
      call.print(Reference.of(all).stripTrailing());
    } else if (call.words().isEmpty()) {
      call.print(Help.firstPage(all, version).stripTrailing());
    } else {
      call.print(Help.page(find(all, call.words().get(0))).stripTrailing());
    }
    return ExitCode.DONE;
  }

  private static Spec find(List<Spec> all, String name) {
    return all.stream()
        .filter(spec -> spec.name().equals(name))
        .findFirst()
        .orElseThrow(() -> Parser.noSuchVerb(name, all.stream().map(Spec::name).toList()));
  }
}
