package io.woodbird.console;

import io.woodbird.console.shared.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer to the browser.
 *
 * @param status the status of HTTP
 * @param headers by name; those that protect the page are among them
 * @param body the text, to be sent as UTF-8
 */
public record PageResponse(int status, Map<String, String> headers, String body) {
  /*
   * The page is made of its own files and nothing else: no inline script, no inline style, no frame,
   * no form, no other origin. Trusted types forbid every way to make HTML from text, so that a file
   * name or a key can't become markup even by mistake.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  static PageResponse of(int status, String type, String body) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", type);
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Cache-Control", "no-store");
    return new PageResponse(status, headers, body);
  }

  static PageResponse json(Object value) {
    return json(200, value);
  }

  static PageResponse json(int status, Object value) {
    return of(status, "application/json; charset=utf-8", Json.write(value));
  }

  /** A refusal: a code that the page has words for, and a message for those who have not. */
  static PageResponse error(int status, String code, String message) {
    return error(status, code, Map.of(), message);
  }

  static PageResponse error(int status, String code, Map<String, String> values, String message) {
    Map<String, Object> refusal = new LinkedHashMap<>();
    refusal.put("error", message);
    refusal.put("code", code);
    refusal.put("values", values);
    return json(status, refusal);
  }

  static PageResponse tooLarge() {
    return error(413, "tooLarge", "the request is too large");
  }
}
