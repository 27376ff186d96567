package io.woodbird.cli.lines;

import static java.util.Objects.requireNonNull;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of one input, in batches that point into one large buffer. */
public final class Lines implements Closeable {
  /*
   * A line is any bytes up to a line end, in any charset. It is not copied: a batch is pairs of
   * positions in the buffer, valid until the next batch is read. Line ends are searched eight bytes at
   * a time. If a line does not fit, the buffer grows, up to 1 GiB.
   *
   * Where the key is a field, the keys of a batch are copied one after the other into a second array.
   * A line end between the quotation marks of a CSV field is a part of the field.
   *
   * No CSV library reads the records: the verbs write them out as the bytes that were read, in any
   * charset, and FastCSV 4.4 gives the text of fields, but not where a record begins and ends. CsvTest
   * compares the keys with those that FastCSV finds.
   */

  /** The most lines of a batch. */
  public static final int BATCH = 1024;

  private static final int BUFFER = 1 << 20;
  private static final int LONGEST = 1 << 30;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Source source;
  private final Format format;
  private final InputStream in;
  private final Peekable raw;
  private final boolean compressed;
  private final @Nullable FieldPick pick;
  private final @Nullable ValueField values;

  private final int longest;
  private byte[] buffer;
  private int start;
  private int scanned;
  private int limit;
  private final @Nullable CsvQuotes quotes;
  private boolean ended;
  private boolean begun;
  private boolean markInKey;
  private boolean wide;

  private final int[] from = new int[BATCH];
  private final int[] to = new int[BATCH];
  private final int[] keyFrom = new int[BATCH];
  private final int[] keyTo = new int[BATCH];
  private final FieldPick.Arena arena = new FieldPick.Arena();
  private byte[] keys;
  private ByteBuffer view;
  private long lineNumber;
  private long linesOfRecord = 1;
  private long count;
  private long crLines;
  private long notTexts;
  private long skipped;

  /** Opens an input, which is {@code stdin} if the source says so. */
  public Lines(Source source, InputStream stdin, Format format) throws IOException {
    this(source, stdin, format, BUFFER, LONGEST);
  }

  /** For tests: with a smaller buffer, and a smaller limit for lines. */
  Lines(Source source, InputStream stdin, Format format, int room, int longest) throws IOException {
    this.source = source;
    this.format = format;
    this.longest = longest;
    this.buffer = new byte[room];
    this.keys = buffer;
    this.view = ByteBuffer.wrap(buffer);
    this.quotes = format.quotes() ? new CsvQuotes((byte) format.separator()) : null;
    Source.Opened opened = source.open(stdin, format.decompress());
    this.in = opened.stream();
    this.raw = opened.raw();
    this.compressed = opened.compressed();
    boolean named =
        format.separator() != 0
            && (isName(format.field())
                || (format.valueField() != null && isName(format.valueField())));
    int end = named ? nextEnd() : 0;
    if (named && quotes != null && !quotes.endRecord()) {
      throw badRecord(CsvQuotes.BAD_RECORD);
    }
    this.pick = pick(format.field(), format.jsonPath(), end);
    String value = format.valueField();
    this.values = value == null ? null : new ValueField(requireNonNull(pick(value, value, end)));
    if (named) {
      advance(Math.min(limit, end + 1));
    }
  }

  private static boolean isName(@Nullable String field) {
    return Format.number(field) == 0;
  }

  /** Finds a field by its number, by its name in the line that ends there, or by its path. */
  private @Nullable FieldPick pick(@Nullable String name, @Nullable String path, int end) {
    if (format.jsonPath() != null) {
      return new JsonField(requireNonNull(path));
    }
    if (format.separator() == 0) {
      return null;
    }
    int index = Math.max(0, Format.number(name) - 1);
    DelimitedField field =
        new DelimitedField(format.separator(), format.quotes(), format.end() == '\n', index);
    if (isName(name)) {
      field.find(String.valueOf(name), source.name(), buffer, start, Math.max(start, end));
    }
    return field;
  }

  /**
   * Reads the next batch, what is there and at least one line; returns how many lines, 0 at the
   * end.
   */
  public int next() throws IOException {
    while (true) {
      int found = 0;
      arena.reset();
      keys = buffer;
      int end = nextEnd();
      if (end < 0) {
        return 0; // Not where all lines of the buffer were left out: more may follow.
      }
      while (end >= 0 && found < BATCH) {
        found += add(found, start, end) ? 1 : 0;
        advance(end + 1);
        if (found < BATCH) {
          end = endInBuffer();
        }
      }
      if (pick != null) {
        keys = arena.array();
      }
      if (found > 0) {
        if (view.array() != keys) {
          view = ByteBuffer.wrap(keys);
        }
        count += found;
        return found;
      }
    }
  }

  /** Goes on to the record that begins at a position. */
  private void advance(int next) {
    start = next;
    lineNumber += linesOfRecord;
    linesOfRecord = 1;
  }

  private boolean add(int index, int first, int end) {
    from[index] = first;
    to[index] = end;
    int keyEnd = end;
    if (end > first && buffer[end - 1] == '\r') {
      crLines++;
      keyEnd = format.crlf() ? end - 1 : end;
    }
    if (pick == null) {
      keyFrom[index] = first;
      keyTo[index] = keyEnd;
      notTexts += Utf8.isText(buffer, first, keyEnd) ? 0 : 1;
      return true;
    }
    keyFrom[index] = arena.size();
    String wrong =
        quotes != null && !quotes.endRecord()
            ? CsvQuotes.BAD_RECORD
            : pick.pick(buffer, first, keyEnd, arena);
    if (wrong == null && values != null) {
      wrong = values.read(index, buffer, first, keyEnd);
    }
    keyTo[index] = arena.size();
    if (wrong == null) {
      notTexts += Utf8.isText(arena.array(), keyFrom[index], keyTo[index]) ? 0 : 1;
      return true;
    }
    if (!format.skipBad()) {
      throw badRecord(wrong);
    }
    skipped++;
    return false;
  }

  private String where() {
    return source.name() + ", line " + Units.count(lineNumber + 1);
  }

  /** With --skip-bad too: all lines behind the mark would be left out as one. */
  private Failure unclosed() {
    return Problem.NO_FIELD.failure(
        where() + ": a quotation mark opens a field and is not closed.",
        "All lines behind it would be one field.",
        "write the mark twice inside quoted fields",
        "--tsv (fields between tabs, where marks mean nothing)");
  }

  private Failure badRecord(String wrong) {
    return Problem.NO_FIELD.failure(
        where() + ": " + wrong + ".",
        "Lines are left out only with --skip-bad.",
        "--skip-bad (leaves such lines out and counts them)");
  }

  /** Returns where the next line ends, reading on if need be, or -1 if there is none. */
  private int nextEnd() throws IOException {
    if (!begun) {
      begun = true;
      lookForMark();
    }
    while (true) {
      int end = endInBuffer();
      if (end >= 0) {
        return end;
      }
      if (ended) {
        if (quotes != null && quotes.open()) {
          throw unclosed();
        }
        return start < limit ? limit : -1; // The last line may have no end.
      }
      fill();
    }
  }

  /**
   * Looks for a byte order mark at the start of the input. That of UTF-8 is a part of the first key
   * if lines are keys, because a key is all bytes of its line; in front of a field it is skipped.
   * In UTF-16 a line end has two bytes, so its lines are no texts.
   */
  private void lookForMark() throws IOException {
    if (beginsWith(0xef, 0xbb, 0xbf)) {
      markInKey = format.separator() == 0 && format.jsonPath() == null;
      start = markInKey ? 0 : 3;
      scanned = start;
    } else {
      wide = format.end() == '\n' && (beginsWith(0xff, 0xfe) || beginsWith(0xfe, 0xff));
    }
  }

  /** Whether the input begins with these bytes; reads no further than needed. */
  private boolean beginsWith(int... mark) throws IOException {
    int same = 0;
    while (same < mark.length) {
      if (same == limit && !ended) {
        fill();
      } else if (same == limit || buffer[same] != (byte) mark[same]) {
        return false;
      } else {
        same++;
      }
    }
    return true;
  }

  /** Returns where the next line ends, or -1 if its end is not in the buffer. */
  private int endInBuffer() {
    while (true) {
      int end = find(buffer, scanned, limit, format.end());
      int until = end < 0 ? limit : end;
      if (quotes != null) {
        quotes.read(buffer, scanned, until);
      }
      scanned = end < 0 ? limit : end + 1;
      if (end < 0 || quotes == null || !quotes.open()) {
        return end;
      }
      linesOfRecord++;
    }
  }

  /** Returns where a byte stands first, or -1. */
  static int find(byte[] bytes, int from, int to, byte wanted) {
    long pattern = 0x0101_0101_0101_0101L * (wanted & 0xff);
    int at = from;
    for (; at <= to - 8; at += 8) {
      long x = (long) LONGS.get(bytes, at) ^ pattern;
      long zeros = x - 0x0101_0101_0101_0101L & ~x & 0x8080_8080_8080_8080L;
      if (zeros != 0) {
        return at + (Long.numberOfTrailingZeros(zeros) >>> 3);
      }
    }
    for (; at < to; at++) {
      if (bytes[at] == wanted) {
        return at;
      }
    }
    return -1;
  }

  private void fill() throws IOException {
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, limit - start);
      scanned -= start;
      limit -= start;
      start = 0;
    }
    if (limit == buffer.length) {
      if (limit >= longest) {
        if (quotes != null && quotes.open()) {
          throw unclosed();
        }
        throw Problem.LONG_LINE.failure(
            where() + " is longer than " + Units.count(longest) + " bytes.",
            "No end of a line was found in it.",
            "-0 (lines end in NUL)");
      }
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
      keys = buffer;
    }
    try {
      int read = in.read(buffer, limit, buffer.length - limit);
      ended = read < 0;
      limit += Math.max(0, read);
    } catch (IOException e) {
      throw source.broken(e, compressed, Units.count(lineNumber, "line"));
    }
  }

  /** The key of a line; the same object each time. */
  public ByteBuffer key(int index) {
    return view.limit(keyTo[index]).position(keyFrom[index]);
  }

  /** The value beside a key, or another number where there are no values. */
  long value(int index, long otherwise) {
    return values == null ? otherwise : values.value(index);
  }

  /** Writes a line as it was read, and its end. */
  public void write(int index, OutputStream out) throws IOException {
    out.write(buffer, from[index], to[index] - from[index]);
    out.write(format.end());
  }

  /** How many lines were read that have a key: no header, and nothing that was left out. */
  public long count() {
    return count;
  }

  /** What it is called in messages. */
  public String name() {
    return source.name();
  }

  /** Whether a byte order mark is part of the first key. */
  public boolean markInKey() {
    return markInKey;
  }

  /** Whether the input seems to be UTF-16, in which lines do not end in one byte. */
  public boolean isWide() {
    return wide;
  }

  /** How many lines ended in CR. */
  public long crLines() {
    return crLines;
  }

  /** How many lines have a key that is no text in UTF-8. */
  public long notTexts() {
    return notTexts;
  }

  /** How many lines were left out because they had no key. */
  public long skipped() {
    return skipped;
  }

  /** How many bytes of the file were read. */
  public long rawBytes() {
    return raw.count();
  }

  /** Whether the next batch would have to be waited for. */
  public boolean wouldWait() {
    try {
      return find(buffer, scanned, limit, format.end()) < 0 && in.available() == 0;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
