package io.woodbird.cli.lines;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Temporary files that are deleted as soon as they are open, so that a killed process leaves none.
 */
public final class ScratchFile {
  private ScratchFile() {}

  /** The folder of {@code --tmp}, or the system's. */
  public static Path folder(Call call) {
    Path folder = Source.pathOf(call.text("tmp", System.getProperty("java.io.tmpdir", ".")));
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw Problem.CANNOT_WRITE.failure(
          "temporary files can't be written to " + folder + ".",
          Files.isDirectory(folder) ? "Permission denied." : "There is no such folder.",
          "--tmp FOLDER");
    }
    return folder;
  }

  /** Makes one, for its owner only; the kind is the suffix of its name. */
  static FileChannel open(Path folder, String kind) throws IOException {
    // Unix removes the name at once, Windows when the channel is closed or the process ends.
    return FileChannel.open(
        Files.createTempFile(folder, "woodbird", "." + kind),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }
}
