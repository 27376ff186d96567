package io.woodbird.cli.lines;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Temporary files that lose their name as soon as they are open: no end of a process leaves one.
 */
final class Unnamed {
  private Unnamed() {}

  /**
   * Makes one, for its owner only.
   *
   * @param kind what it holds, for whoever sees its name meanwhile
   */
  static FileChannel file(Path folder, String kind) throws IOException {
    // Unix removes the name at once, Windows when the channel is closed or the process ends.
    return FileChannel.open(
        Files.createTempFile(folder, "woodbird", "." + kind),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }
}
