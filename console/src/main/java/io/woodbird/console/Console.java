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
import java.time.Duration;
import java.util.List;

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
  private static final int THREADS = 256;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What a client may still send after it was refused, so that it gets to read why. */
  private static final long MAX_DISCARDED_BYTES = 64 << 20;

  private static final String NO_DELAY = "sun.net.httpserver.nodelay";

  private final HttpServer server;
  private final RequestThreads threads;
  private final ConsolePage page;
  private final String token = Access.newToken();

  private Console(
      Path folder, int port, GuardSource guards, List<URI> instances, RequestThreads threads)
      throws IOException {
    this.threads = threads;
    // The JDK's server sends head and body apart, and would wait 40 ms for the first to be
    // acknowledged before it sends the second. This property is the only way to change that.
    if (System.getProperty(NO_DELAY) == null) {
      System.setProperty(NO_DELAY, "true");
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
    page =
        ConsolePage.builder(Access.loopback(server.getAddress().getPort()))
            .folder(folder.toRealPath())
            .token(token)
            .guards(guards)
            .instances(instances)
            .demo()
            .build();
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
    return start(folder, port, guards, List.of());
  }

  /**
   * Starts the page and shows guards of this process and of others.
   *
   * @param folder its filter files are shown
   * @param port where to listen; 0 for any that is free
   * @param guards gives the guards' counts
   * @param instances the addresses of the other processes' pages, as they print them
   * @return the running console
   * @throws IOException if the folder or the port can't be had
   */
  public static Console start(Path folder, int port, GuardSource guards, List<URI> instances)
      throws IOException {
    return start(folder, port, guards, instances, new RequestThreads(THREADS, PATIENCE));
  }

  /** Starts the page on threads that are then closed with it. */
  static Console start(
      Path folder, int port, GuardSource guards, List<URI> instances, RequestThreads threads)
      throws IOException {
    try {
      return new Console(folder, port, guards, instances, threads);
    } catch (IOException | RuntimeException e) {
      threads.close();
      throw e;
    }
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
      threads.waiting();
      response.headers().forEach(exchange.getResponseHeaders()::set);
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.sendResponseHeaders(response.status(), -1);
        return;
      }
      byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(response.status(), body.length);
      OutputStream out = exchange.getResponseBody();
      out.write(body);
      out.flush();
      discard(exchange.getRequestBody());
    }
  }

  /**
   * Reads what is left of a request. If the connection were closed before, the client could lose
   * the answer.
   */
  private static void discard(InputStream in) throws IOException {
    byte[] scratch = new byte[16 << 10];
    long discarded = 0;
    for (int count = 0; count >= 0 && discarded < MAX_DISCARDED_BYTES; discarded += count) {
      count = in.read(scratch);
    }
  }

  private PageResponse respond(HttpExchange exchange) throws IOException {
    try {
      PageRequest request = head(exchange);
      PageResponse refusal = page.refuse(request);
      if (refusal != null) {
        return refusal;
      }
      byte[] body = new byte[0];
      if (request.method().equals("POST")) {
        body = exchange.getRequestBody().readNBytes(ConsolePage.MAX_BODY_BYTES + 1);
      }
      if (body.length > ConsolePage.MAX_BODY_BYTES) {
        return PageResponse.tooLarge();
      }
      threads.working();
      return page.handle(request.withBody(new String(body, StandardCharsets.UTF_8)));
    } catch (RuntimeException e) {
      // The details go to the log only, not to the client.
      System.getLogger(Console.class.getName()).log(System.Logger.Level.ERROR, "a bug", e);
      return PageResponse.error(500, "failed", "the console failed; its log says why");
    }
  }

  private static PageRequest head(HttpExchange exchange) {
    URI uri = exchange.getRequestURI();
    String path = uri.getPath();
    String query = uri.getRawQuery();
    return new PageRequest(
        exchange.getRequestMethod(),
        path == null || path.isEmpty() ? "" : path.substring(1),
        query == null ? "" : query,
        exchange.getRequestHeaders(),
        "");
  }

  /** Stops the page. */
  @Override
  public void close() {
    server.stop(0);
    threads.close();
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
