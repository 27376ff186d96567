package io.woodbird.cli;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.UntrustedFilterException;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns exceptions that no verb has handled into messages. */
final class Failures {
  /** What stands before the last @ of an address; so much of it is shown. */
  private static final Pattern PASSWORD = Pattern.compile("(\\w+://)\\S*@");

  private Failures() {}

  static Failure of(Throwable thrown, List<String> arguments) {
    Throwable e = thrown instanceof UncheckedIOException io ? cause(io) : thrown;
    if (e instanceof Failure failure) {
      return failure;
    }
    if (e instanceof OutOfMemoryError) {
      return outOfMemory(e);
    }
    String message = String.valueOf(e.getMessage());
    if (e instanceof CorruptFilterException && message.contains("not whole: ")) {
      return Problem.IN_USE.failure(
          e, "a filter is in use, or was not closed.", message, "the same later");
    }
    if (e instanceof CorruptFilterException) {
      return Problem.DAMAGED.failure(e, "a filter file is damaged.", message, "copy it again");
    }
    if (e instanceof UntrustedFilterException untrusted) {
      return untrusted(untrusted, message);
    }
    if (e instanceof IncompatibleFilterException) {
      return Problem.OTHER_FILTER.failure(e, "the filters do not fit each other.", message);
    }
    if (e instanceof NoSuchFileException missing) {
      return Source.unreadable(Path.of(missing.getFile()), missing);
    }
    if (e instanceof IOException io) {
      return io(io, message);
    }
    return Problem.BUG.failure(
        e,
        "this is a bug in woodbird: " + e,
        "The command was: woodbird "
            + PASSWORD.matcher(String.join(" ", arguments)).replaceAll("$1...@"),
        "the same with --debug, and report what it prints");
  }

  private static Failure untrusted(UntrustedFilterException e, String message) {
    return switch (e.reason()) {
      case UNSIGNED ->
          Problem.UNSIGNED.failure(
              e,
              "a file is not signed.",
              message,
              "woodbird sign --key key.pem FILE (where it is made)",
              "without --key (then anybody may have written it)");
      case FOREIGN ->
          Problem.FOREIGN.failure(
              e,
              "a file is signed by another key.",
              message,
              "--key FILE (the public key of its publisher)");
      case ALTERED ->
          Problem.ALTERED.failure(
              e,
              "a file was altered after it was signed.",
              message,
              "fetch it again from its publisher");
    };
  }

  private static Throwable cause(UncheckedIOException e) {
    @Nullable IOException cause = e.getCause();
    return cause == null ? e : cause;
  }

  private static Failure outOfMemory(Throwable e) {
    long megabytes = Runtime.getRuntime().maxMemory() / 1_000_000;
    return Problem.OUT_OF_MEMORY.failure(
        e,
        "there is not enough memory.",
        "This process may take %s MB of heap; 'woodbird plan' says what a filter takes."
            .formatted(megabytes),
        "WOODBIRD_JAVA_OPTS=-Xmx8g woodbird ...",
        "--family ribbon (built in bounded memory)");
  }

  /** A file is not there because it can't be made. */
  private static Failure noNewFile(IOException e, Path file) {
    return Problem.CANNOT_WRITE.failure(
        e,
        file + " can't be written.",
        "Permission denied: its folder takes no new file.",
        "ls -ld " + file.getParent());
  }

  private static Failure io(IOException e, String message) {
    String lower = message.toLowerCase(Locale.ROOT);
    boolean full = lower.contains("no space left") || lower.contains("quota");
    String file = e instanceof FileSystemException fs ? fs.getFile() : null;
    String why =
        e instanceof FileSystemException fs && fs.getReason() != null ? fs.getReason() : message;
    if (e instanceof java.nio.file.AccessDeniedException) {
      if (file != null && Files.notExists(Path.of(file))) {
        return noNewFile(e, Path.of(file).toAbsolutePath());
      }
      why = "Permission denied.";
    }
    boolean readOnly = why.toLowerCase(Locale.ROOT).contains("read-only");
    String what = file == null ? "reading or writing failed." : file + " can't be read or written.";
    return full || readOnly
        ? Problem.CANNOT_WRITE.failure(
            e,
            full ? "the disk is full." : what,
            why + (file == null ? "" : " (" + file + ")"),
            "df -h",
            "--tmp FOLDER (for temporary files)")
        : Problem.CANNOT_WRITE.failure(e, what, why, "ls -l " + (file == null ? "." : file));
  }
}
