package io.woodbird.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.woodbird.DurableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.bloom.Folding;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * Hand-overs that need a thread or a file each time, so that there are thousands instead of
 * millions. {@code stress/run} keeps only a few of them open at once.
 */
public final class SlowStress {
  private static final long KEY = 1_000_000;

  private SlowStress() {}

  private static RebuildingFilter<Long> built() {
    RebuildingFilter<Long> filter =
        RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L, 2L)).expectedKeys(16).seed(1).build();
    filter.rebuildNow().join();
    return filter;
  }

  /** A key is put while a generation is built and takes the place of the one that answers. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class PutWhileAGenerationSwaps {
    private final RebuildingFilter<Long> filter = built();

    /** Builds. */
    @Actor
    public void build() {
      filter.rebuildNow().join();
    }

    /** Puts. */
    @Actor
    public void put() {
      filter.putLong(KEY);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(Z_Result result) {
      result.r1 = filter.mightContainLong(KEY);
      filter.close();
    }
  }

  /** A key that was put is asked for while generations swap. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class AskWhileAGenerationSwaps {
    private final RebuildingFilter<Long> filter = built();

    /** Puts the key, which the source does not have. */
    public AskWhileAGenerationSwaps() {
      filter.putLong(KEY);
    }

    /** Builds. */
    @Actor
    public void build() {
      filter.rebuildNow().join();
      filter.close();
    }

    /** Asks many times, as a build takes a while. */
    @Actor
    public void ask(Z_Result result) {
      boolean here = true;
      for (int i = 0; i < 1_000; i++) {
        here &= filter.mightContainLong(KEY);
      }
      result.r1 = here;
    }
  }

  /** A folder of its own, and what is in it. */
  abstract static class Folder {
    final Path folder = make();

    private static Path make() {
      try {
        return Files.createTempDirectory("woodbird-stress");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    final void delete() {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A mapped file is closed while it is asked. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here, or refused")
  @State
  public static class AskWhileAFileCloses extends Folder {
    private final OpenFilter<Long> filter;

    /** Opens it. */
    public AskWhileAFileCloses() {
      try {
        Path path = folder.resolve("keys.wbird");
        Woodbird.frozen(Keys.longs()).seed(1).buildFrom(List.of(1L, KEY)).save(path);
        filter = Woodbird.map(path, Keys.longs());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Closes. */
    @Actor
    public void close() {
      filter.close();
    }

    /** Asks. */
    @Actor
    public void ask(Z_Result result) {
      result.r1 = true;
      try {
        for (int i = 0; i < 100; i++) {
          result.r1 &= filter.mightContainLong(KEY);
        }
      } catch (IllegalStateException e) {
        // It is closed, and says so.
      }
    }

    /** Removes the file. */
    @Arbiter
    public void end() {
      delete();
    }
  }

  /** A put that must be on disk returns while the journal is replaced by the next one. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here after a crash")
  @State
  public static class PutWhileAJournalSwitches extends Folder {
    private final DurableFilter<Long> filter;

    /** Opens it. */
    public PutWhileAJournalSwitches() {
      filter = open(folder);
    }

    private static DurableFilter<Long> open(Path folder) {
      try {
        Files.createDirectories(folder);
        return Woodbird.bloom(Keys.longs(), 100)
            .seed(1)
            .journalEveryPut()
            .file(folder.resolve("keys.wbird"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Replaces the journal. */
    @Actor
    public void fold() {
      Folding.fold(filter);
    }

    /** Puts. */
    @Actor
    public void put() {
      filter.putLong(KEY);
    }

    /** Looks at a copy of the files, as a process finds them after a crash. */
    @Arbiter
    public void look(Z_Result result) {
      try (Stream<Path> files = Files.list(folder)) {
        Path copy = Files.createDirectory(folder.resolve("copy"));
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
        try (DurableFilter<Long> later = open(copy)) {
          result.r1 = later.mightContainLong(KEY);
        }
        filter.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      delete();
    }
  }
}
