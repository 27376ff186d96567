package io.woodbird.cli.verb;

import io.woodbird.DeletableFilter;
import io.woodbird.FilterFullException;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyHasher;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;

/** {@code add} and its reverse: change the keys of a filter file. */
public record ChangeVerb(boolean removes) implements Verb {
  /*
   * The filter is read, changed in memory, and saved as `build` saves it: a new file is written beside
   * it, forced to disk, and renamed. So the file is the old one or the new one at every moment, and
   * when the summary is said, the new one is on disk. A failure on the way changes nothing.
   */
  @Override
  public Spec spec() {
    return (removes ? remove() : add())
        .arguments("FILTER [KEY...]", 1, Integer.MAX_VALUE)
        .options(
            Option.file("from", "read the lines from this file"),
            Option.file("secret", "the 16 bytes that the filter was built under"),
            Option.flag("json", "one JSON object, schema woodbird." + name() + "/1"))
        .options(Spec.INPUT)
        .build();
  }

  private static Spec.Builder add() {
    return Spec.of("add", "put keys into a filter file")
        .about(
            """
            Puts each KEY, or each line of stdin (or --from), into a filter of the family bloom,
            bloom-classic, deletable, counting or growing, or into a window, which forgets its oldest keys
            for them. A frozen filter takes no keys: build it again.

            The file is replaced when all keys are in: it is the old one or the new one, also after a
            crash, and what the summary counts is on disk. One process at a time: FILTER.lock keeps a
            second one out. A deletable filter counts, so a key that is added twice must be removed twice.
            Memory: the filter.""")
        .options(Option.flag("strict", "fail (exit 5) if there are more keys than planned"))
        .example("woodbird add seen.wbird alice bob", "two keys more")
        .example("woodbird add seen.wbird < today.txt", "each line");
  }

  private static Spec.Builder remove() {
    return Spec.of("remove", "remove keys from a filter file")
        .about(
            """
            Takes each KEY, or each line of stdin (or --from), out of a filter of the family deletable,
            counting or growing: each line undoes one 'add' of it. The file is replaced as by 'add'.

            Remove only what was added. A filter does not store its keys, so a key that was never added may
            look as if it were here (at the error rate of the filter). To remove it damages another key,
            which is then called "not here" although it was added, and nothing shows that afterwards. Exit
            code 10 if a KEY was certainly not here; it changes nothing.""")
        .example("woodbird remove users.wbird alice", "undoes one 'add' of alice")
        .example("woodbird remove users.wbird --from left.txt", "each line");
  }

  private String name() {
    return removes ? "remove" : "add";
  }

  @Override
  @SuppressWarnings("try") // The lock is held, and not looked at.
  public int run(Call call) throws IOException {
    Format format = Format.of(call);
    List<String> words = CheckVerb.keys(call);
    Path given = Source.pathOf(call.words().get(0));
    requireAble(given, Filters.header(given));
    Path path = given.toRealPath(); // What a save replaces.
    Change change;
    try (Closeable held = Filters.lock(path)) {
      requireOneName(path);
      BasicFileAttributes before = Files.readAttributes(path, BasicFileAttributes.class);
      FileHeader header = Filters.header(path);
      change = new Change(call, given, header);
      if (words.isEmpty()) {
        change.lines(format);
      } else {
        change.words(words);
      }
      change.checkPlan();
      requireSame(path, before);
      boolean signed = !header.signer(path).isEmpty();
      new Target(given.toString(), path, true).save(change.filter);
      if (signed) {
        call.voice().warn(given + " is no longer signed: sign it again");
      }
    }
    change.report(); // After the lock, which says at its end whether it kept others out.
    CheckVerb.hintAtFiles(call, words);
    return removes && !words.isEmpty() && change.changed < change.asked
        ? ExitCode.NO
        : ExitCode.DONE;
  }

  private void requireAble(Path path, FileHeader header) {
    List<String> abilities = Family.abilityList(header.kind());
    boolean ofTime = header.windowSeconds() > 0;
    if (abilities.contains(removes ? "delete" : "put") && !ofTime) {
      return;
    }
    throw Problem.WRONG_FAMILY.failure(
        "%s is a %s filter, which %s"
            .formatted(
                path, header.family(), removes ? "can't remove keys." : "takes no keys here."),
        removes
            ? "Only deletable, counting and growing filters can."
            : ofTime
                ? "The time of a window stands still in a file; only a program can go on with it."
                : "Only bloom, bloom-classic, deletable, counting and growing filters do, and windows"
                    + " of the last keys.",
        "woodbird build --family " + (removes ? "deletable" : "growing") + " FILE...");
  }

  /** A save gives one name of the file a new one, and its other names would lack the keys. */
  private static void requireOneName(Path path) throws IOException {
    if (path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && (Integer) Files.getAttribute(path, "unix:nlink") > 1) {
      throw Problem.CANNOT_WRITE.failure(
          path + " has several names (hard links).",
          "The other names would keep the filter as it is now.",
          "cp instead of ln");
    }
  }

  /** Notices a file that was built again meanwhile: to save would bring the old one back. */
  private static void requireSame(Path path, BasicFileAttributes before) throws IOException {
    BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
    if (!Objects.equals(now.fileKey(), before.fileKey())
        || !now.lastModifiedTime().equals(before.lastModifiedTime())
        || now.size() != before.size()) {
      throw Filters.replaced(path, null);
    }
  }

  /** One change, in memory. */
  private final class Change {
    private final Call call;
    private final Path path;
    private final FileHeader header;
    private final KeyHasher<ByteBuffer> keys;
    private final MutableFilter<ByteBuffer> filter;
    private long asked;
    private long changed;

    Change(Call call, Path path, FileHeader header) throws IOException {
      this.call = call;
      this.path = path;
      this.header = header;
      requireAble(path, header);
      this.keys = LineKeys.of(call, path, header.keyId());
      if (!(Filters.load(path, header) instanceof MutableFilter<ByteBuffer> takesKeys)) {
        throw Filters.patched(path); // Its family takes keys, but not under a delta.
      }
      this.filter = takesKeys;
    }

    void words(List<String> words) {
      long[] hashes = new long[words.size()];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = keys.hash(CheckVerb.bytesOf(words.get(i)), header.seed());
      }
      apply(hashes, hashes.length);
    }

    void lines(Format format) throws IOException {
      List<Source> sources = Source.from(call);
      try (Progress progress = call.progress();
          Reading reading = new Reading(call, sources, format, progress, "reading")) {
        new HashedLines(reading, keys, header.seed()).forEach(this::apply);
        progress.wipe();
        reading.warn(call.voice());
      }
      Stop.check();
    }

    private void apply(long[] hashes, int number) {
      asked += number;
      if (removes) {
        DeletableFilter<ByteBuffer> deletable = (DeletableFilter<ByteBuffer>) filter;
        for (int i = 0; i < number; i++) {
          changed += deletable.removeHash(hashes[i]) ? 1 : 0;
        }
        return;
      }
      try {
        changed += filter.putHashes(hashes, number);
      } catch (FilterFullException e) {
        throw Filters.full(e, path + " is as it was.", "woodbird build -n N (with more room)");
      }
    }

    /** Warns or fails if a filter that goes on when it is full holds too many keys. */
    void checkPlan() {
      if (!removes && !header.kind().equals("window")) { // A window forgets keys instead.
        Filters.checkPlan(
            call, path, filter.stats(), "Nothing was written.", "build it with a larger -n");
      }
    }

    void report() throws IOException {
      FilterStats stats = filter.stats();
      if (call.has("json")) {
        call.print(
            Json.report("woodbird." + name() + "/1")
                .put("file", path.toString())
                .put("family", header.family())
                .put("lines", asked)
                .put(removes ? "removed" : "new", changed)
                .put("keys", stats.estimatedKeys())
                .put("capacity", stats.expectedKeys())
                .put("bytes", filter.sizeInBytes())
                .put("fpp", stats.currentFpp())
                .put("promisedFpp", stats.promisedFpp()));
        return;
      }
      call.say(
          "%s  %s, %s; now about %s, %s, %s wrong \"maybe\"",
          path,
          removes ? Units.count(changed) + " removed" : Units.count(asked, "key") + " added",
          removes
              ? Units.count(asked - changed) + " not here before"
              : Units.count(changed) + " of them new",
          Units.count(stats.estimatedKeys(), "key"),
          Units.bytes(filter.sizeInBytes()),
          Units.chance(stats.currentFpp()));
    }
  }
}
