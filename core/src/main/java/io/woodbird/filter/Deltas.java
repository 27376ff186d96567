package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.file.DifferencePatch;
import io.woodbird.file.FileDifference;
import io.woodbird.file.FileEdit;
import io.woodbird.file.FileReader;
import io.woodbird.file.Header;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.frozen.BuildSettings;
import io.woodbird.filter.frozen.DeltaBuild;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** Makes deltas between a file and a list of keys, and applies them. */
public final class Deltas {
  private Deltas() {}

  /** Makes a delta and returns its header. The settings of the build are made for a seed. */
  public static <K> Header build(
      Path base,
      KeyHasher<K> keys,
      LongFunction<BuildSettings<K>> settings,
      Iterator<? extends K> now,
      Iterator<? extends K> before,
      Path target)
      throws IOException {
    try (StoredFile file = StoredFilters.file(base, OpenRules.ANY)) {
      Overlay.requireTakesDeltas(file.header());
      file.requireWhole(base + ": ");
      file.verify(); // A damaged page would say "maybe" for keys that have to be added.
      Header header = file.header();
      StoredFilters.spec(file, keys); // Refuses other keys.
      OpenFilter<Long> filter = StoredFilters.plain(file, new HashesAsKeys(header.keyId()));
      return new DeltaBuild<>(
              settings.apply(header.seed()), new Base(file, filter), header.promisedFpp())
          .toFile(now, before, file.reference(), target);
    }
  }

  /** The base, which must stay as it was verified while it is asked. */
  static final class Base implements DeltaBuild.Base {
    private final StoredFile file;
    private final OpenFilter<Long> filter;

    /** Whether an answer was in doubt, as where the system could not read a mapped page once. */
    private boolean doubted;

    Base(StoredFile file, OpenFilter<Long> filter) {
      this.file = file;
      this.filter = filter;
    }

    @Override
    public boolean denies(long hash) {
      Answer answer = filter.ask(hash);
      doubted |= answer == Answer.UNKNOWN;
      return answer == Answer.NOT_HERE;
    }

    @Override
    public void requireSound() throws CorruptFilterException {
      List<String> doubts = file.doubts();
      if (doubted || !doubts.isEmpty()) {
        throw new CorruptFilterException(
            "the base can't be trusted: "
                + (doubts.isEmpty() ? "not all of it could be read" : String.join("; ", doubts)));
      }
    }
  }

  /** Makes a delta between two files, and returns its header. */
  public static Header between(Path old, Path now, Path target) throws IOException {
    try (StoredFile oldFile = StoredFilters.file(old, OpenRules.ANY);
        StoredFile newFile = StoredFilters.file(now, OpenRules.ANY)) {
      oldFile.requireWhole(old + ": ");
      newFile.requireWhole(now + ": ");
      return FileDifference.write(oldFile, old, newFile, now, target);
    }
  }

  /**
   * Writes the file that a delta makes of its base: the base with the delta laid over it, in place
   * of one that it may have, or the new file, if the delta was made between two files.
   */
  public static void patch(Path base, Path delta, Path target, OpenRules rules) throws IOException {
    FileEdit.Replaced replaced = FileEdit.Replaced.of(base, target);
    if (DifferencePatch.isFor(delta)) {
      try (StoredFile file = StoredFilters.file(base, rules);
          StoredFile edits = Overlay.verified(() -> FileReader.open(delta, rules))) {
        file.requireWhole(base + ": ");
        DifferencePatch.apply(base, edits, rules, replaced);
      }
      return;
    }
    if (Files.size(delta) > FileEdit.MAX_OVERLAY_BYTES) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "the delta has %,d bytes, where none has more than %,d",
              Files.size(delta),
              FileEdit.MAX_OVERLAY_BYTES));
    }
    byte[] bytes = Files.readAllBytes(delta);
    Overlay overlay = Overlay.read(bytes, rules);
    try (StoredFile file = StoredFilters.file(base, rules)) {
      file.requireWhole(base + ": ");
      overlay.requireBase(file);
      FileEdit.patch(file, bytes, replaced);
    }
  }
}
