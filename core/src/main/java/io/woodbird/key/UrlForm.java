package io.woodbird.key;

import java.util.Arrays;

/** The normal form of a URL by its syntax: RFC 3986, section 6.2.2. */
final class UrlForm {
  /*
   * First the escapes, as they may hide a dot or a letter; then the text is cut as in appendix B of
   * the RFC. Bytes that no URL may have, such as spaces and UTF-8, stay as they are: every text is
   * a key. WHATWG's standard is what browsers do, but it needs the tables of IDNA, which change.
   *
   * Two points where the RFC says less. A path that does not begin with a slash ("urn:a/../b") is
   * left alone, as removing its dots could make it begin with one. And without a host, a path that
   * would begin with two slashes is given "/." in front, or it would look like a host.
   */
  private final byte[] out;
  private int size;

  private UrlForm(int room) {
    out = new byte[room];
  }

  static byte[] normalize(byte[] text, int from, int length) {
    byte[] url = unescaped(text, from, length);
    int colon = schemeEnd(url);
    if (colon < 0) {
      return url; // Relative, or no URL: there is nothing to remove dots from.
    }
    for (int i = 0; i < colon; i++) {
      url[i] = KeyForm.lower(url[i]);
    }
    int path = colon + 1;
    boolean authority = path + 1 < url.length && url[path] == '/' && url[path + 1] == '/';
    if (authority) {
      path = find(url, path + 2, "/?#");
      lowerHost(url, colon + 3, path);
    }
    int end = find(url, path, "?#");
    if (path == end || url[path] != '/') {
      return url;
    }
    UrlForm form = new UrlForm(url.length + 2);
    form.append(url, 0, path);
    form.withoutDots(url, path, end, authority);
    form.append(url, end, url.length);
    return Arrays.copyOf(form.out, form.size);
  }

  private static byte[] unescaped(byte[] text, int from, int length) {
    byte[] url = new byte[length];
    int size = 0;
    for (int i = 0; i < length; i++) {
      byte one = text[from + i];
      int value = one == '%' && i + 2 < length ? KeyForm.digits(text, from + i + 1) : -1;
      if (value < 0) {
        url[size++] = one;
        continue;
      }
      if (isUnreserved(value)) {
        url[size++] = (byte) value;
      } else {
        url[size++] = '%';
        url[size++] = (byte) "0123456789ABCDEF".charAt(value >> 4);
        url[size++] = (byte) "0123456789ABCDEF".charAt(value & 15);
      }
      i += 2;
    }
    return Arrays.copyOf(url, size);
  }

  private static boolean isLetter(int c) {
    return (c | 32) >= 'a' && (c | 32) <= 'z';
  }

  private static boolean isUnreserved(int c) {
    return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
  }

  /** Returns where the colon behind the scheme is, or -1. */
  private static int schemeEnd(byte[] url) {
    for (int i = 0; i < url.length; i++) {
      byte c = url[i];
      if (c == ':') {
        return i == 0 ? -1 : i;
      }
      boolean later = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
      if (!isLetter(c) && (i == 0 || !later)) {
        return -1;
      }
    }
    return -1;
  }

  /** Returns where one of some characters is first, or the end. */
  private static int find(byte[] url, int from, String characters) {
    int at = Math.min(from, url.length);
    while (at < url.length && characters.indexOf(url[at]) < 0) {
      at++;
    }
    return at;
  }

  /** Behind the user; the digits of escapes stay in upper case. */
  private static void lowerHost(byte[] url, int from, int to) {
    int host = from;
    for (int i = from; i < to; i++) {
      host = url[i] == '@' ? i + 1 : host;
    }
    for (int i = host; i < to; i++) {
      if (url[i] == '%' && i + 2 < to && KeyForm.digits(url, i + 1) >= 0) {
        i += 2;
      } else {
        url[i] = KeyForm.lower(url[i]);
      }
    }
  }

  private void append(byte[] bytes, int from, int to) {
    System.arraycopy(bytes, from, out, size, to - from);
    size += to - from;
  }

  /** Appends a path that begins with a slash. */
  private void withoutDots(byte[] url, int from, int to, boolean authority) {
    int begin = size;
    int at = from;
    while (at < to) { // At a slash.
      int next = at + 1;
      while (next < to && url[next] != '/') {
        next++;
      }
      int dots = next - at - 1;
      boolean one = dots == 1 && url[at + 1] == '.';
      boolean two = dots == 2 && url[at + 1] == '.' && url[at + 2] == '.';
      if (two) {
        while (size > begin && out[--size] != '/') {}
      }
      if (!one && !two) {
        append(url, at, next);
      } else if (next == to) {
        out[size++] = '/';
      }
      at = next;
    }
    if (!authority && size - begin >= 2 && out[begin] == '/' && out[begin + 1] == '/') {
      System.arraycopy(out, begin, out, begin + 2, size - begin);
      out[begin + 1] = '.';
      size += 2;
    }
  }
}
