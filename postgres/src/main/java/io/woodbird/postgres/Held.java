package io.woodbird.postgres;

/**
 * What a filter holds: every key that was committed before a position.
 *
 * @param identity of which server, history, table and publication, see {@link Moment}
 * @param position in the server's log
 */
record Held(String identity, long position) {
  static Held parse(String text) {
    int at = text.lastIndexOf('@');
    if (at < 0) {
      throw new IllegalArgumentException("not a position of a follower: " + text);
    }
    return new Held(text.substring(0, at), Long.parseUnsignedLong(text.substring(at + 1), 16));
  }

  @Override
  public String toString() {
    return identity + "@" + Long.toHexString(position);
  }
}
