package io.woodbird.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.spi.ToolProvider;

/**
 * The console as a tool that other programs find by name: {@code
 * ToolProvider.findFirst("woodbird-console")}.
 */
public final class ConsoleTool implements ToolProvider {
  private static final int DONE = 0;
  private static final int USAGE = 2;
  private static final int IO = 3;

  private static final String HELP =
      """
      usage: woodbird console [--port N] [FOLDER]

        FOLDER     whose .wbird files the page shows; here, if nothing is said
        --port N   where to listen on 127.0.0.1; any free port, if nothing is said
        --help     this page

      Serves a page to play with a filter, plan one, look into files and watch guards. Only this machine
      can reach it. Ctrl-C ends it.
      """;

  /** Makes the tool. */
  public ConsoleTool() {}

  @Override
  public String name() {
    return "woodbird-console";
  }

  /** Serves until the thread is interrupted or the process ends. */
  @Override
  public int run(PrintWriter out, PrintWriter err, String... arguments) {
    Path folder = Path.of("");
    int port = 0;
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (argument.equals("--help") || argument.equals("-h")) {
        out.print(HELP);
        out.flush();
        return DONE;
      } else if (argument.equals("--port") && i + 1 < arguments.length) {
        port = port(arguments[++i]);
      } else if (argument.startsWith("-")) {
        port = -1;
      } else {
        folder = Path.of(argument);
      }
      if (port < 0) {
        err.println("woodbird console: can't use " + argument);
        err.println("  it takes a folder and --port with a number from 0 to 65535");
        err.println("  try: woodbird console --help");
        return USAGE;
      }
    }
    return serve(folder, port, out, err);
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port <= 0xffff ? port : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static int serve(Path folder, int port, PrintWriter out, PrintWriter err) {
    if (!Files.isDirectory(folder)) {
      err.println("woodbird console: not a folder: " + folder);
      return IO;
    }
    try (Console console = Console.start(folder, port)) {
      out.println("The page is at  " + console.uri());
      out.println("for this machine only. Ctrl-C ends it.");
      out.flush();
      new CountDownLatch(1).await();
      return DONE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DONE;
    } catch (IOException e) {
      err.println("woodbird console: can't listen on port " + port + ": " + e.getMessage());
      err.println("  another program may have it");
      err.println("  try: woodbird console --port 0");
      return IO;
    }
  }
}
