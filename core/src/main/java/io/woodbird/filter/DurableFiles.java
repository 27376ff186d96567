package io.woodbird.filter;

import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.DurableFilter.Recovery;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.Journal;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of one durable filter: how they are named, found and brought back. */
public final class DurableFiles {
  private final Path path;
  private final int headerCrc;

  private DurableFiles(Path path, int headerCrc) {
    this.path = path;
    this.headerCrc = headerCrc;
  }

  /**
   * Opens the filter at a path, or makes it.
   *
   * @param setup what to make; the seed of a file that exists is kept, unless {@code fixedSeed}
   */
  public static <K> DurableFilter<K> open(
      Path path,
      Setup<K> setup,
      boolean fixedSeed,
      BloomShape shape,
      boolean everyPut,
      @Nullable Consumer<FilterStats> overfull)
      throws IOException {
    Path file = path.toAbsolutePath();
    Closeable lock = lock(file);
    try {
      FileWriter.removeUnfinished(file);
      boolean create = !Files.exists(file);
      HeapBloomFilter<K> filter =
          create
              ? BloomFilters.onHeap(setup, shape, overfull)
              : load(file, setup, fixedSeed, shape, overfull);
      Header header = BloomCodec.header(shape, filter.setup());
      DurableFiles files = new DurableFiles(file, header.crc());
      List<Path> journals = files.journals(Long.MAX_VALUE);
      if (create) {
        if (!journals.isEmpty()) {
          throw new CorruptFilterException(
              "there is no " + file + " but a journal of it: " + journals.get(0));
        }
        filter.save(file);
      }
      long hashes = 0;
      long dropped = 0;
      for (Path journal : journals) {
        Journal.Replay replay = Journal.replay(journal, header.crc(), filter::set);
        hashes += replay.hashes();
        dropped += replay.droppedBytes();
      }
      Recovery recovery = new Recovery(create, journals.isEmpty(), hashes, dropped);
      return new DurableBloomFilter<>(files, filter, everyPut, recovery, lock);
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Locks two files. On POSIX a process loses its lock on a file as soon as it closes any channel
   * of it, and to refuse a second opener is to close one. So openers in this process are refused at
   * the first file and never come to the second, which keeps other processes out.
   */
  private static Closeable lock(Path file) throws IOException {
    FileChannel here = lockFile(file, ".lock");
    try {
      FileChannel others = lockFile(file, ".lock2");
      return () -> {
        others.close();
        here.close();
      };
    } catch (Throwable e) {
      here.close();
      throw e;
    }
  }

  private static FileChannel lockFile(Path file, String suffix) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file.resolveSibling(file.getFileName() + suffix),
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Open in this process.
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException(file + " is open in another process, or elsewhere in this one");
  }

  private static <K> HeapBloomFilter<K> load(
      Path file,
      Setup<K> wanted,
      boolean fixedSeed,
      BloomShape shape,
      @Nullable Consumer<FilterStats> overfull)
      throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      return StoredFilters.readBloom(
          in,
          wanted.keys(),
          overfull,
          (found, foundShape) -> {
            if (!foundShape.equals(shape)
                || found.expectedKeys() != wanted.expectedKeys()
                || (fixedSeed && found.seed() != wanted.seed())) {
              throw new IncompatibleFilterException(
                  file
                      + " holds another filter\n  found:   "
                      + describe(found, foundShape)
                      + "\n  wanted:  "
                      + describe(wanted, shape));
            }
          });
    }
  }

  private static String describe(Setup<?> setup, BloomShape shape) {
    return String.format(
        Locale.ROOT,
        "%,d keys, fpp %s, %s, %,d bits, seed %d",
        setup.expectedKeys(),
        setup.promisedFpp(),
        shape.describe(),
        shape.wordCount() * 64,
        setup.seed());
  }

  Path path() {
    return path;
  }

  Journal newJournal(long number) throws IOException {
    return Journal.create(journal(number), headerCrc);
  }

  long lastJournal() throws IOException {
    long last = 0;
    for (Path journal : journals(Long.MAX_VALUE)) {
      last = Math.max(last, number(journal));
    }
    return last;
  }

  /** Removes the journals up to a number. */
  void removeJournals(long upTo) throws IOException {
    for (Path journal : journals(upTo)) {
      Files.delete(journal);
    }
  }

  private Path journal(long number) {
    return path.resolveSibling(prefix() + number);
  }

  private String prefix() {
    return path.getFileName() + ".journal-";
  }

  private long number(Path journal) {
    return Long.parseLong(journal.getFileName().toString().substring(prefix().length()));
  }

  private List<Path> journals(long upTo) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> siblings = Files.list(path.getParent())) {
      for (Path sibling : (Iterable<Path>) siblings::iterator) {
        String name = sibling.getFileName().toString();
        if (name.startsWith(prefix())
            && name.substring(prefix().length()).matches("[0-9]{1,18}")
            && number(sibling) <= upTo) {
          found.add(sibling);
        }
      }
    }
    found.sort(java.util.Comparator.comparingLong(this::number));
    return found;
  }
}
