package io.woodbird.file;

import com.sun.management.ThreadMXBean;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What every reader of foreign bytes must do with any bytes: give a filter that can be asked, or
 * one of the two exceptions, in little memory.
 */
final class Parsers {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long[] ASKED = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x5eed};

  private Parsers() {}

  /** A reader of bytes. */
  interface Parser {
    void parse() throws IOException;
  }

  /** Wraps the bytes and asks them. */
  static boolean wrap(byte[] bytes) {
    return parses(bytes.length, () -> ask(Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs())));
  }

  /** Reads the bytes as a stream. */
  static boolean read(byte[] bytes) {
    return parses(
        bytes.length, () -> ask(Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs())));
  }

  /** Opens the bytes as a file. */
  static boolean open(byte[] bytes, Path path) throws IOException {
    Files.write(path, bytes);
    return parses(
        bytes.length,
        () -> {
          try (var filter = Woodbird.open(path, Keys.longs())) {
            ask(filter);
          }
        });
  }

  /** Reads the bytes as a filter of another program in a file of ours, and asks it. */
  static boolean foreign(byte[] bytes) {
    return parses(
        bytes.length,
        () -> ForeignFilter.load(new ByteArrayInputStream(bytes)).mightContain(new byte[8]));
  }

  /** Replays the bytes as a journal. */
  static boolean replay(byte[] bytes, Path path, int filterCrc) throws IOException {
    Files.write(path, bytes);
    return parses(bytes.length, () -> JournalReader.replay(path, 1, filterCrc, hash -> {}));
  }

  private static void ask(Filter<Long> filter) {
    int[] selected = new int[ASKED.length];
    int kept = filter.candidates(ASKED, ASKED.length, selected);
    for (long hash : ASKED) {
      kept -= filter.mightContainHash(hash) ? 1 : 0;
    }
    // Keys may expire between two questions to a window of time.
    if (kept != 0 && !filter.stats().layout().startsWith("window of PT")) {
      throw new AssertionError("a batch answers other than one by one: " + filter);
    }
    if (filter.stats().bits() <= 0) {
      throw new AssertionError(filter.stats());
    }
  }

  /** Returns whether the bytes were taken; fails if they did harm. */
  private static boolean parses(int bytes, Parser parser) {
    long limit = 2L * bytes + 1_000_000;
    long before = THREADS.getCurrentThreadAllocatedBytes();
    boolean taken = taken(parser);
    if (THREADS.getCurrentThreadAllocatedBytes() - before > limit) {
      // Classes may have been loaded, or a fuzzer have changed them: the second time counts.
      before = THREADS.getCurrentThreadAllocatedBytes();
      taken(parser);
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      if (allocated > limit) {
        throw new AssertionError(allocated + " bytes allocated for " + bytes + " bytes of input");
      }
    }
    return taken;
  }

  private static boolean taken(Parser parser) {
    try {
      parser.parse();
      return true;
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      if (e.getMessage() == null || e.getMessage().length() < 20) {
        throw new AssertionError("says too little", e);
      }
      return false;
    } catch (IOException e) {
      throw new AssertionError("not a CorruptFilterException", e);
    }
  }
}
