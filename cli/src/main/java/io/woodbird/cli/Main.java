package io.woodbird.cli;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Help;
import io.woodbird.cli.model.Parser;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Stdin;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Streams;
import io.woodbird.cli.say.Voice;
import java.util.List;
import java.util.concurrent.CancellationException;

/** The {@code woodbird} command. */
public final class Main {
  private Main() {}

  /**
   * Runs the command with the words after {@code woodbird}, and ends the process with its exit
   * code.
   */
  public static void main(String[] arguments) {
    if (arguments.length == 1 && arguments[0].equals("--train")) {
      train();
      return;
    }
    Thread worker = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Stop.request(worker)));
    Stdin stdin = new Stdin();
    Stop.closes(stdin);
    Streams streams =
        new Streams(stdin, DataOut.stdout(), System.err, Streams.findTerminals(), System.getenv());
    int code = run(List.of(arguments), streams);
    if (!Stop.requested()) { // Otherwise the process is ending already.
      Runtime.getRuntime().halt(code);
    }
  }

  /** Runs {@link Training}. If it fails, later starts are slower, and nothing else. */
  private static void train() {
    try {
      Training.run();
    } catch (java.io.IOException e) {
      System.err.println("woodbird: " + e);
    }
  }

  /** Runs the command and returns its exit code. */
  static int run(List<String> arguments, Streams streams) {
    boolean debug = arguments.contains("--debug");
    try {
      int code = dispatch(arguments, streams);
      streams.out().flush();
      return code;
    } catch (DataOut.Closed e) {
      return ExitCode.PIPE_CLOSED;
    } catch (CancellationException e) {
      return ExitCode.INTERRUPTED;
    } catch (Throwable e) {
      if (Stop.requested()) {
        return ExitCode.INTERRUPTED; // Failures of a run that was stopped are not reported.
      }
      Failure failure = Failures.of(e, arguments);
      flush(streams);
      new Voice(streams, color(arguments), false, debug).fail(failure);
      return failure.problem().exitCode();
    }
  }

  /** The value of {@code --color}, also where the words can't be parsed. */
  private static String color(List<String> arguments) {
    String value = "auto";
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).startsWith("--color=")) {
        value = arguments.get(i).substring("--color=".length());
      } else if (arguments.get(i).equals("--color") && i + 1 < arguments.size()) {
        value = arguments.get(i + 1);
      }
    }
    return value;
  }

  /** What was found before the failure still goes out, if it can. */
  private static void flush(Streams streams) {
    try {
      streams.out().flush();
    } catch (RuntimeException e) {
      return; // The failure that is being reported came first.
    }
  }

  private static int dispatch(List<String> arguments, Streams streams) throws Exception {
    String name = arguments.isEmpty() ? "help" : arguments.get(0);
    List<String> rest = arguments.isEmpty() ? List.of() : arguments.subList(1, arguments.size());
    if (name.equals("--help") || name.equals("-h")) {
      name = "help";
    }
    if (name.equals("--version") || name.equals("-V")) {
      streams.out().print("woodbird " + Verbs.version() + "\n");
      return ExitCode.DONE;
    }
    Verb verb = Verbs.find(name);
    if (verb == null) {
      throw Parser.noSuchVerb(name, Verbs.NAMES);
    }
    Spec spec = verb.spec();
    Parser.Parsed parsed = Parser.parse(spec, rest);
    Call call = new Call(spec, parsed, streams);
    if (call.has("help")) {
      call.print(Help.page(spec).stripTrailing());
      return ExitCode.DONE;
    }
    return verb.run(call);
  }
}
