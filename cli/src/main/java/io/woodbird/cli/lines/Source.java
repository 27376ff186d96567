package io.woodbird.cli.lines;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Stop;
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

  /** Returns the sources that {@code --from} names, once or several times; without it, stdin. */
  public static List<Source> from(Call call) {
    List<Source> sources = of(call.texts("from"));
    sources.get(0).sayIfTyped(call);
    return sources;
  }

  /**
   * Refuses a file that is also stdout: what is read from it and written to it has no end. Other
   * systems than Linux and macOS have no such names, and there nothing is refused.
   */
  public void requireNotStdout() {
    Path stdout = Path.of("/dev/stdout");
    try {
      if (Files.isRegularFile(stdout)
          && Files.isSameFile(path == null ? Path.of("/dev/stdin") : path, stdout)) {
        throw Problem.SAME_FILE.failure(
            name + " is also the output.",
            "Each line that is written would be read again.",
            "> another file");
      }
    } catch (IOException e) {
      return; // Who opens it says why.
    }
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
      throw Problem.CANNOT_READ.failure(
          e, "\"" + word + "\" can't be the name of a file.", e.getReason());
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

  /** An input that is open: its stream, decompressed, and the raw bytes, to count them. */
  record Opened(InputStream stream, Peekable raw, boolean compressed) {}

  /** Opens it, and recognises compressed input by its first bytes. */
  Opened open(InputStream stdin, boolean decompress) throws IOException {
    if (copy != null) {
      Peekable raw = new Peekable(new Unclosed(Channels.newInputStream(copy.position(0))));
      return new Opened(raw, raw, false);
    }
    Peekable raw = new Peekable(path == null ? new Unclosed(stdin) : openFile(path));
    try {
      if (!decompress) {
        return new Opened(raw, raw, false);
      }
      if (raw.startsWith("\37\u008b")) {
        return new Opened(new ReadAhead(new GzipMembers(raw)), raw, true);
      }
      if (isZstd(raw)) {
        return new Opened(new ReadAhead(zstd(raw)), raw, true);
      }
      for (Packing packing : Packing.OTHERS) {
        if (raw.startsWith(packing.magic)) {
          throw packedBy(packing);
        }
      }
      return new Opened(raw, raw, false);
    } catch (IOException e) {
      raw.close();
      throw broken(e, false, "");
    } catch (Throwable e) {
      raw.close();
      throw e;
    }
  }

  /**
   * A way to compress that is not read here. Its bytes would be taken for lines, and all lines that
   * they stand for would be denied.
   *
   * @param unpack the command that writes the lines to stdout
   * @param magic how its files begin, a character for each byte
   */
  private record Packing(String name, String unpack, String magic) {
    static final List<Packing> OTHERS =
        List.of(
            new Packing("xz", "xz -dc", "\u00fd7zXZ\0"),
            new Packing("bzip2", "bzip2 -dc", "BZh" + Peekable.ANY + "1AY&SY"),
            new Packing("lz4", "lz4 -dc", "\4\"M\30"),
            new Packing("lzip", "lzip -dc", "LZIP"),
            new Packing("lzop", "lzop -dc", "\u0089LZO\0"),
            new Packing("zip", "unzip -p", "PK\3\4"),
            new Packing("7z", "7z x -so", "7z\u00bc\u00af'\34"),
            new Packing("compress", "gzip -dc", "\37\u009d"));
  }

  private Failure packedBy(Packing packing) {
    return Problem.CANNOT_READ.failure(
        name + " is compressed with " + packing.name + ", which is not read here.",
        "Its bytes are no lines.",
        unpacked(packing.unpack),
        "--no-decompress (takes the bytes as they are)");
  }

  /** Whether the input begins with a frame of zstd, or, as pzstd writes it, with one to skip. */
  private static boolean isZstd(Peekable raw) throws IOException {
    boolean found = raw.startsWith("(\u00b5/\u00fd");
    for (char first = 0x50; first < 0x60 && !found; first++) {
      found = raw.startsWith(first + "*M\30");
    }
    return found;
  }

  private InputStream zstd(Peekable raw) {
    try {
      return new ZstdFrames(raw);
    } catch (LinkageError e) {
      throw Problem.CANNOT_READ.failure(
          e,
          name + " is compressed with zstd, which can't be read on this kind of machine.",
          "There is no zstd library for it in this installation.",
          unpacked("zstd -dc"));
    }
  }

  private String unpacked(String command) {
    return command + (path == null ? "" : " " + name) + " | woodbird ...";
  }

  private static InputStream openFile(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw Problem.CANNOT_READ.failure(
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

  /**
   * Says that reading it has failed.
   *
   * @param compressed whether it was being decompressed
   * @param done how much of it was read before
   */
  Failure broken(IOException cause, boolean compressed, String done) {
    Stop.check(); // Then it was stdin that was closed.
    String why = String.valueOf(cause.getMessage());
    if (compressed) {
      return Problem.BAD_COMPRESSION.failure(
          cause,
          name + " is compressed, and damaged or cut short.",
          "After " + done + ": " + why,
          "copy it again",
          "--no-decompress (if it is no compressed file)");
    }
    return path != null
        ? unreadable(path, cause)
        : Problem.CANNOT_READ.failure(
            cause,
            "stdin can't be read.",
            why,
            why.contains("descriptor") ? "< FILE (stdin is not open)" : "< FILE");
  }

  /** Says why a file can't be read. */
  public static Failure unreadable(Path path, IOException cause) {
    boolean missing = cause instanceof NoSuchFileException || !Files.exists(path);
    boolean denied = cause instanceof AccessDeniedException || !Files.isReadable(path);
    String why =
        missing
            ? "There is no such file."
            : denied ? "Permission denied." : "" + cause.getMessage();
    return Problem.CANNOT_READ.failure(
        cause, path + " can't be read.", why, "ls -l " + path.toAbsolutePath());
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
