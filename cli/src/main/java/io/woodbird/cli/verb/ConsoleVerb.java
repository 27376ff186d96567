package io.woodbird.cli.verb;

import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Stop;
import io.woodbird.console.Console;
import io.woodbird.console.GuardSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code console}: serves the local page until it is stopped. */
public final class ConsoleVerb implements Verb {
  private static final int LOOK_MILLIS = 100;

  @Override
  public Spec spec() {
    return Spec.of("console", "serve the local page: play with a filter, plan one, watch guards")
        .arguments("[FOLDER]", 0, 1)
        .about(
            """
            Prints the address of a page that only this machine can reach, and serves it until Ctrl-C:
            a cabinet to play with, plans, the filters of FOLDER (by default this one), and an
            attack on a small shop with the guard off and on.""")
        .options(
            Option.value("port", "N", "the port to listen on (default: any free port)"),
            Option.value(
                "instances",
                "ADDRESSES",
                "the consoles of other processes whose guards are shown too, with commas between"))
        .example("woodbird console", "the filters of this folder")
        .example("woodbird console /data/filters --port 8765", "another folder, a fixed address")
        .example(
            "woodbird console --instances http://10.0.0.5:8080/woodbird/",
            "the guards of an application too")
        .build();
  }

  @Override
  public int run(Call call) throws IOException, InterruptedException {
    Path folder = Source.pathOf(call.words().isEmpty() ? "." : call.words().get(0));
    if (!Files.isDirectory(folder)) {
      throw Problem.CANNOT_READ.failure(
          "can't show the filters of " + folder, "It is not a folder.", "woodbird console FOLDER");
    }
    int port = (int) Math.min(call.count("port", 0), 0x10000);
    if (port > 0xffff) {
      throw Problem.BAD_VALUE.failure(
          "--port " + call.text("port") + " is no port",
          "Ports are numbers up to 65535.",
          "woodbird console --port 8765");
    }
    Stop.willLook();
    try (Console console = start(folder, port, instances(call.text("instances", "")))) {
      call.print(console.uri());
      call.out().flush(); // At once: the process goes on, and its reader may be a pipe.
      call.voice().say("for this machine only; Ctrl-C ends it");
      while (!Stop.requested()) {
        Thread.sleep(LOOK_MILLIS);
      }
    }
    return ExitCode.DONE;
  }

  private static List<URI> instances(String addresses) {
    List<URI> instances = new ArrayList<>();
    for (String address : addresses.split(",", -1)) {
      if (!address.isBlank()) {
        instances.add(instance(address.strip()));
      }
    }
    return instances;
  }

  private static URI instance(String address) {
    if (address.matches("https?://[\\w.:\\[\\]-]+(/[\\w./~%-]*)?(#token=[\\w-]+)?")) {
      return URI.create(address);
    }
    throw Problem.BAD_VALUE.failure(
        "--instances: " + address + " is not the address of a console",
        "An address begins with http:// or https://, as another console has printed it.",
        "woodbird console --instances http://10.0.0.5:8080/woodbird/");
  }

  private static Console start(Path folder, int port, List<URI> instances) {
    try {
      return Console.start(folder, port, GuardSource.NONE, instances);
    } catch (IOException e) {
      throw Problem.CANNOT_READ.failure(
          "can't listen on port " + port,
          "Another program may have it: " + e.getMessage(),
          "woodbird console, which takes any port that is free");
    }
  }
}
