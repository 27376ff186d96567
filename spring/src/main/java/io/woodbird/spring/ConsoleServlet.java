package io.woodbird.spring;

import io.woodbird.console.ConsolePage;
import io.woodbird.console.PageRequest;
import io.woodbird.console.PageResponse;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The console's page behind the application's server. */
final class ConsoleServlet implements Servlet {
  /*
   * Whether a request comes from this machine is told by its address. Behind a proxy on this machine
   * every request has a local address, so a request that was forwarded does not count as local.
   */
  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

  private final ConsolePage page;
  private final boolean remote;
  private @Nullable ServletConfig config;

  ConsoleServlet(ConsolePage page, boolean remote) {
    this.page = page;
    this.remote = remote;
  }

  /** Whether a Host header names this machine, with any port. */
  static boolean namesThisMachine(String host) {
    return host.matches("(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]{1,5})?");
  }

  @Override
  public void init(ServletConfig value) {
    config = value;
  }

  @Override
  public @Nullable ServletConfig getServletConfig() {
    return config;
  }

  @Override
  public void service(ServletRequest request, ServletResponse response) throws IOException {
    serve((HttpServletRequest) request, (HttpServletResponse) response);
  }

  private void serve(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!remote && !local(request)) {
      response.sendError(HttpServletResponse.SC_FORBIDDEN);
      return;
    }
    String path = request.getPathInfo();
    if (path == null) {
      response.sendRedirect(request.getRequestURI() + "/");
      return;
    }
    String query = request.getQueryString();
    PageRequest head =
        new PageRequest(
            request.getMethod(),
            path.substring(1),
            query == null ? "" : query,
            headers(request),
            "");
    PageResponse answer = page.refuse(head);
    if (answer == null) {
      byte[] body = request.getInputStream().readNBytes(ConsolePage.MAX_BODY_BYTES + 1);
      if (body.length > ConsolePage.MAX_BODY_BYTES) {
        response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
        return;
      }
      answer = page.handle(head.withBody(new String(body, StandardCharsets.UTF_8)));
    }
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    response.getOutputStream().write(answer.body().getBytes(StandardCharsets.UTF_8));
  }

  private static boolean local(HttpServletRequest request) throws IOException {
    return InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress()
        && FORWARDED.stream().allMatch(name -> request.getHeader(name) == null);
  }

  private static Map<String, List<String>> headers(HttpServletRequest request) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : Collections.list(request.getHeaderNames())) {
      headers.put(name, Collections.list(request.getHeaders(name)));
    }
    return headers;
  }

  @Override
  public String getServletInfo() {
    return "Woodbird console";
  }

  @Override
  public void destroy() {}
}
