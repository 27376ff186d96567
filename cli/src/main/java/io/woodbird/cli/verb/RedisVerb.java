package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.util.List;

/** {@code redis}: filter files to and from Redis, where many machines share them. */
public final class RedisVerb implements Verb {
  /*
   * This class names no class of Redis, so that help and completion load none of them.
   */
  private static final List<String> ACTIONS = List.of("push", "pull", "status", "swap");

  @Override
  public Spec spec() {
    return Spec.of("redis", "push, pull, status and swap of a filter shared through Redis")
        .arguments("push FILE NAME | pull NAME | status [NAME] | swap NAME", 1, 3)
        .about(
            """
            A filter in Redis is shared by all programs that use woodbird-redis. The server is Redis 7,
            Valkey, or a cluster of them, which is noticed.

            'push' sends a bloom filter file as a new generation and swaps it in. During the push,
            programs get the answers of the old generation, and keys they add go into both. Keys that programs
            added before and that the file lacks are gone afterwards; with --merge the file is added to the
            filter in Redis instead. The file must have the same size and seed as the filter in Redis: pull that
            one, and build with 'build --like'.

            'pull' saves a bloom filter as a file. 'status' shows the kind and the state of a filter, with exit
            code 6 if it can't answer; without NAME it lists all filters. 'swap' goes back to the generation before the
            last push or rebuild, for ten minutes after it; once more goes forward again.

            Redis keeps a filter in memory. If it restarts and no replica has all of the filter, keys may be lost:
            then no key is "not here" until the filter is pushed or built again.

            Without --url the address is WOODBIRD_REDIS_URL, or redis://localhost:6379. Write rediss:// for
            TLS, and a password as redis://:PASSWORD@HOST or redis://USER:PASSWORD@HOST; in the variable,
            other users of this machine don't see it.""")
        .options(
            Option.value("url", "URL", "where Redis is: redis://host:6379/0"),
            Option.flag("merge", "push: keep what is there and add the file"),
            Option.file("output", "pull: the new file, or - for stdout").letter('o'),
            Option.flag("force", "pull: overwrite the output").letter('f'),
            Option.flag("count", "status NAME: read all of it and estimate how many keys it holds"),
            Option.flag("json", "one JSON object, schema woodbird.redis/1"))
        .example("woodbird redis push products.wbird products", "share a filter")
        .example("woodbird redis status products --url redis://10.0.0.7:6379", "is it whole?")
        .example("woodbird redis pull products -o products.wbird", "a copy as a file")
        .example("woodbird redis swap products", "back to the generation before")
        .choices(ACTIONS)
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    String action = call.words().get(0);
    int least = action.equals("push") ? 3 : action.equals("status") ? 1 : 2;
    int most = action.equals("push") ? 3 : 2;
    if (!ACTIONS.contains(action)) {
      throw Problem.BAD_VALUE.failure(
          "'redis' has no action '" + action + "'.",
          "It is one of " + String.join(", ", ACTIONS) + ".",
          "woodbird help redis");
    }
    if (call.words().size() < least || call.words().size() > most) {
      throw call.spec()
          .misuse(
              call.words().size() < least ? Problem.MISSING : Problem.TOO_MANY,
              "'redis " + action + "' takes " + takes(action) + ".");
    }
    only(call, "merge", action, "push");
    only(call, "output", action, "pull");
    only(call, "force", action, "pull");
    only(call, "count", action, "status");
    return RedisCalls.run(call, action);
  }

  private static String takes(String action) {
    return switch (action) {
      case "push" -> "FILE NAME";
      case "status" -> "[NAME]";
      default -> "NAME";
    };
  }

  private static void only(Call call, String option, String action, String where) {
    if (call.has(option) && !action.equals(where)) {
      throw call.spec()
          .misuse(
              Problem.CONFLICT,
              "--" + option + " belongs to 'redis " + where + "', not to '" + action + "'.");
    }
  }
}
