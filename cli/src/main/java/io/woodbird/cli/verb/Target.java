package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.console.shared.Json;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a verb writes its filter: a file, stdout, or a pipe or device.
 *
 * @param name as the user wrote it, for messages
 * @param path null for stdout
 * @param replaced whether it is a file that is replaced as a whole
 */
record Target(String name, @Nullable Path path, boolean replaced) {
  /*
   * A file is replaced when the new one is complete. A symbolic link is followed and stays a link.
   * Pipes, devices and descriptors that the shell opened (with names such as /dev/fd/63) are never
   * replaced: the filter is appended to them.
   */
  private static final Pattern DESCRIPTOR =
      Pattern.compile("(/dev/fd|/proc/self/fd|/proc/[^/]+/fd)/(\\d+)");
  private static final int MOST_LINKS = 40;

  // What stat(2) says of files that are neither regular nor folders.
  private static final int FILE_TYPE = 0xf000;
  private static final int BLOCK_DEVICE = 0x6000;
  private static final int SOCKET = 0xc000;

  /**
   * Reads {@code --output}, or takes the name if it was not given and there is one, and makes sure
   * that no input is overwritten.
   */
  static Target of(Call call, @Nullable String name, List<Source> inputs) throws IOException {
    String word = call.text("output") == null ? name : call.text("output");
    if (word == null) {
      throw Problem.MISSING.failure(
          "'" + call.spec().name() + "' needs -o FILE.",
          "Nothing says what the output should be called.",
          "-o keys.wbird",
          "-o - (stdout)");
    }
    if (word.equals("-")) {
      return stdout(call);
    }
    Path given = Source.pathOf(word);
    List<Path> steps = follow(word, given);
    for (Path step : steps) {
      Matcher descriptor = DESCRIPTOR.matcher(step.toString());
      if (descriptor.matches()) {
        boolean ours = !descriptor.group(1).matches("/proc/\\d+/fd");
        return ours && descriptor.group(2).equals("1") ? stdout(call) : stream(word, given);
      }
    }
    Path path = steps.get(steps.size() - 1);
    if (Files.isDirectory(path)) {
      throw cannot(word + " is a folder.", "A filter is one file.", "-o FILE");
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      return stream(word, given);
    }
    return file(call, word, path, inputs);
  }

  private static Target stdout(Call call) {
    if (call.isTerminal("out")) {
      throw terminal();
    }
    return new Target("stdout", null, false);
  }

  private static Failure terminal() {
    return Problem.TERMINAL.failure(
        "a filter is not written to a terminal.",
        "Its bytes are not text.",
        "-o FILE",
        "-o - > FILE");
  }

  /** A path and, if it is a symbolic link, what it points to, step by step. */
  private static List<Path> follow(String word, Path given) throws IOException {
    List<Path> steps = new ArrayList<>(List.of(given.toAbsolutePath()));
    for (Path at = steps.get(0); Files.isSymbolicLink(at); steps.add(at)) {
      if (steps.size() > MOST_LINKS) {
        throw cannot(
            word + " can't be written.",
            "It is a symbolic link that leads nowhere: too many links.",
            "ls -l " + word);
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return steps;
  }

  /** A pipe, a device or a descriptor: written to, whether --force is there or not. */
  private static Target stream(String word, Path path) {
    if (!Files.exists(path)) {
      throw cannot(word + " can't be written.", "It is not open.", "-o FILE");
    }
    int type = type(path);
    if (type == BLOCK_DEVICE || type == SOCKET) {
      throw cannot(
          word + " can't be written.",
          type == SOCKET
              ? "It is a socket."
              : "It is a disk or another block device, and what it holds would be lost.",
          "-o FILE",
          "-o - (stdout)");
    }
    String real = realName(path);
    if (real.startsWith("/dev/pts/") || real.startsWith("/dev/tty")) {
      throw terminal();
    }
    if (!Files.isWritable(path)) {
      throw cannot(word + " can't be written.", "Permission denied.", "ls -l " + word);
    }
    return new Target(word, path, false);
  }

  /** The type of a file in the bits of its mode, or 0 where the system has none. */
  private static int type(Path path) {
    try {
      return (Integer) Files.getAttribute(path, "unix:mode") & FILE_TYPE;
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  private static String realName(Path path) {
    try {
      return path.toRealPath().toString();
    } catch (IOException e) {
      return path.toString(); // A pipe behind a descriptor has no name.
    }
  }

  private static Target file(Call call, String word, Path path, List<Source> inputs)
      throws IOException {
    for (Source input : inputs) {
      Path other = input.path();
      if (other != null
          && Files.exists(other)
          && Files.exists(path)
          && Files.isSameFile(path, other)) {
        throw Problem.SAME_FILE.failure(
            word + " is also an input.", "It would be lost.", "-o another file");
      }
    }
    if (Files.exists(path) && !call.has("force")) {
      throw Problem.EXISTS.failure(
          word + " exists.",
          "An existing file is overwritten only with --force.",
          "--force",
          "-o FILE");
    }
    Path folder = path.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw cannot(
          word + " can't be written.", "There is no folder " + folder + ".", "mkdir -p " + folder);
    }
    if (!Files.isWritable(folder)) {
      throw cannot(
          word + " can't be written.",
          "Permission denied: its folder takes no new file.",
          "ls -ld " + folder);
    }
    return new Target(word, path, true);
  }

  private static Failure cannot(String what, String why, String... tries) {
    return Problem.CANNOT_WRITE.failure(what, why, tries);
  }

  /** The file that is replaced as a whole, or null if it is stdout, a pipe or a device. */
  @Nullable Path file() {
    return replaced ? path : null;
  }

  /** Returns that file, or fails: not every verb can write to stdout, a pipe or a device. */
  Path requireFile(Call call) {
    if (!replaced || path == null) {
      throw Problem.BAD_VALUE.failure(
          "'" + call.spec().name() + "' writes a file, not " + name + ".",
          "It is no regular file.",
          "-o FILE");
    }
    return path;
  }

  /** Writes a filter there. */
  @SuppressWarnings("try") // The lock is held, and not looked at.
  void write(Call call, Filter<?> filter) throws IOException {
    if (path == null) {
      filter.writeTo(call.out());
      call.out().flush(); // Before the summary says that it was written.
      return;
    }
    try {
      if (replaced) {
        try (Closeable held = lock()) {
          filter.save(path);
        }
      } else {
        try (OutputStream out =
            Files.newOutputStream(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
          filter.writeTo(out);
        }
      }
    } catch (CorruptFilterException e) {
      throw e; // It is about the filter, not about the target.
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Writes a filter there while the caller has the lock of the file. */
  void save(Filter<?> filter) throws IOException {
    try {
      filter.save(Objects.requireNonNull(path));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Keeps out programs that change the file that is to be replaced: what they write would be lost.
   * A file that takes no keys, or is not there yet, needs no lock, and gets none beside it.
   */
  Closeable lock() throws IOException {
    return replaced && path != null && Filters.mayChange(path) ? Filters.lock(path) : () -> {};
  }

  /** Reports what was written: on stdout, or on stderr where stdout carries the filter. */
  void report(Call call, Json json) throws IOException {
    if (path == null) {
      call.voice().report(json);
    } else {
      call.print(json);
    }
  }

  /** Throws a failure if the exception is about this file, and not about an input. */
  void blame(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileSystemException system
          && String.valueOf(path).equals(system.getFile())) {
        throw failed(system);
      }
    }
  }

  /** Says why it can't be written, under the name that the user knows. */
  Failure failed(IOException e) {
    String reason =
        e instanceof AccessDeniedException
            ? "permission denied"
            : e instanceof NoSuchFileException
                ? "its folder or its temporary file is gone"
                : e instanceof FileSystemException system && system.getReason() != null
                    ? system.getReason()
                    : String.valueOf(e.getMessage());
    boolean full = reason.toLowerCase(Locale.ROOT).matches(".*(no space|quota).*");
    Path folder = path == null ? null : path.toAbsolutePath().getParent();
    return Problem.CANNOT_WRITE.failure(
        e,
        name + " can't be written.",
        reason.substring(0, 1).toUpperCase(Locale.ROOT) + reason.substring(1) + ".",
        (full ? "df -h " : "ls -ld ") + (folder == null ? "." : folder));
  }
}
