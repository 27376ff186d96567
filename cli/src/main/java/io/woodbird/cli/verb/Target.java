package io.woodbird.cli.verb;

import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a verb writes its file.
 *
 * @param path the file, or null for stdout
 */
record Target(@Nullable Path path) {
  /**
   * Reads {@code --output} and makes sure that nothing is lost by writing there.
   *
   * @param name the file if the option was not given, or null if it must be
   * @param inputs what must not be overwritten
   */
  static Target of(Call call, @Nullable String name, List<Source> inputs) throws IOException {
    String word = call.text("output") == null ? name : call.text("output");
    if (word == null) {
      throw new Failure(
          Problem.MISSING,
          "'" + call.spec().name() + "' needs -o FILE.",
          "There is no single input file to name the output after.",
          "-o keys.wbird",
          "-o - (stdout)");
    }
    if (word.equals("-")) {
      if (call.isTerminal("out")) {
        throw new Failure(
            Problem.TERMINAL,
            "a filter is not written to a terminal.",
            "Its bytes are no text.",
            "-o FILE",
            "-o - > FILE");
      }
      return new Target(null);
    }
    Path path = Source.pathOf(word);
    for (Source input : inputs) {
      Path other = input.path();
      if (other != null && Files.exists(other) && Files.exists(path) && same(path, other)) {
        throw new Failure(
            Problem.SAME_FILE, word + " is also an input.", "It would be lost.", "-o another file");
      }
    }
    if (Files.isDirectory(path)) {
      throw new Failure(
          Problem.CANNOT_WRITE, word + " is a folder.", "A filter is one file.", "-o FILE");
    }
    if (Files.exists(path) && !call.has("force")) {
      throw new Failure(
          Problem.EXISTS,
          word + " exists.",
          "It is not overwritten unasked.",
          "--force",
          "-o FILE");
    }
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new Failure(
          Problem.CANNOT_WRITE,
          word + " can't be written.",
          "There is no folder " + folder + ".",
          "mkdir -p " + folder);
    }
    return new Target(path);
  }

  private static boolean same(Path path, Path other) throws IOException {
    return Files.isSameFile(path, other);
  }

  /** As it is called in messages. */
  String name() {
    return path == null ? "stdout" : path.toString();
  }
}
