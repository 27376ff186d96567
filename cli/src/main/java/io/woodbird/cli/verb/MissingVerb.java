package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;

/** A verb whose part is not installed: says what is missing. */
public final class MissingVerb implements Verb {
  private final String name;

  /**
   * Makes one.
   *
   * @param name {@code redis} or {@code console}
   */
  public MissingVerb(String name) {
    this.name = name;
  }

  @Override
  public Spec spec() {
    Spec.Builder spec =
        name.equals("redis")
            ? Spec.of("redis", "push, pull, status and swap of a filter shared through Redis")
                .arguments("push|pull|status|swap [FILTER]", 0, Integer.MAX_VALUE)
                .options(
                    Option.value("url", "URL", "where Redis is: redis://host:6379"),
                    Option.value("name", "NAME", "what the shared filter is called"))
                .example("woodbird redis push products.wbird --name products", "share a filter")
            : Spec.of("console", "open the local page: see it, plan it, watch it")
                .arguments("", 0, Integer.MAX_VALUE)
                .options(
                    Option.value("port", "N", "the port; 0 is any that is free"),
                    Option.flag("no-open", "do not open a browser"))
                .example("woodbird console", "opens the page");
    return spec.about("This part is not installed: woodbird-" + name + " is not on the class path.")
        .build();
  }

  @Override
  public int run(Call call) {
    throw new Failure(
        Problem.NOT_INSTALLED,
        "'" + name + "' is not part of this installation.",
        "It joins when woodbird-" + name + " is on the class path (lib/ of the installed archive).",
        "put woodbird-" + name + ".jar and what it needs into lib/");
  }
}
