package io.woodbird.cli.lines;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Temporary files that are deleted as soon as they are open, so that a killed process leaves none.
 */
final class ScratchFile {
  private ScratchFile() {}

  /**
   * Makes one, for its owner only.
   *
   * @param kind what it holds, as the suffix of its name
   */
  static FileChannel open(Path folder, String kind) throws IOException {
    // Unix removes the name at once, Windows when the channel is closed or the process ends.
    return FileChannel.open(
        Files.createTempFile(folder, "woodbird", "." + kind),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }
}
