package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;

/** {@code redis} where that part is not installed: says what is missing. */
public final class MissingVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("redis", "push, pull, status and swap of a filter shared through Redis")
        .arguments("push|pull|status|swap [FILTER]", 0, Integer.MAX_VALUE)
        .about("This part is not installed: woodbird-redis is not on the class path.")
        .options(
            Option.value("url", "URL", "where Redis is: redis://host:6379"),
            Option.value("name", "NAME", "what the shared filter is called"))
        .example("woodbird redis push products.wbird --name products", "share a filter")
        .build();
  }

  @Override
  public int run(Call call) {
    throw new Failure(
        Problem.NOT_INSTALLED,
        "'redis' is not part of this installation.",
        "It joins when woodbird-redis is on the class path (lib/ of the installed archive).",
        "put woodbird-redis.jar and what it needs into lib/");
  }
}
