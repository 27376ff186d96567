package io.woodbird.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides which requests are allowed: by host, origin and token. */
final class Access {
  /*
   * Against other web sites in the same browser: their pages can send requests here, and with a host
   * name that points to 127.0.0.1 they could read the answers. So the Host header must be one of ours
   * (a page can't choose it), and the Origin header too if there is one.
   *
   * Against other users of the same machine: every request that shows the folder or the guards, or
   * changes anything, needs a token that was printed only for the user who started the console. The
   * token is in the fragment of the address, which browsers do not send, and then in a header, which
   * pages of other sites can't set.
   */
  static final String TOKEN_HEADER = "X-Woodbird-Token";

  private final Predicate<String> hosts;
  private final @Nullable String token;

  /**
   * Makes the rules.
   *
   * @param hosts says whether a value of the Host header is one of ours
   * @param token what a request must carry; null where the surrounding application decides
   */
  Access(Predicate<String> hosts, @Nullable String token) {
    this.hosts = hosts;
    this.token = token;
  }

  /** The names under which a browser on this machine reaches a port of the loopback address. */
  static Predicate<String> loopback(int port) {
    Set<String> names = Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port);
    return host -> names.contains(host) || (port == 80 && names.contains(host + ":80"));
  }

  static String newToken() {
    byte[] bytes = new byte[18];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Says why a request is not from this page, or null if it may be. */
  @Nullable String refuse(PageRequest request) {
    String host = request.header("Host");
    if (host == null || !hosts.test(host)) {
      return "this Host is not the console's";
    }
    String origin = request.header("Origin");
    if (origin != null && !origin.equals("http://" + host) && !origin.equals("https://" + host)) {
      return "this Origin is not the console's";
    }
    String site = request.header("Sec-Fetch-Site");
    if (site != null && request.path().startsWith("api/") && !site.equals("same-origin")) {
      return "only the console's own page may ask this";
    }
    return null;
  }

  boolean hasToken(PageRequest request) {
    if (token == null) {
      return true;
    }
    String given = request.header(TOKEN_HEADER);
    return given != null && MessageDigest.isEqual(bytes(given), bytes(token));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
