package io.woodbird.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The consoles of other processes, asked for their guards while somebody looks. */
final class Instances implements AutoCloseable {
  /*
   * The addresses come from the user that starts this console, never from a request: a page could
   * otherwise make this process fetch what only this process can reach. An answer is handed to the
   * page as text, which the page reads as JSON. Each look sends the next question and returns the
   * answer to the one before, so that an instance that hangs delays no other. The time-out of a
   * request ends when the head of its answer is there. So a question that is not answered in full
   * after twice that time is given up, and no more of an answer is taken than MAX_ANSWER_BYTES.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int MAX_ANSWER_BYTES = 256 << 10;
  private static final Pattern TOKEN = Pattern.compile("(?:^|&)token=([\\w-]+)");

  private final List<Instance> all;
  private final Duration patience;
  private @Nullable HttpClient client;

  Instances(List<URI> addresses) {
    this(addresses, PATIENCE);
  }

  /** For tests: with other patience. */
  Instances(List<URI> addresses, Duration patience) {
    this.patience = patience;
    this.all = addresses.stream().map(address -> new Instance(address, patience)).toList();
  }

  /** What each instance said last, and asks them again. */
  synchronized List<Map<String, Object>> look() {
    if (all.isEmpty()) {
      return List.of();
    }
    HttpClient asker = client;
    if (asker == null) {
      asker = HttpClient.newBuilder().connectTimeout(patience).build();
      client = asker;
    }
    for (Instance instance : all) {
      instance.ask(asker);
    }
    return all.stream().map(Instance::describe).toList();
  }

  @Override
  public synchronized void close() {
    client = null; // Its threads end when nobody holds it.
  }

  /** One console of another process. */
  private static final class Instance {
    private final String name;
    private final HttpRequest request;
    private final Duration patience;
    private @Nullable CompletableFuture<HttpResponse<String>> pending;
    private long askedNanos;
    private @Nullable String answer;
    private String problem = "";

    Instance(URI address, Duration patience) {
      this.patience = patience;
      String scheme = String.valueOf(address.getScheme());
      if (!scheme.equals("http") && !scheme.equals("https")) {
        throw new IllegalArgumentException(
            "not the address of a console: " + withoutToken(address));
      }
      name = withoutToken(address);
      String base = name.endsWith("/") ? name : name + "/";
      HttpRequest.Builder builder =
          HttpRequest.newBuilder(URI.create(base + "api/guards?since=" + Long.MAX_VALUE))
              .timeout(patience);
      Matcher token = TOKEN.matcher(String.valueOf(address.getFragment()));
      if (token.find()) {
        builder.header(Access.TOKEN_HEADER, token.group(1));
      }
      request = builder.build();
    }

    private static String withoutToken(URI address) {
      return address.toString().replaceFirst("#.*", "");
    }

    /** Takes what came since the last time, and asks again. */
    void ask(HttpClient client) {
      CompletableFuture<HttpResponse<String>> asked = pending;
      if (asked != null && !asked.isDone()) {
        if (System.nanoTime() - askedNanos < 2 * patience.toNanos()) {
          return;
        }
        asked.cancel(true); // It ends the connection too.
      }
      if (asked != null) {
        asked.handle(this::take).join(); // Done already: this does not wait.
      }
      askedNanos = System.nanoTime();
      pending = client.sendAsync(request, head -> new LimitedBody(MAX_ANSWER_BYTES));
    }

    private boolean take(@Nullable HttpResponse<String> response, @Nullable Throwable failure) {
      boolean good = response != null && response.statusCode() == 200;
      answer = response != null && good ? response.body() : null;
      problem = good ? "" : response == null ? why(failure) : "HTTP " + response.statusCode();
      return good;
    }

    private static String why(@Nullable Throwable failure) {
      Throwable cause = failure;
      if (cause instanceof CancellationException) {
        return "HttpTimeoutException"; // As if the head had not come in time.
      }
      while (cause != null && !(cause instanceof IOException) && cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause == null ? "" : cause.getClass().getSimpleName();
    }

    Map<String, Object> describe() {
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("address", name);
      facts.put("answer", answer);
      facts.put("problem", problem);
      return facts;
    }
  }
}
