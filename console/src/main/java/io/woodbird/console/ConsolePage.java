package io.woodbird.console;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The page without a server: takes a request and returns a response. {@link Console} serves it on
 * the loopback address; an application may mount it on a path of its own, with a slash at the end.
 */
public final class ConsolePage implements AutoCloseable {
  /** A request with a larger body is refused. */
  public static final int MAX_BODY_BYTES = 64 << 10;

  private static final int MAX_QUERY_CHARS = 8 << 10;

  /** What needs no token: arithmetic about numbers that the request itself brings. */
  private static final Set<String> OPEN = Set.of("api/plan", "api/map");

  private final Access access;
  private final Assets assets = new Assets();
  private final FilesApi files;
  private final GuardsApi guards;
  private final Map<String, Route> routes;

  /** What answers one kind of question. */
  private interface Route {
    Object answer(PageRequest request) throws IOException, BadRequestException;
  }

  private ConsolePage(Builder builder) {
    access = new Access(builder.hosts, builder.token);
    files = new FilesApi(builder.folder);
    guards = new GuardsApi(builder.guards, builder.demo, new Instances(builder.instances));
    routes =
        Map.of(
            "GET api/plan", request -> PlanApi.plan(request.parameters()),
            "GET api/map", request -> PlanApi.map(request.parameters()),
            "GET api/files", request -> files.list(),
            "GET api/file", request -> files.info(request.parameters()),
            "GET api/heat", request -> files.heat(request.parameters()),
            "POST api/ask", request -> files.ask(request.form()),
            "POST api/asks", request -> files.askAll(request.form()),
            "GET api/guards", request -> guards.look(request.parameters()),
            "POST api/attack", request -> guards.attack(request.form()));
  }

  /**
   * Begins a page.
   *
   * @param hosts says whether a value of the {@code Host} header is one under which the page may be
   *     asked for; a page that is only for this machine lists its loopback names
   * @return a builder
   */
  public static Builder builder(Predicate<String> hosts) {
    return new Builder(hosts);
  }

  /** The parts of a page. */
  public static final class Builder {
    private final Predicate<String> hosts;
    private @Nullable Path folder;
    private @Nullable String token;
    private GuardSource guards = GuardSource.NONE;
    private List<URI> instances = List.of();
    private boolean demo;

    private Builder(Predicate<String> hosts) {
      this.hosts = Objects.requireNonNull(hosts, "hosts");
    }

    /**
     * Shows the filter files of a folder; without this the page shows none.
     *
     * @param value the folder; nothing below it and nothing beside it is shown
     * @return this
     */
    public Builder folder(Path value) {
      folder = Objects.requireNonNull(value, "folder");
      return this;
    }

    /**
     * Asks for a token in the header {@code X-Woodbird-Token}, which the page takes from the
     * fragment {@code #token=...} of its address. Without this every client that reaches the page
     * may use it, so the application around it must check access.
     *
     * @param value the token
     * @return this
     */
    public Builder token(String value) {
      token = Objects.requireNonNull(value, "token");
      return this;
    }

    /**
     * Shows the guards of this process.
     *
     * @param value gives their counts
     * @return this
     */
    public Builder guards(GuardSource value) {
      guards = Objects.requireNonNull(value, "guards");
      return this;
    }

    /**
     * Shows the guards of other processes beside those of this one.
     *
     * @param addresses of their pages, as they print them; a token may be in the fragment
     * @return this
     */
    public Builder instances(List<URI> addresses) {
      instances = List.copyOf(addresses);
      return this;
    }

    /**
     * Offers an attack on a small database inside this process, with a guard off and on.
     *
     * @return this
     */
    public Builder demo() {
      demo = true;
      return this;
    }

    /**
     * Makes the page.
     *
     * @return the page; close it after use
     */
    public ConsolePage build() {
      return new ConsolePage(this);
    }
  }

  /**
   * Decides by the head of a request alone whether it will be refused. A server should ask this
   * before it reads the body, so that no thread waits for the rest of a half-sent body.
   *
   * @param request the request; its body may be missing
   * @return the refusal, or null if the body may be read and the request {@linkplain #handle
   *     handled}
   */
  public @Nullable PageResponse refuse(PageRequest request) {
    String refusal = access.refuse(request);
    if (refusal != null) {
      return PageResponse.error(403, "foreign", refusal);
    }
    if (request.query().length() > MAX_QUERY_CHARS
        || request.contentLength() > MAX_BODY_BYTES
        || request.body().length() > MAX_BODY_BYTES) {
      return PageResponse.tooLarge();
    }
    String path = request.path();
    String method = request.method();
    if (!path.startsWith("api/")) {
      if (!method.equals("GET") && !method.equals("HEAD")) {
        return PageResponse.error(405, "method", "only GET is allowed");
      }
      return assets.get(path) == null ? nothing() : null;
    }
    if (!OPEN.contains(path) && !access.hasToken(request)) {
      return PageResponse.error(
          403, "token", "the token is missing: open the address that woodbird console has printed");
    }
    return routes.containsKey(method + " " + path) ? null : nothing();
  }

  private static PageResponse nothing() {
    return PageResponse.error(404, "nothing", "there is no such page");
  }

  /**
   * Answers a request.
   *
   * @param request the request
   * @return the response; never throws for a bad request
   */
  public PageResponse handle(PageRequest request) {
    PageResponse refusal = refuse(request);
    if (refusal != null) {
      return refusal;
    }
    Route route = routes.get(request.method() + " " + request.path());
    if (route == null) {
      PageResponse asset = assets.get(request.path());
      return asset != null ? asset : nothing();
    }
    try {
      return PageResponse.json(route.answer(request));
    } catch (BadRequestException e) {
      return PageResponse.error(400, e.code(), e.values(), String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      return PageResponse.error(400, "refused", Map.of("text", message), message);
    } catch (IOException e) {
      return PageResponse.error(500, "unreadable", "the file can't be read");
    }
  }

  /** Ends what runs behind the page. */
  @Override
  public void close() {
    guards.close();
  }
}
