package io.woodbird.cli;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import java.io.IOException;

/** A verb of another part, as Redis and the console join. */
public final class JoiningVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("nest", "a part that joined").arguments("[WORD]", 0, 1).build();
  }

  @Override
  public int run(Call call) throws IOException {
    if (call.words().isEmpty()) {
      throw Problem.REDIS.failure(
          "Redis at redis://nest:6379 has no sealed generation of \"products\".",
          "Its key is missing. Nothing was answered \"not here\".",
          "woodbird redis push products.wbird --name products");
    }
    if (call.words().get(0).equals("break")) {
      throw new IllegalStateException("a fault");
    }
    call.print("joined " + call.words().get(0));
    return ExitCode.DONE;
  }
}
