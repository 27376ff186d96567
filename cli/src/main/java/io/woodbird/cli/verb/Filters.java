package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MappedFilter;
import io.woodbird.Woodbird;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.SchemeFormat;
import io.woodbird.cli.lines.FileFacts;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.KeyHasher;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Filter files as the verbs open them, with what can be wrong said in our way. */
final class Filters {
  private Filters() {}

  /** Opens a filter to ask it about lines. */
  static MappedFilter<ByteBuffer> open(Call call, Path path) throws IOException {
    FileFacts facts = FileFacts.read(path);
    return open(path, LineKeys.of(call, path, facts.keyId()));
  }

  /** Opens a filter of any keys, to look at it and not to ask it. */
  static MappedFilter<ByteBuffer> look(Path path, FileFacts facts) throws IOException {
    return open(path, new Unasked(facts.keyId()));
  }

  private static MappedFilter<ByteBuffer> open(Path path, KeyHasher<ByteBuffer> keys)
      throws IOException {
    try {
      return Woodbird.open(path, keys);
    } catch (CorruptFilterException e) {
      throw damaged(path, e);
    } catch (IncompatibleFilterException e) {
      throw newer(path, e);
    }
  }

  /** Reads a filter of any keys onto the heap. */
  static Filter<ByteBuffer> load(Path path, FileFacts facts) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
      return Woodbird.readFrom(in, new Unasked(facts.keyId()));
    } catch (CorruptFilterException e) {
      throw damaged(path, e);
    } catch (IncompatibleFilterException e) {
      throw newer(path, e);
    }
  }

  /** Reads a filter of a well-known scheme. */
  static ClassicFilter scheme(Path path) throws IOException {
    FileFacts facts = FileFacts.read(path);
    if (!facts.isScheme()) {
      throw new Failure(
          Problem.WRONG_FAMILY,
          path + " is a " + facts.family() + " filter, whose bits follow woodbird's own hash.",
          "Without the keys it can't become a filter of another library.",
          "build a new one from the keys with that library");
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
      return SchemeFormat.read(in);
    } catch (CorruptFilterException e) {
      throw damaged(path, e);
    } catch (IncompatibleFilterException e) {
      throw newer(path, e);
    }
  }

  static Failure damaged(Path path, CorruptFilterException cause) {
    String message = String.valueOf(cause.getMessage());
    String prefix = path + ": ";
    return new Failure(
        Problem.DAMAGED,
        cause,
        path + " is damaged.",
        message.startsWith(prefix) ? message.substring(prefix.length()) : message,
        "copy it again",
        "build it again from its keys");
  }

  private static Failure newer(Path path, IncompatibleFilterException cause) {
    return new Failure(
        Problem.TOO_NEW,
        cause,
        path + " can't be read by this version.",
        String.valueOf(cause.getMessage()),
        "a newer woodbird");
  }

  /** The keys of a filter that is only looked at. */
  record Unasked(String id) implements KeyHasher<ByteBuffer> {
    @Override
    public long hash(ByteBuffer key, long seed) {
      throw new IllegalStateException("this filter is only looked at: " + id);
    }
  }
}
