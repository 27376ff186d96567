package io.woodbird.cli;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** {@code demo}: the main job in a few seconds. */
final class DemoVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("demo", "stop an attack of requests for things that do not exist, in seconds")
        .about(
            """
            A shop has a million products, and somebody asks for things that do not exist. Shows how many
            requests reach the database with a filter and without. Nothing is left behind.""")
        .example("woodbird demo", "takes a few seconds")
        .build();
  }

  @Override
  public int run(Call call) {
    PrintStream out = new PrintStream(call.out(), true, StandardCharsets.UTF_8);
    new Demo(out).run();
    out.flush();
    return ExitCode.DONE;
  }
}
