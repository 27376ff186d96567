package io.woodbird.cli.verb;

import io.woodbird.BloomBuilder;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterFullException;
import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.IdOnly;
import io.woodbird.key.KeyHasher;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Opens filter files for the verbs, and turns what is wrong with one into a message. */
final class Filters {
  /** So begins what core says of a file whose newest keys are in a journal. */
  private static final String NOT_WHOLE = "not whole: ";

  private Filters() {}

  /** Reads the header of a filter, only to know how to open it: opening it checks the header. */
  static FileHeader header(Path path) throws IOException {
    FileHeader header = fileHeader(path);
    if (header.isDelta()) {
      throw Problem.WRONG_FAMILY.failure(
          path + " is a delta, and no filter.",
          "It says what changed since another file, which has most of the keys.",
          "woodbird patch BASE " + path);
    }
    return header;
  }

  /** The same for a filter or a delta. */
  static FileHeader fileHeader(Path path) throws IOException {
    byte[] bytes;
    if (Files.isDirectory(path)) {
      throw Problem.NOT_A_FILTER.failure(
          path + " is not a filter file.", "It is a folder.", "ls " + path);
    }
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(FileHeader.BYTES);
    } catch (IOException e) {
      throw Source.unreadable(path, e);
    }
    if (!FileHeader.isStartOfFilter(bytes)) {
      throw notAFilter(path);
    }
    if (bytes.length < FileHeader.BYTES) {
      throw Problem.DAMAGED.failure(
          path + " is damaged: it has only " + bytes.length + " bytes.",
          "The header of a filter alone has 256.",
          "copy it again");
    }
    FileHeader header = FileHeader.of(bytes);
    if (header.major() > FileHeader.MAJOR) {
      throw Problem.TOO_NEW.failure(
          path + " was written in format " + header.major() + "; this woodbird reads format 2.",
          "The file is not damaged.",
          "a newer woodbird");
    }
    if (!header.intact()) {
      throw Problem.DAMAGED.failure(
          path + " is damaged.",
          "Its header (bytes 0 to 255) has a wrong checksum.",
          "copy it again",
          "build it again from its keys");
    }
    return header;
  }

  /**
   * Returns the bytes that the shape of a Bloom filter was chosen for, or 0 if it was chosen for
   * its fpp. A filter that was made for a size promises the mean fpp of its shape, to the last bit.
   * One that was made for an fpp promises what nearly every filter of its shape keeps, which is
   * more.
   */
  static long budget(FileHeader header) {
    try {
      FilterPlan bySize = sized(header).maxBytes(header.fileBytes()).plan();
      FilterPlan byFpp = sized(header).fpp(header.promisedFpp()).plan();
      return bySize.fpp() == header.promisedFpp() || byFpp.bits() != bySize.bits()
          ? header.fileBytes()
          : 0;
    } catch (IllegalArgumentException e) {
      return header.fileBytes(); // So large a filter is made for no fpp.
    }
  }

  private static BloomBuilder<ByteBuffer> sized(FileHeader header) {
    BloomBuilder<ByteBuffer> builder =
        Woodbird.bloom(new IdOnly<ByteBuffer>(header.keyId()), header.expectedKeys());
    return header.layout() == FileHeader.BLOCKED_BLOOM ? builder : builder.classic();
  }

  /** Says why no filter can be built so. */
  static Failure impossible(Problem problem, IllegalArgumentException e, String... tries) {
    return problem.failure(
        e, "no filter can be built with these numbers.", String.valueOf(e.getMessage()), tries);
  }

  /** Says that a filter that counts exactly has no room. */
  static Failure full(FilterFullException e, String result, String... tries) {
    return Problem.OVER_PLAN.failure(
        e,
        "there are more keys than the filter has room for.",
        e.getMessage() + ". " + result,
        tries);
  }

  /** Whether a filter holds more keys than planned, beyond what an estimate may be off by. */
  static boolean isOverPlan(FilterStats stats) {
    return stats.overfull() && stats.estimatedKeys() > 1.01 * stats.expectedKeys();
  }

  /** Warns of a filter that holds more keys than planned, or fails with --strict. */
  static void checkPlan(Call call, Object name, FilterStats stats, String result, String tried) {
    if (isOverPlan(stats)) {
      String what =
          "%s holds about %s keys, %s were planned: %s wrong \"maybe\", not %s"
              .formatted(
                  name,
                  Units.count(stats.estimatedKeys()),
                  Units.count(stats.expectedKeys()),
                  Units.chance(stats.currentFpp()),
                  Units.chance(stats.promisedFpp()));
      overPlan(call, what, result, tried);
    }
  }

  /** Warns, or fails with --strict. */
  static void overPlan(Call call, String what, String result, String... tries) {
    if (call.has("strict")) {
      throw Problem.OVER_PLAN.failure(what + ".", result, tries);
    }
    call.voice().warn(what);
  }

  /** Says that a file was replaced while it was read: to write would bring the old one back. */
  static Failure replaced(Path path, @Nullable Throwable cause) {
    return Problem.CHANGED.failure(
        cause, path + " was replaced meanwhile.", "Nothing was written.", "the same command again");
  }

  /** Whether 'add', 'remove' or 'new' may be changing a file now, or begin to. */
  static boolean mayChange(Path path) throws IOException {
    if (Files.exists(path.resolveSibling(path.getFileName() + ".lock"))) {
      return true;
    }
    if (!Files.isReadable(path)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(FileHeader.BYTES);
      return bytes.length == FileHeader.BYTES
          && FileHeader.isStartOfFilter(bytes)
          && Family.abilityList(FileHeader.of(bytes).kind()).contains("put");
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Locks a file to change it. */
  static Closeable lock(Path path) throws IOException {
    try {
      return Woodbird.lock(path);
    } catch (IOException e) {
      throw inUse(path, e);
    }
  }

  /** Says that another process has a file open for writing, if that is what is wrong. */
  static IOException inUse(Path path, IOException e) {
    if (String.valueOf(e.getMessage()).contains("is open in another process")) {
      throw Problem.IN_USE.failure(
          e,
          path + " is in use.",
          "Another process has it open. Two at the same time would lose keys.",
          "wait for it to end",
          "another file");
    }
    return e;
  }

  private static Failure notAFilter(Path path) {
    return Problem.NOT_A_FILTER.failure(
        path + " is not a filter file.",
        "Its first bytes are not those of a .wbird file.",
        "woodbird build " + path + " (if it holds lines)",
        "woodbird convert (if another program wrote it)");
  }

  /** Opens a filter to ask it about lines. */
  static OpenFilter<ByteBuffer> open(Call call, Path path) throws IOException {
    return open(path, LineKeys.of(call, path, header(path).keyId()));
  }

  /** Opens a filter that a known key signed. */
  static OpenFilter<ByteBuffer> trusted(
      Call call, Path path, FileHeader header, SignedFilters trusted) throws IOException {
    requireOwn(path, header);
    KeyHasher<ByteBuffer> keys = LineKeys.of(call, path, header.keyId());
    return read(path, () -> trusted.open(path, keys));
  }

  /** Refuses to ask a filter of another program under {@code --key}. */
  static void requireOwn(Path path, FileHeader header) {
    if (!header.isOwn()) {
      throw Problem.WRONG_FAMILY.failure(
          path + " is a filter of another program, and is not asked under --key.",
          "Its pages are not checked while it is asked.",
          "woodbird verify --key KEY " + path,
          "without --key");
    }
  }

  /** Opens a filter of any keys, to look at it and not to ask it. */
  static OpenFilter<ByteBuffer> look(Path path, FileHeader header) throws IOException {
    return open(path, new IdOnly<>(header.keyId()));
  }

  private static OpenFilter<ByteBuffer> open(Path path, KeyHasher<ByteBuffer> keys)
      throws IOException {
    return read(path, () -> Woodbird.map(path, keys));
  }

  /** Reads a filter of any keys onto the heap. */
  static Filter<ByteBuffer> load(Path path, FileHeader header) throws IOException {
    return whole(path, in -> Woodbird.readFrom(in, new IdOnly<>(header.keyId())));
  }

  /** The refusal of a file with a delta laid over it: its keys can't be changed. */
  static Failure patched(Path path) {
    return Problem.WRONG_FAMILY.failure(
        path + " was patched with a delta, and takes no other keys.",
        "A patched file answers for the list that its delta was made from.",
        "woodbird build FILE... (from all lines)");
  }

  /** Reads a filter of a well-known scheme. */
  static ClassicFilter scheme(Path path) throws IOException {
    FileHeader header = header(path);
    if (!header.isScheme()) {
      throw Problem.WRONG_FAMILY.failure(
          path + " is a " + header.family() + " filter, whose bits follow woodbird's own hash.",
          "It can't be converted without its keys.",
          "build a new one from the keys with that library");
    }
    return whole(path, ClassicFilter::load);
  }

  /** Reads a filter of another program. */
  static ForeignFilter foreign(Path path) throws IOException {
    return whole(path, ForeignFilter::load);
  }

  static InputStream buffered(Path path) throws IOException {
    return new BufferedInputStream(Files.newInputStream(path), 1 << 16);
  }

  private interface Reader<T> {
    T read() throws IOException;
  }

  private interface StreamReader<T> {
    T read(InputStream in) throws IOException;
  }

  /** Reads a file to its end: a second filter behind the first has keys that it would deny. */
  private static <T> T whole(Path path, StreamReader<T> reader) throws IOException {
    try (InputStream in = buffered(path)) {
      return read(
          path,
          () -> {
            T filter = reader.read(in);
            requireEnd(in);
            return filter;
          });
    }
  }

  /** Refuses what goes on after the filter. */
  static void requireEnd(InputStream in) throws IOException {
    if (in.read() >= 0) {
      throw new CorruptFilterException("it goes on after the end of the filter");
    }
  }

  /** Runs a reader, and turns its exceptions into messages. */
  private static <T> T read(Path path, Reader<T> reader) throws IOException {
    try {
      return reader.read();
    } catch (CorruptFilterException e) {
      throw damaged(path, e);
    } catch (IncompatibleFilterException e) {
      throw Problem.TOO_NEW.failure(
          e,
          path + " can't be read by this version.",
          String.valueOf(e.getMessage()),
          "a newer woodbird");
    }
  }

  static Failure damaged(Path path, CorruptFilterException cause) {
    String message = String.valueOf(cause.getMessage());
    String prefix = path + ": ";
    if (message.contains(NOT_WHOLE)) {
      return Problem.IN_USE.failure(
          cause,
          path + " is in use, or was not closed.",
          "Its newest keys are in its journal, so it would deny them.",
          "the same when the program that has it open has ended",
          "woodbird new --state " + path + " < /dev/null (closes it after a crash)");
    }
    return Problem.DAMAGED.failure(
        cause,
        path + " is damaged.",
        message.startsWith(prefix) ? message.substring(prefix.length()) : message,
        "copy it again",
        "build it again from its keys");
  }
}
