package io.woodbird.console;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request of the browser to the page, independent of the server that received it.
 *
 * @param method such as {@code GET}
 * @param path below the place where the page is mounted, decoded, without a leading slash
 * @param query what follows the question mark, still encoded; empty if there is nothing
 * @param headers by name, in any case
 * @param body what came with it, decoded from UTF-8; of at most {@link ConsolePage#MAX_BODY_BYTES}
 */
public record PageRequest(
    String method, String path, String query, Map<String, List<String>> headers, String body) {
  /** Makes the names of headers independent of case. */
  public PageRequest {
    Map<String, List<String>> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    names.putAll(headers);
    headers = names;
  }

  /**
   * Returns the same request with its body.
   *
   * @param text what came with it, decoded from UTF-8
   * @return the whole request
   */
  public PageRequest withBody(String text) {
    return new PageRequest(method, path, query, headers, text);
  }

  /** The only value of a header; null if it is missing. Two values are as bad as a wrong one. */
  @Nullable String header(String name) {
    List<String> values = headers.get(name);
    if (values == null || values.isEmpty()) {
      return null;
    }
    return values.size() == 1 ? values.get(0) : String.join(", ", values);
  }

  /** How long the body will be, as its sender says; 0 if it does not say. */
  long contentLength() {
    String length = header("Content-Length");
    if (length == null || !length.matches("[0-9]+")) {
      return 0; // The server refuses what is not a number.
    }
    return length.length() > 18 ? Long.MAX_VALUE : Long.parseLong(length);
  }

  /** The parameters of the query. */
  Map<String, String> parameters() throws BadRequestException {
    return parse(query);
  }

  /** The fields of a form that came as the body. */
  Map<String, String> form() throws BadRequestException {
    return parse(body);
  }

  private static Map<String, String> parse(String encoded) throws BadRequestException {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (encoded.isEmpty()) {
      return parameters;
    }
    for (String pair : encoded.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      parameters.put(decode(name), decode(value));
    }
    return parameters;
  }

  private static String decode(String text) throws BadRequestException {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new BadRequestException("encoding", "the request is not well encoded");
    }
  }
}
