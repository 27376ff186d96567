package io.woodbird.stress.model;

import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.bloom.Folding;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** A durable filter whose journal is replaced, or fails, while a key is put. */
public final class DurableModels {
  private static final long KEY = 1;

  private DurableModels() {}

  /** A filter in a folder of its own. */
  public abstract static class Durable {
    private final Path folder = Disk.make();
    final DurableFilter<Long> filter = Disk.open(folder);
    private volatile boolean returned;

    /** Puts. If it returns, the key is in a file. */
    final void putOrThrow() {
      try {
        filter.putLong(KEY);
        returned = true;
      } catch (UncheckedIOException e) {
        // It says that the key may not be there.
      }
    }

    /** Looks when both have ended. */
    final void look() {
      boolean here = Disk.isInACopyOf(folder);
      Disk.end(filter, folder);
      if (returned && !here) {
        throw new AssertionError("a put returned whose key is in no file");
      }
    }
  }

  /** What is done with files here. Lincheck does not look into it. */
  static final class Disk {
    private Disk() {}

    static Path make() {
      try {
        return Files.createTempDirectory("woodbird-model");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static DurableFilter<Long> open(Path folder) {
      try {
        return Woodbird.bloom(Keys.longs(), 8)
            .seed(1)
            .journalEveryPut()
            .file(folder.resolve("keys.wbird"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Asks a copy of the files, as a process finds them after a crash. */
    static boolean isInACopyOf(Path folder) {
      try (Stream<Path> files = Files.list(folder)) {
        Path copy = Files.createDirectory(folder.resolve("copy"));
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
        try (DurableFilter<Long> later = open(copy)) {
          return later.mightContainLong(KEY);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void end(DurableFilter<Long> filter, Path folder) {
      try (Stream<Path> files = Files.walk(folder)) {
        filter.close();
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The journal is replaced. */
  public static class PutWhileAJournalSwitches extends Durable {
    /** Puts. */
    @Operation(runOnce = true)
    public void put() {
      putOrThrow();
    }

    /** Replaces the journal. */
    @Operation(runOnce = true)
    public void fold() {
      Folding.fold(filter);
    }

    /** Looks. */
    @Validate
    public void end() {
      look();
    }
  }

  /** The journal fails, twice it can't be replaced, and the key is put again. */
  public static class PutWhileAJournalFails extends Durable {
    /** Puts. */
    @Operation(runOnce = true)
    public void put() {
      putOrThrow();
    }

    /** Lets the journal fail, and puts. */
    @Operation(runOnce = true)
    public void fail() {
      Folding.failJournal(filter);
      for (int i = 0; i < 2; i++) {
        try {
          Folding.fold(filter);
        } catch (UncheckedIOException e) {
          // As it must be, unless nothing was written.
        }
      }
      putOrThrow();
    }

    /** Looks. */
    @Validate
    public void end() {
      look();
    }
  }
}
