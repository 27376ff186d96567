package io.woodbird.cli.lines;

/** The quotation marks of a CSV record, followed byte by byte. */
final class CsvQuotes {
  /*
   * A mark opens a field only as its first byte; elsewhere in a plain field it is a byte like any
   * other, as in  5" disk. Inside a quoted field two marks are one, and a single one closes it. Then
   * only a separator or the end of the record may follow; anything else is refused.
   */
  static final String BAD_RECORD = "text stands behind the closing quotation mark of a field";

  private enum State {
    FIELD_START,
    PLAIN,
    OPEN,
    CLOSED,
    /** Behind a closed field stands a CR, which may belong to the end of the record. */
    RETURN,
    BAD
  }

  private final byte separator;
  private State state = State.FIELD_START;

  CsvQuotes(byte separator) {
    this.separator = separator;
  }

  /** Reads on in the record. */
  void read(byte[] bytes, int from, int to) {
    boolean plain = state == State.FIELD_START || state == State.PLAIN;
    int at = plain ? Lines.find(bytes, from, to, (byte) '"') : from;
    if (at < 0) {
      at = to;
    }
    if (plain && at > from) {
      state = bytes[at - 1] == separator ? State.FIELD_START : State.PLAIN;
    }
    for (; at < to; at++) {
      state = next(bytes[at]);
    }
  }

  private State next(byte b) {
    boolean mark = b == '"';
    return switch (state) {
      case FIELD_START -> mark ? State.OPEN : b == separator ? state : State.PLAIN;
      case PLAIN -> b == separator ? State.FIELD_START : state;
      case OPEN -> mark ? State.CLOSED : state;
      case CLOSED ->
          mark
              ? State.OPEN
              : b == separator ? State.FIELD_START : b == '\r' ? State.RETURN : State.BAD;
      case RETURN, BAD -> State.BAD;
    };
  }

  /** Whether a quoted field is open, so that a line end is a part of it. */
  boolean open() {
    return state == State.OPEN;
  }

  /** Ends the record; false if it is not valid. */
  boolean endRecord() {
    boolean valid = state != State.BAD;
    state = State.FIELD_START;
    return valid;
  }
}
