package io.woodbird.cli.verb;

import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where temporary files go. */
final class Temporary {
  private Temporary() {}

  /** The folder of {@code --tmp}, or the system's. */
  static Path folder(Call call) {
    Path folder = Source.pathOf(call.text("tmp", System.getProperty("java.io.tmpdir", ".")));
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new Failure(
          Problem.CANNOT_WRITE,
          "temporary files can't be written to " + folder + ".",
          Files.isDirectory(folder) ? "Permission denied." : "There is no such folder.",
          "--tmp FOLDER");
    }
    return folder;
  }
}
