package io.woodbird.example.blocklist;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * An edge node: says whether a host is on the blocklist, straight from a memory-mapped file, and
 * takes a newer file while it answers.
 *
 * <pre>
 *   arrived.wbird     what was shipped; becomes the list if every page of it is whole
 *   blocklist.wbird   the list that answers, and that is opened after a restart
 * </pre>
 */
final class Edge implements AutoCloseable {
  private final Path list;
  private final Path arrived;
  private volatile OpenFilter<String> current;

  Edge(Path folder) throws IOException {
    list = folder.resolve("blocklist.wbird");
    arrived = folder.resolve("arrived.wbird");
    current = Woodbird.open(list, Keys.strings());
  }

  /** Whether a host may be on the list; false is certain. From any thread. */
  boolean blocks(String host) {
    while (true) {
      OpenFilter<String> filter = current;
      try {
        return filter.mightContain(host);
      } catch (IllegalStateException closed) {
        if (filter == current) {
          throw closed;
        }
        // A newer list came in between: ask that one.
      }
    }
  }

  /**
   * Takes the file that has arrived, if there is one and it is whole. From one thread.
   *
   * @return whether there is a newer list now
   * @throws IOException if the file is damaged: it is put aside, and the old list goes on
   * @throws IncompatibleFilterException if it is of other keys or another version: likewise
   */
  boolean takeArrived() throws IOException {
    if (!Files.exists(arrived)) {
      return false;
    }
    Path taken = arrived.resolveSibling("taken.wbird"); // Another list may arrive meanwhile.
    Files.move(arrived, taken, StandardCopyOption.ATOMIC_MOVE);
    OpenFilter<String> next;
    try {
      next = openWhole(taken);
    } catch (IOException | IncompatibleFilterException refused) {
      Path aside = arrived.resolveSibling("refused.wbird");
      Files.move(taken, aside, StandardCopyOption.REPLACE_EXISTING);
      throw refused;
    }
    Files.move(taken, list, StandardCopyOption.ATOMIC_MOVE); // The mapping goes with the file.
    OpenFilter<String> old = current;
    current = next;
    old.close();
    return true;
  }

  private static OpenFilter<String> openWhole(Path file) throws IOException {
    OpenFilter<String> filter = Woodbird.open(file, Keys.strings());
    try {
      filter.verify(); // All pages, before the first question.
      return filter;
    } catch (IOException damaged) {
      filter.close();
      throw damaged;
    }
  }

  long bytes() {
    return current.sizeInBytes();
  }

  @Override
  public void close() {
    current.close();
  }
}
