package io.woodbird.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The page on a port of this machine's loopback address.
 *
 * <pre>{@code
 * try (Console console = Console.start(Path.of("."), 0)) {
 *   System.out.println(console.uri());
 * }
 * }</pre>
 */
public final class Console implements AutoCloseable {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final int THREADS = 4;
  private static final String NO_DELAY = "sun.net.httpserver.nodelay";

  private final HttpServer server;
  private final ExecutorService threads;
  private final ConsolePage page;
  private final String token = Access.newToken();

  private Console(Path folder, int port, GuardSource guards) throws IOException {
    // The JDK's server sends head and body apart, and would wait 40 ms for the first to be
    // acknowledged before it sends the second. It offers no other way to say so than this.
    if (System.getProperty(NO_DELAY) == null) {
      System.setProperty(NO_DELAY, "true");
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
    page =
        ConsolePage.builder(Access.loopback(server.getAddress().getPort()))
            .folder(folder.toRealPath())
            .token(token)
            .guards(guards)
            .demo()
            .build();
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "woodbird-console");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /**
   * Starts the page.
   *
   * @param folder its filter files are shown
   * @param port where to listen; 0 for any that is free
   * @return the running console
   * @throws IOException if the folder or the port can't be had
   */
  public static Console start(Path folder, int port) throws IOException {
    return start(folder, port, GuardSource.NONE);
  }

  /**
   * Starts the page and shows guards of this process.
   *
   * @param folder its filter files are shown
   * @param port where to listen; 0 for any that is free
   * @param guards gives the guards' counts
   * @return the running console
   * @throws IOException if the folder or the port can't be had
   */
  public static Console start(Path folder, int port, GuardSource guards) throws IOException {
    return new Console(folder, port, guards);
  }

  /**
   * Returns the address to open in a browser of this machine, with the token in its fragment.
   *
   * @return the address
   */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + port() + "/#token=" + token);
  }

  /**
   * Returns the port.
   *
   * @return where it listens
   */
  public int port() {
    return server.getAddress().getPort();
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  String token() {
    return token;
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      PageResponse response = respond(exchange);
      response.headers().forEach(exchange.getResponseHeaders()::set);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(response.status(), head ? -1 : body.length);
      if (!head) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    }
  }

  private PageResponse respond(HttpExchange exchange) throws IOException {
    try {
      URI uri = exchange.getRequestURI();
      String path = uri.getPath();
      String query = uri.getRawQuery();
      byte[] body;
      try (InputStream in = exchange.getRequestBody()) {
        body = in.readNBytes(ConsolePage.MAX_BODY_BYTES + 1);
      }
      if (body.length > ConsolePage.MAX_BODY_BYTES) {
        return PageResponse.error(413, "the request is too large");
      }
      return page.handle(
          new PageRequest(
              exchange.getRequestMethod(),
              path == null || path.isEmpty() ? "" : path.substring(1),
              query == null ? "" : query,
              exchange.getRequestHeaders(),
              new String(body, StandardCharsets.UTF_8)));
    } catch (RuntimeException e) {
      // What went wrong is ours to know, not the asker's.
      System.getLogger(Console.class.getName()).log(System.Logger.Level.ERROR, "a bug", e);
      return PageResponse.error(500, "the console has failed at this; see its log");
    }
  }

  /** Stops the page. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    page.close();
  }

  /**
   * Serves the page until the process ends.
   *
   * @param arguments see {@code --help}
   */
  public static void main(String[] arguments) {
    PrintWriter out = new PrintWriter(System.out, true, Charset.defaultCharset());
    PrintWriter err = new PrintWriter(System.err, true, Charset.defaultCharset());
    int code = new ConsoleTool().run(out, err, arguments);
    if (code != 0) {
      System.exit(code);
    }
  }
}
