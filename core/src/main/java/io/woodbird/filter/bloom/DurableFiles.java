package io.woodbird.filter.bloom;

import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.DurableFilter.Recovery;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.Journal;
import io.woodbird.file.JournalReader;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HashedFilter;
import io.woodbird.filter.StoredFilters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of one durable filter: how they are named, found and recovered. */
public record DurableFiles(Path path, int headerCrc) {
  /**
   * How a filter is opened.
   *
   * @param fixedSeed whether a file with another seed is refused
   * @param everyPut whether each put is on disk before it returns
   * @param acceptLostKeys whether a filter is opened that has lost keys it had promised to keep
   */
  public record Choices(boolean fixedSeed, boolean everyPut, boolean acceptLostKeys) {}

  /**
   * Opens the filter at a path, or makes it.
   *
   * @param spec what to make; the seed of a file that exists is kept, unless it is fixed
   */
  public static <K> DurableFilter<K> open(
      Path path,
      FilterSpec<K> spec,
      BloomShape shape,
      Choices choices,
      @Nullable Consumer<FilterStats> overfull)
      throws IOException {
    Path file = DurableLock.realPath(path);
    DurableLock.Held lock = DurableLock.lock(file);
    try {
      FileWriter.removeUnfinished(file);
      boolean create = !DurableLock.exists(file);
      Loaded<K> loaded =
          create
              ? new Loaded<>(BloomFilters.onHeap(spec, shape, overfull), 0)
              : load(file, spec, choices.fixedSeed(), shape, overfull);
      HeapBloomFilter<K> filter = loaded.filter;
      DurableFiles files = new DurableFiles(file, BloomCodec.header(shape, filter.spec()).crc());
      NavigableMap<Long, Path> journals = files.journals();
      if (create) {
        if (!journals.isEmpty()) {
          throw new CorruptFilterException(
              "there is no " + file + " but a journal of it: " + journals.firstEntry().getValue());
        }
        files.save(
            filter,
            0,
            lock::requireHeld); // Before there is a journal, which is nothing without a file.
      } else {
        DurableLock.requireOneName(file);
      }
      Recovery recovery = files.replay(create, loaded.firstJournal, journals, filter::set);
      if (!recovery.losses().isEmpty() && !choices.acceptLostKeys()) {
        throw new CorruptFilterException(
            "keys that were safe are lost: "
                + String.join("; ", recovery.losses())
                + "; acceptLostKeys() opens the filter without them");
      }
      filter.recount();
      long last = journals.isEmpty() ? loaded.firstJournal : journals.lastKey();
      return new DurableBloomFilter<>(
          files, filter, choices.everyPut(), recovery, lock, Math.max(last, loaded.firstJournal));
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
  }

  private record Loaded<K>(HeapBloomFilter<K> filter, long firstJournal) {}

  private static <K> Loaded<K> load(
      Path file,
      FilterSpec<K> wanted,
      boolean fixedSeed,
      BloomShape shape,
      @Nullable Consumer<FilterStats> overfull)
      throws IOException {
    try (StoredFile stored = FileReader.openToCopy(file)) {
      FilterSpec<K> found = StoredFilters.spec(stored, wanted.keys());
      LayoutId layout = stored.header().layout();
      if (layout != LayoutId.BLOCKED_BLOOM && layout != LayoutId.CLASSIC_BLOOM) {
        throw new IncompatibleFilterException(file + " holds another kind of filter: " + layout);
      }
      BloomShape foundShape = BloomCodec.shape(stored.header());
      if (!foundShape.equals(shape)
          || found.expectedKeys() != wanted.expectedKeys()
          || (fixedSeed && found.seed() != wanted.seed())) {
        throw new IncompatibleFilterException(
            "%s holds another filter\n  found:   %s\n  wanted:  %s"
                .formatted(file, describe(found, foundShape), describe(wanted, shape)));
      }
      return new Loaded<>(BloomCodec.copy(found, stored, overfull), stored.header().journal());
    } catch (CorruptFilterException e) {
      throw new CorruptFilterException(file + ": " + e.getMessage());
    }
  }

  private static String describe(FilterSpec<?> spec, BloomShape shape) {
    return String.format(
        Locale.ROOT,
        "%,d keys, fpp %s, %s, %,d bits, seed %d",
        spec.expectedKeys(),
        spec.promisedFpp(),
        shape.describe(),
        shape.wordCount() * 64,
        spec.seed());
  }

  /*
   * Which journals must be there. A file that names a journal lacks its keys, and those of all later
   * ones: that journal was whole before the file named it, and each that ended went on in the next,
   * which was whole before. Journals before the one that the file names are left over from a fold:
   * their keys are in the file. A file that names none is whole. Journals beside it are left over from
   * closing or from beginning to open, or somebody restored an older file and forgot to remove them.
   * They are read, which does no harm.
   */
  private Recovery replay(
      boolean created, long first, NavigableMap<Long, Path> journals, LongConsumer hashes)
      throws IOException {
    long count = 0;
    long dropped = 0;
    List<String> losses = new ArrayList<>();
    NavigableMap<Long, Path> needed = journals.tailMap(first, true);
    long next = first;
    boolean required = first != 0; // The next one.
    for (var journal : needed.entrySet()) {
      long number = journal.getKey();
      if (first != 0 && number != next) {
        losses.add(journal(next) + " is missing");
        required = true;
      }
      JournalReader.Replay replay =
          JournalReader.replay(journal.getValue(), number, headerCrc, hashes);
      count += replay.hashes();
      dropped += replay.droppedBytes();
      if (replay.loss() != null) {
        losses.add(replay.loss());
      } else if (required && replay.unfinished()) {
        losses.add(journal.getValue() + ": cut short, although it had been whole");
      }
      next = number + 1;
      required = first != 0 && replay.ended();
    }
    if (required) {
      losses.add(journal(next) + " is missing");
    }
    boolean clean = first == 0 && needed.isEmpty();
    return new Recovery(created, clean, count, dropped, List.copyOf(losses));
  }

  /**
   * Writes the filter's file, whole or, with a number, as of the beginning of that journal. The
   * condition is that no other process may have written it since it was read.
   */
  void save(HeapBloomFilter<?> filter, long firstJournal, FileWriter.Condition held)
      throws IOException {
    HashedFilter.Image image = filter.image();
    Header header = image.header().withJournal(firstJournal);
    FileWriter.save(header, image.data(), image.sections(), path, held);
  }

  Journal newJournal(long number) throws IOException {
    if (number > Header.MAX_JOURNAL) {
      throw new IOException("no number is left for a journal; close the filter and open it again");
    }
    Journal journal = Journal.create(journal(number), number, headerCrc);
    try {
      // Whoever may not read the filter may not read its newest hashes.
      FileWriter.copyPermissions(path, journal(number));
    } catch (Throwable e) {
      journal.close();
      Files.deleteIfExists(journal(number));
      throw e;
    }
    return journal;
  }

  /** Removes the journals up to a number. */
  void removeJournals(long upTo) throws IOException {
    for (Path journal : journals().headMap(upTo, true).values()) {
      Files.delete(journal);
    }
  }

  Path journal(long number) {
    return path.resolveSibling(prefix() + number);
  }

  private String prefix() {
    return path.getFileName() + ".journal-";
  }

  private NavigableMap<Long, Path> journals() throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (Stream<Path> siblings = Files.list(path.getParent())) {
      for (Path sibling : (Iterable<Path>) siblings::iterator) {
        String name = sibling.getFileName().toString();
        if (name.startsWith(prefix())
            && name.substring(prefix().length()).matches("[1-9][0-9]{0,9}")) {
          found.put(Long.parseLong(name.substring(prefix().length())), sibling);
        }
      }
    }
    return found;
  }
}
