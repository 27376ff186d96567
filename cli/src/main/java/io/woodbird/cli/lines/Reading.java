package io.woodbird.cli.lines;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.cli.say.Voice;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One reading of one or more inputs: batch by batch, counted, with progress. */
public final class Reading implements Closeable {
  private final Iterator<Source> rest;
  private final InputStream stdin;
  private final Format format;
  private final Progress progress;
  private final long totalBytes;
  private @Nullable Lines current;
  private long lines;
  private long bytes;
  private long crLines;
  private long notTexts;
  private long skipped;
  private int opened;
  private final List<String> marked = new ArrayList<>();
  private final List<String> wide = new ArrayList<>();
  private final List<String> filters = new ArrayList<>();

  /** Makes one; the progress line shows the phase. */
  public Reading(Call call, List<Source> sources, Format format, Progress progress, String phase) {
    this.rest = sources.iterator();
    this.stdin = call.in();
    this.format = format;
    this.progress = progress;
    long total = 0;
    for (Source source : sources) {
      total = source.size() == 0 || total < 0 ? -1 : total + source.size();
    }
    this.totalBytes = Math.max(0, total);
    progress.phase(phase, "line");
  }

  /** Goes on to the next batch; returns how many lines it has, 0 at the end. */
  public int next() throws IOException {
    while (true) {
      Stop.check();
      Lines input = current;
      if (input == null) {
        if (!rest.hasNext()) {
          return 0;
        }
        Source source = rest.next();
        if (source.isFilter()) {
          filters.add(source.name());
        }
        input = new Lines(source, stdin, format);
        opened++;
        current = input;
      }
      int count = input.next();
      if (count > 0) {
        progress.at(lines + input.count(), bytes + input.rawBytes(), totalBytes);
        return count;
      }
      lines += input.count();
      bytes += input.rawBytes();
      crLines += input.crLines();
      notTexts += input.notTexts();
      skipped += input.skipped();
      if (input.markInKey()) {
        marked.add(input.name());
      }
      if (input.isWide()) {
        wide.add(input.name());
      }
      current = null;
      input.close();
    }
  }

  /** The lines of the batch. */
  public Lines batch() {
    return Objects.requireNonNull(current);
  }

  /** The number of the input that the batch is from, counted from 1 on. */
  public int inputNumber() {
    return opened;
  }

  /** How many lines were read that have a key: no headers, and nothing that was left out. */
  public long lines() {
    return lines + (current == null ? 0 : current.count());
  }

  /** How many bytes were read, as they stand in the files. */
  public long bytes() {
    return bytes;
  }

  /** How many lines were left out. */
  public long skipped() {
    return skipped;
  }

  /** Warns of filters, CRs, byte order marks, other charsets and lines that were left out. */
  public void warn(Voice voice) {
    for (String name : filters) {
      voice.warn(name + " is a filter file, and its bytes were taken for lines ('check' asks it)");
    }
    if (crLines > 0 && !format.crlf() && format.separator() == 0 && format.jsonPath() == null) {
      voice.warn(
          Units.count(crLines, "line")
              + (crLines == 1 ? " ends" : " end")
              + " in CR, which is part of the key (--crlf leaves it out)");
    }
    for (String name : marked) {
      voice.warn(
          name
              + " begins with a UTF-8 byte order mark, which is part of its first key"
              + " (tail -c +4 removes it)");
    }
    if (notTexts > 0 && format.end() == '\n' && wide.isEmpty()) {
      voice.warn(
          Units.count(notTexts, "line")
              + (notTexts == 1 ? " is" : " are")
              + " not UTF-8: the same words in UTF-8, as of a Java String, are other keys"
              + " (iconv -f ISO-8859-1 -t UTF-8)");
    }
    for (String name : wide) {
      voice.warn(
          name
              + " begins with a UTF-16 byte order mark, and its lines are not those that an editor"
              + " shows (iconv -f UTF-16 -t UTF-8 makes them so)");
    }
    if (skipped > 0) {
      voice.warn(Units.count(skipped, "line") + " without the field left out (--skip-bad)");
    }
  }

  @Override
  public void close() throws IOException {
    if (current != null) {
      current.close();
    }
  }
}
