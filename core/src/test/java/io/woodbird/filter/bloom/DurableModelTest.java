package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomBuilder;
import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random operations on a durable filter, with crashes, beside a plain set of keys. */
class DurableModelTest {
  private static final int EXPECTED = 300_000;

  @TempDir private Path folder;

  @Test
  void noKeyThatIsSafe_isEverLost() throws IOException {
    // 500 steps, about 50 of them crashes: a fault that one crash in ten shows is missed once in
    // 190 runs (0.9^50).
    for (long seed = 0; seed < 5; seed++) {
      new Model(seed, folder.resolve("model-" + seed)).run(100);
    }
  }

  @Tag("slow")
  @Test
  void noKeyThatIsSafe_isEverLost_inManyRuns() throws IOException {
    for (long seed = 1000; seed < 1100; seed++) {
      new Model(seed, folder.resolve("model-" + seed)).run(300);
    }
  }

  private static BloomBuilder<Long> builder(boolean everyPut) {
    BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), EXPECTED);
    return everyPut ? builder.journalEveryPut() : builder;
  }

  /** One run: a filter, and what must be in it now, and after a crash. */
  private static final class Model {
    private final long seed;
    private final SplittableRandom random;
    private final boolean everyPut;
    private final Set<Long> put = new HashSet<>();
    private final Set<Long> safe = new HashSet<>();
    private Path path;
    private int folders;
    private DurableFilter<Long> filter;

    /** How many bytes of the newest journal are on disk for certain; the rest may be lost. */
    private long safeJournalBytes;

    Model(long seed, Path folder) throws IOException {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.everyPut = random.nextInt(4) == 0;
      this.path = Files.createDirectories(folder.resolve("0")).resolve("seen.wbird");
      this.filter = builder(everyPut).file(path);
      this.safeJournalBytes = Files.size(newestJournal());
    }

    void run(int steps) throws IOException {
      for (int step = 0; step < steps; step++) {
        switch (random.nextInt(10)) {
          case 0 -> checkpoint();
          case 1 -> crash();
          case 2 -> reopen();
          case 3 -> putMany(random.nextInt(everyPut ? 500 : 60_000));
          default -> putMany(random.nextInt(50));
        }
        if (step % 10 == 0) {
          check(put, "step " + step);
        }
      }
      filter.close();
    }

    private void putMany(int count) {
      for (int i = 0; i < count; i++) {
        long key = random.nextInt(2_000_000);
        boolean fresh = filter.putLong(key);
        if (!put.add(key) && fresh) {
          throw new AssertionError("lost " + key + ", seed " + seed);
        }
      }
      if (everyPut) {
        safe.addAll(put);
      }
    }

    private void checkpoint() throws IOException {
      filter.checkpoint();
      safe.addAll(put);
      safeJournalBytes = Files.size(newestJournal());
    }

    private Path newestJournal() throws IOException {
      try (Stream<Path> files = Files.list(path.getParent())) {
        return files
            .filter(file -> file.getFileName().toString().contains(".journal-"))
            .max((a, b) -> Long.compare(number(a), number(b)))
            .orElseThrow();
      }
    }

    private static long number(Path journal) {
      String name = journal.getFileName().toString();
      return Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
    }

    private void reopen() throws IOException {
      filter.close();
      filter = builder(everyPut).file(path);
      assertThat(filter.recovery().clean()).as("seed " + seed).isTrue();
      safe.addAll(put);
      safeJournalBytes = Files.size(newestJournal());
    }

    /** Goes on with a copy of the files, whose journal may lack or garble what was not synced. */
    private void crash() throws IOException {
      Path journal = newestJournal();
      Path copies = Files.createDirectories(path.getParent().resolveSibling("" + ++folders));
      try (Stream<Path> files = Files.list(path.getParent())) {
        for (Path file : files.toList()) {
          Files.copy(file, copies.resolve(file.getFileName()));
        }
      }
      filter.close();
      deleteFolder(path.getParent());
      path = copies.resolve("seen.wbird");
      if (!everyPut) {
        tear(copies.resolve(journal.getFileName()));
      }
      filter = builder(everyPut).file(path);
      assertThat(filter.recovery().clean()).as("seed " + seed).isFalse();
      check(safe, "crash " + folders);
      put.clear();
      put.addAll(safe);
      safeJournalBytes = Files.size(newestJournal());
    }

    private static void deleteFolder(Path folder) throws IOException {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }

    private void tear(Path journal) throws IOException {
      long length = Files.size(journal);
      long kept = safeJournalBytes + random.nextLong(length - safeJournalBytes + 1);
      try (FileChannel channel = FileChannel.open(journal, StandardOpenOption.WRITE)) {
        channel.truncate(kept);
        if (random.nextBoolean()) {
          byte[] rubbish = new byte[random.nextInt(200)];
          random.nextBytes(rubbish);
          channel.write(ByteBuffer.wrap(rubbish), kept);
        }
      }
    }

    private void check(Set<Long> keys, String where) {
      int lost = 0;
      for (long key : keys) {
        lost += filter.mightContainLong(key) ? 0 : 1;
      }
      assertThat(lost).as("seed " + seed + ", " + where).isZero();
    }
  }
}
