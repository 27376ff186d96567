package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.console.RawHttp.Response;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others on this machine, and other sites in its browser, must not be able to do. */
final class ConsoleSecurityTest {
  private static final String HOSTILE = "<img src=x onerror=alert(1)> & \"'` .wbird";

  @TempDir private Path outside;
  private Path folder;
  private Console console;
  private RawHttp http;
  private String token;

  @BeforeEach
  void start() throws IOException {
    folder = Files.createDirectory(outside.resolve("folder"));
    MutableFilter<String> filter = Woodbird.bloom(Keys.strings(), 100).build();
    filter.put("crow");
    filter.save(folder.resolve("a.wbird"));
    filter.save(folder.resolve(HOSTILE));
    filter.save(outside.resolve("secret.wbird"));
    console = Console.start(folder, 0);
    http = new RawHttp(console.port());
    token = "X-Woodbird-Token: " + console.token();
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  void listensOnTheLoopbackAddressOnly() throws IOException {
    assertThat(console.address().getAddress().isLoopbackAddress()).isTrue();
    for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(card.getInetAddresses())) {
        if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
          assertThatThrownBy(() -> connect(address)).isInstanceOf(ConnectException.class);
        }
      }
    }
  }

  private void connect(InetAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, console.port()), 2000);
    }
  }

  @Test
  void serves_itsOwnHosts() throws IOException {
    assertThat(http.get("/").status()).isEqualTo(200);
    assertThat(http.get("/", "Host: localhost:" + console.port()).status()).isEqualTo(200);
    assertThat(http.get("/", "Host: [::1]:" + console.port()).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:PORT.evil.example",
        "127.0.0.1:PORT, evil.example",
        "user@127.0.0.1:PORT",
        "localhost:PORT:PORT",
        ""
      })
  void refuses_anotherHost(String host) throws IOException {
    String value = host.replace("PORT", String.valueOf(console.port()));
    assertThat(http.get("/", "Host: " + value).status()).isIn(400, 403);
    assertThat(http.get("/api/files", "Host: " + value, token).status()).isIn(400, 403);
  }

  @Test
  void refuses_twoHosts() throws IOException {
    String good = "Host: 127.0.0.1:" + console.port();
    assertThat(http.get("/", good, "Host: evil.example").status()).isIn(400, 403);
    assertThat(http.get("/", "Host: evil.example", good).status()).isIn(400, 403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:PORT.evil.example",
        "file://",
        "chrome-extension://abc"
      })
  void refuses_anotherOrigin(String origin) throws IOException {
    String header = "Origin: " + origin.replace("PORT", String.valueOf(console.port()));
    assertThat(http.get("/api/files", header, token).status()).isEqualTo(403);
    assertThat(http.send("POST", "/api/attack", "action=start", header, token).status())
        .isEqualTo(403);
    assertThat(http.get("/api/plan?keys=10&fpp=0.1", header).status()).isEqualTo(403);
  }

  @Test
  void takes_itsOwnOrigin() throws IOException {
    String origin = "Origin: http://127.0.0.1:" + console.port();
    assertThat(http.get("/api/files", origin, token).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site", "none"})
  void refuses_requestsThatTheBrowserSaysAreOfOthers(String site) throws IOException {
    assertThat(http.get("/api/files", "Sec-Fetch-Site: " + site, token).status()).isEqualTo(403);
  }

  @Test
  void refuses_everythingButArithmeticWithoutTheToken() throws IOException {
    for (String path : List.of("files", "file?name=a.wbird", "heat?name=a.wbird", "guards")) {
      assertThat(http.get("/api/" + path).status()).as(path).isEqualTo(403);
      assertThat(http.get("/api/" + path, token).status()).as(path).isEqualTo(200);
    }
    for (String wrong : List.of("", "x", console.token() + "x", console.token().substring(1))) {
      String header = "X-Woodbird-Token: " + wrong;
      assertThat(http.get("/api/files", header).status()).isEqualTo(403);
      assertThat(http.send("POST", "/api/attack", "action=start", header).status()).isEqualTo(403);
      assertThat(http.send("POST", "/api/ask", "name=a.wbird&key=crow", header).status())
          .isEqualTo(403);
    }
    assertThat(http.get("/api/guards", token).body()).contains("\"running\":false");
    assertThat(http.get("/api/plan?keys=10&fpp=0.1").status()).isEqualTo(200);
  }

  @Test
  void changes_nothingByGet() throws IOException {
    assertThat(http.get("/api/attack?action=start", token).status()).isEqualTo(404);
    assertThat(http.get("/api/guards", token).body()).contains("\"running\":false");
  }

  @Test
  void gives_anotherTokenToEachConsole() throws IOException {
    try (Console other = Console.start(folder, 0)) {
      assertThat(other.token()).isNotEqualTo(console.token()).hasSize(24);
    }
    assertThat(http.get("/").body()).doesNotContain(console.token());
    assertThat(console.uri().getFragment()).isEqualTo("token=" + console.token());
  }

  @Test
  void sends_theStrictPolicyWithEveryAnswer() throws IOException {
    List<Response> responses =
        List.of(
            http.get("/"),
            http.get("/main.js"),
            http.get("/bird.svg"),
            http.get("/nowhere"),
            http.get("/api/files", token),
            http.get("/api/files"),
            http.get("/", "Host: evil.example"));
    for (Response response : responses) {
      assertThat(response.headers().get("content-security-policy"))
          .contains("default-src 'none'")
          .contains("script-src 'self';")
          .contains("frame-ancestors 'none'")
          .contains("require-trusted-types-for 'script'")
          .doesNotContain("unsafe")
          .doesNotContain("http")
          .doesNotContain("*");
      assertThat(response.headers())
          .containsEntry("x-content-type-options", "nosniff")
          .containsEntry("cross-origin-resource-policy", "same-origin")
          .containsEntry("cache-control", "no-store")
          .doesNotContainKey("access-control-allow-origin");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../secret.wbird",
        "/../../../../etc/passwd",
        "/%2e%2e/secret.wbird",
        "/..%2fsecret.wbird",
        "/..%5csecret.wbird",
        "/%2e%2e%2f%2e%2e%2fetc/passwd",
        "//etc/passwd",
        "/page/../../Console.class",
        "/Console.class",
        "/a.wbird",
        "/main.js%00.html",
        "/main.js/",
        "/./main.js/..",
        "/META-INF/MANIFEST.MF",
        "/%c0%ae%c0%ae/secret.wbird",
        "/api/../a.wbird"
      })
  void serves_noFileButItsOwn(String target) throws IOException {
    Response response = http.get(target, token);
    assertThat(response.status()).isIn(400, 403, 404);
    assertThat(response.body()).doesNotContain("root:").doesNotContain("WBIRD");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../secret.wbird",
        "..\\secret.wbird",
        "./a.wbird",
        "folder/a.wbird",
        "a.wbird/",
        "a.wbird/../../secret.wbird",
        "/etc/passwd",
        "file:///etc/passwd",
        "secret.wbird",
        "link.wbird",
        "below",
        "below.wbird",
        "below/b.wbird",
        "a.wbird\u0000",
        "A.WBIRD",
        ".",
        "..",
        ""
      })
  void opens_noFileOutsideItsFolder(String name) throws IOException {
    Files.createSymbolicLink(folder.resolve("link.wbird"), outside.resolve("secret.wbird"));
    Files.createDirectory(folder.resolve("below"));
    Files.createDirectory(folder.resolve("below.wbird"));
    Files.copy(folder.resolve("a.wbird"), folder.resolve("below/b.wbird"));
    String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);
    for (String path : List.of("/api/file?name=", "/api/heat?name=")) {
      Response response = http.get(path + encoded, token);
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.body()).contains("no such file");
    }
    assertThat(http.send("POST", "/api/ask", "key=crow&name=" + encoded, token).status())
        .isEqualTo(400);
    assertThat(http.get("/api/files", token).body())
        .contains("a.wbird")
        .doesNotContain("secret")
        .doesNotContain("link")
        .doesNotContain("below");
  }

  @Test
  void escapes_hostileNamesAndKeys() throws IOException {
    String body = http.get("/api/files", token).body();
    assertThat(body).contains("onerror").doesNotContain("<").doesNotContain(">");
    String name = URLEncoder.encode(HOSTILE, StandardCharsets.UTF_8);
    assertThat(http.get("/api/file?name=" + name, token).body())
        .contains("\"state\":\"whole\"")
        .doesNotContain("<");
    for (String key : List.of("<script>alert(1)</script>", "\u0000", "\ud83d\ude00", "\"}", "%")) {
      String form = "name=" + name + "&key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);
      Response response = http.send("POST", "/api/ask", form, token);
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.body()).contains("\"answer\":").doesNotContain("<");
    }
    Response bad = http.get("/api/plan?keys=%3Cb%3E&fpp=0.1");
    assertThat(bad.status()).isEqualTo(400);
    assertThat(bad.body()).doesNotContain("<");
    assertThat(bad.headers()).containsEntry("content-type", "application/json; charset=utf-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get"})
  void refuses_otherMethods(String method) throws IOException {
    assertThat(http.send(method, "/", "").status()).isIn(400, 405, 501);
    assertThat(http.send(method, "/api/files", "", token).status()).isIn(400, 404, 501);
  }

  @Test
  void refuses_largeRequests() throws IOException {
    String large = "key=" + "x".repeat(ConsolePage.MAX_BODY_BYTES);
    assertThat(http.send("POST", "/api/ask", large, token).status()).isEqualTo(413);
    assertThat(http.get("/api/plan?keys=" + "1".repeat(9000)).status()).isEqualTo(413);
    assertThat(http.get("/api/plan?keys=" + "1".repeat(41) + "&fpp=0.1").status()).isEqualTo(400);
  }

  /** The JDK's server refuses these by itself, and repeats nothing of them. */
  @ParameterizedTest
  @ValueSource(strings = {"/%zz<script>", "/api/plan?keys=%", "/\\", "/a b", "nowhere", "/<b>"})
  void refuses_whatIsNoAddress(String target) throws IOException {
    Response response = http.get(target);
    assertThat(response.status()).isIn(400, 404);
    assertThat(response.body()).doesNotContain("script").doesNotContain("<b>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/plan?keys=10&fpp=1",
        "/api/plan?keys=-3&fpp=0.1",
        "/api/plan?keys=0&fpp=0.1",
        "/api/plan?keys=1e300&fpp=0.1",
        "/api/plan?keys=1e18&fpp=0.1",
        "/api/plan?keys=10&fpp=1e-300",
        "/api/plan?keys=10&fpp=0.1&needs=everything",
        "/api/plan?keys=10",
        "/api/plan"
      })
  void says_whatIsWrongWithAQuestion(String target) throws IOException {
    Response response = http.get(target);
    assertThat(response.status()).isEqualTo(400);
    assertThat(response.body())
        .containsPattern("^\\{\"error\":\"[^\"]+\",\"code\":\"[a-zA-Z.]+\"")
        .doesNotContain("Exception");
  }
}
