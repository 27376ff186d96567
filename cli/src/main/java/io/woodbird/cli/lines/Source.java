package io.woodbird.cli.lines;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An input: a file, stdin, or a copy of what could be read only once.
 *
 * @param name as the user wrote it
 * @param path the file, or null for stdin
 * @param copy what was read from it, decompressed, or null
 */
public record Source(String name, @Nullable Path path, @Nullable FileChannel copy) {
  private static final int BUFFER = 1 << 16;

  /** How every filter file begins. */
  private static final byte[] FILTER = {(byte) 0x89, 'W', 'B', 'I', 'R', 'D', '\r', '\n'};

  /** A file, or stdin if there is no path. */
  public Source(String name, @Nullable Path path) {
    this(name, path, null);
  }

  /** Returns the source that an argument names; {@code -} is stdin. */
  public static Source of(String word) {
    return word.equals("-") ? new Source("stdin", null) : new Source(word, pathOf(word));
  }

  /** Returns the sources that arguments name; without arguments, stdin. */
  public static List<Source> of(List<String> words) {
    List<Source> sources = new ArrayList<>();
    for (String word : words.isEmpty() ? List.of("-") : words) {
      sources.add(of(word));
    }
    return sources;
  }

  /** Returns the source that {@code --from} names; without it, stdin. */
  public static List<Source> from(Call call) {
    Source source = of(call.text("from", "-"));
    source.sayIfTyped(call);
    return List.of(source);
  }

  /** Says that it waits for keys, if they are typed. */
  public void sayIfTyped(Call call) {
    if (path == null && call.isTerminal("in")) {
      call.voice().say("reading keys from the terminal, one a line; Ctrl-D ends");
    }
  }

  /** A path, or a failure that says what is wrong with it. */
  public static Path pathOf(String word) {
    try {
      return Path.of(word);
    } catch (java.nio.file.InvalidPathException e) {
      throw new Failure(
          Problem.CANNOT_READ, e, "\"" + word + "\" can't be the name of a file.", e.getReason());
    }
  }

  /** The bytes of a file, or 0 if the size is unknown. */
  public long size() {
    try {
      if (copy != null) {
        return copy.size();
      }
      return path != null && Files.isRegularFile(path) ? Files.size(path) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Whether it is a filter file, whose bytes are no lines. */
  boolean isFilter() {
    if (path == null || !Files.isRegularFile(path)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(path)) {
      return Arrays.equals(in.readNBytes(FILTER.length), FILTER);
    } catch (IOException e) {
      return false; // Who opens it says why.
    }
  }

  /** Whether it can be read more than once. */
  public boolean rereadable() {
    return copy != null || (path != null && Files.isRegularFile(path));
  }

  /**
   * An input that is open.
   *
   * @param stream what it holds, decompressed
   * @param raw the bytes as they are, to count them
   * @param compressed whether they were compressed
   */
  record Opened(InputStream stream, Peekable raw, boolean compressed) {}

  /** Opens it, and recognises gzip and zstd by their first bytes. */
  Opened open(InputStream stdin, boolean decompress) throws IOException {
    if (copy != null) {
      Peekable raw = new Peekable(new Unclosed(Channels.newInputStream(copy.position(0))));
      return new Opened(raw, raw, false);
    }
    Peekable raw = new Peekable(path == null ? new Unclosed(stdin) : openFile(path));
    try {
      if (decompress && raw.startsWith(0x1f, 0x8b)) {
        return new Opened(new ReadAhead(gzip(raw)), raw, true);
      }
      if (decompress && raw.startsWith(0x28, 0xb5, 0x2f, 0xfd)) {
        return new Opened(new ReadAhead(zstd(raw)), raw, true);
      }
      return new Opened(raw, raw, false);
    } catch (Throwable e) {
      raw.close();
      throw e;
    }
  }

  /**
   * GZIPInputStream looks for a further member only if available() is not 0. A slow pipe returns 0
   * now and then, and the rest would be lost. So this waits for input, and returns 0 only at the
   * end.
   */
  private static InputStream gzip(Peekable raw) throws IOException {
    InputStream members =
        new FilterInputStream(raw) {
          @Override
          public int available() throws IOException {
            return raw.goesOn() ? 1 : 0;
          }
        };
    return new GZIPInputStream(members, BUFFER);
  }

  private InputStream zstd(Peekable raw) throws IOException {
    try {
      return new ZstdInputStreamNoFinalizer(raw);
    } catch (LinkageError e) {
      throw new Failure(
          Problem.CANNOT_READ,
          e,
          name + " is compressed with zstd, which can't be read on this kind of machine.",
          "There is no zstd library for it in this installation.",
          "zstd -dc " + name + " | woodbird ...");
    }
  }

  private static InputStream openFile(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new Failure(
          Problem.CANNOT_READ,
          path + " is a folder.",
          "Lines are read from files.",
          "cat " + path + "/* | woodbird ...");
    }
    try {
      return new FileInputStream(path.toFile());
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /** Says why a file can't be read. */
  public static Failure unreadable(Path path, IOException cause) {
    boolean missing = cause instanceof NoSuchFileException || !Files.exists(path);
    boolean denied = cause instanceof AccessDeniedException || !Files.isReadable(path);
    String why =
        missing
            ? "There is no such file."
            : denied ? "Permission denied." : "" + cause.getMessage();
    return new Failure(
        Problem.CANNOT_READ,
        cause,
        path + " can't be read.",
        why,
        "ls -l " + path.toAbsolutePath());
  }

  /** A stream that goes on after it was read once: stdin, or a copy that is read again. */
  private static final class Unclosed extends FilterInputStream {
    Unclosed(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      // In pieces: a channel copies through a buffer of its own that is as large.
      return super.read(into, offset, Math.min(length, BUFFER));
    }

    @Override
    public void close() {
      // Not ours.
    }
  }
}
