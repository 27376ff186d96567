package io.woodbird.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests written by hand: the JDK's client would correct the paths and headers of an attacker.
 */
final class RawHttp {
  private final int port;

  RawHttp(int port) {
    this.port = port;
  }

  /** An answer: status, headers by lower-case name, body. */
  record Response(int status, Map<String, String> headers, String body) {}

  Response get(String target, String... headers) throws IOException {
    return send("GET", target, "", headers);
  }

  /** Sends a request with the right Host, unless the headers say another. */
  Response send(String method, String target, String body, String... headers) throws IOException {
    StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    boolean host = false;
    for (String header : headers) {
      host |= header.toLowerCase(Locale.ROOT).startsWith("host");
      request.append(header).append("\r\n");
    }
    if (!host) {
      request.append("Host: 127.0.0.1:").append(port).append("\r\n");
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    request.append("Content-Length: ").append(bytes.length).append("\r\nConnection: close\r\n\r\n");
    try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)) {
      socket.setSoTimeout(180_000);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.write(request.toString().getBytes(StandardCharsets.UTF_8));
      all.write(bytes);
      socket.getOutputStream().write(all.toByteArray());
      socket.getOutputStream().flush();
      return parse(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  private static Response parse(String text) {
    int end = text.indexOf("\r\n\r\n");
    List<String> lines = List.of(text.substring(0, Math.max(0, end)).split("\r\n"));
    Map<String, String> headers = new TreeMap<>();
    for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    int status = lines.get(0).isEmpty() ? 0 : Integer.parseInt(lines.get(0).split(" ")[1]);
    return new Response(status, headers, text.substring(end + 4));
  }
}
