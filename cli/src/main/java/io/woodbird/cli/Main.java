package io.woodbird.cli;

import java.io.PrintStream;

/** The {@code woodbird} command. */
public final class Main {
  private static final int DONE = 0;
  private static final int USAGE = 2;

  private static final String HELP =
      """
      woodbird - is this key here? "not here" is certain, "maybe here" is right all but a chosen
                 fraction of the time

      usage:
        woodbird demo        stops an attack of requests for things that do not exist, in seconds
        woodbird --version   says the version
        woodbird help        this page

      In Java:
        MutableFilter<String> seen = Woodbird.bloom(Keys.strings(), 10_000_000).fpp(0.001).build();
        seen.put("crow");
        if (!seen.mightContain("owl")) { /* certain */ }
      """;

  private Main() {}

  /**
   * Runs the command and ends the process with its exit code.
   *
   * @param arguments the words after {@code woodbird}
   */
  public static void main(String[] arguments) {
    int code = run(arguments, System.out, System.err);
    System.out.flush();
    if (code != DONE) {
      System.exit(code);
    }
  }

  /** Runs the command and returns its exit code. */
  static int run(String[] arguments, PrintStream out, PrintStream err) {
    String verb = arguments.length == 0 ? "help" : arguments[0];
    return switch (verb) {
      case "demo" -> {
        new Demo(out).run();
        yield DONE;
      }
      case "help", "--help", "-h" -> {
        out.print(HELP);
        yield DONE;
      }
      case "--version" -> {
        String version = Main.class.getPackage().getImplementationVersion();
        out.println("woodbird " + (version == null ? "from sources" : version));
        yield DONE;
      }
      default -> {
        err.println("woodbird: no such command: " + verb);
        err.println("  demo, help and --version are there");
        err.println("  try: woodbird help");
        yield USAGE;
      }
    };
  }
}
