package io.woodbird.file;

import io.woodbird.words.BufferWords;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Opens a file of any size in the ways in which one of more than 16 MiB is opened: such a file
 * takes long to build, and most layouts have at most some 32 bits a key.
 */
public final class AsLarge {
  private static final int SEGMENT_SHIFT = 30;

  private AsLarge() {}

  /** A file whose pages are read when they are first needed. */
  public static StoredFile opened(Path path) throws IOException {
    return OwnedFile.open(new RandomAccessFile(path.toFile(), "r"), OpenRules.PLAIN);
  }

  /** A file that is mapped. */
  public static StoredFile mapped(Path path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
    ByteBuffer[] all = {file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, file.length())};
    return BufferFile.of(
        new BufferWords(all, SEGMENT_SHIFT, 0), file.length(), true, file, OpenRules.PLAIN);
  }
}
