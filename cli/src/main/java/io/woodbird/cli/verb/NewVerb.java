package io.woodbird.cli.verb;

import io.woodbird.BloomBuilder;
import io.woodbird.DurableFilter;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashSet64;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Lines;
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
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code new}: passes lines never seen before, and remembers them in a file. */
public final class NewVerb implements Verb {
  /*
   * A line must not be lost in a crash, so it is written before it is remembered: lines go to stdout,
   * stdout is flushed, then their hashes are added and the filter is checkpointed. After a crash in
   * between, the lines since the last checkpoint are passed again, and none is lost. In the other order
   * a hash could reach the disk before its line left the buffer, and the line would never be passed.
   * If stdout is a file, it is forced to the disk first. What a pipe has taken is out of our hands: the
   * program behind it may crash with lines that it has not worked off.
   *
   * Until its hash is added to the filter, a new line is in a small exact set, so that it is not passed
   * twice.
   */
  private static final long DEFAULT_KEYS = 10_000_000;
  private static final double DEFAULT_FPP = 1e-6;
  private static final int DEFAULT_CHECKPOINT = 100_000;
  private static final long IDLE_NANOS = 1_000_000_000L;

  @Override
  public Spec spec() {
    return Spec.of("new", "pass only lines never seen before, and remember them")
        .arguments("[FILE...]", 0, Integer.MAX_VALUE)
        .about(
            """
            Like "uniq" without sorting, over many runs: lines that --state has not seen are passed and
            remembered. The state survives kill -9 and power cuts. After a crash give the input again: at
            most --checkpoint lines are passed a second time. No line is lost if stdout is a file. Lines
            that went into a pipe are remembered, also if the program behind it crashed with them: where
            that matters, write a file (a new one for each run) and let that program read it.

            It is a filter: of lines never seen, a share of --fpp (one in a million) is taken for seen and
            not passed. -n and --fpp count when the file is made and are remembered in it.""")
        .options(
            Option.file("state", "the file that remembers; made if it is not there").letter('s'),
            Option.value("keys", "N", "how many lines it should remember (default 10M)")
                .letter('n'),
            Option.value("fpp", "P", "new lines taken for seen (default 1e-6)").letter('p'),
            Option.value("checkpoint", "N", "lines between two checkpoints (default 100k)"),
            Option.flag("strict", "stop (exit 5) when more lines are remembered than planned"),
            Option.flag("json", "the summary as JSON on stderr, schema woodbird.new/1"))
        .options(Spec.KEYS)
        .options(Spec.INPUT)
        .example("crawl | woodbird new --state seen.wbird | fetch", "each URL once, over all runs")
        .example(
            "crawl | woodbird new -s seen.wbird > urls.7 && fetch < urls.7",
            "the same, and no URL is lost if fetch crashes")
        .example("woodbird new -s seen.wbird -n 1e9 today.txt > fresh.txt", "a billion lines")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    String state = call.text("state");
    if (state == null) {
      throw Problem.MISSING.failure(
          "'new' needs --state FILE.",
          "That is where it remembers what it has seen.",
          "--state seen.wbird");
    }
    Path path = Source.pathOf(state);
    int checkpoint =
        call.count(
            "checkpoint",
            DEFAULT_CHECKPOINT,
            1 << 24,
            "Lines since the last checkpoint are kept in memory.");
    Format format = Format.of(call);
    List<Source> sources = Source.of(call.words());
    sources.forEach(Source::requireNotStdout);
    Stop.willLook();
    FilterStats[] over = new FilterStats[1];
    try (DurableFilter<ByteBuffer> seen = open(call, path, over)) {
      call.say(
          "%s: %s; after a crash at most %s %s again",
          path,
          seen.recovery(),
          Units.count(checkpoint, "line"),
          checkpoint == 1 ? "comes" : "come");
      return new Run(call, path, format, seen, checkpoint, over).run(sources);
    }
  }

  private static DurableFilter<ByteBuffer> open(Call call, Path path, @Nullable FilterStats[] over)
      throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw Problem.CANNOT_WRITE.failure(
          path + " can't be written.", "There is no folder " + folder + ".", "mkdir -p " + folder);
    }
    FileHeader header = Files.exists(path) ? Filters.header(path) : null;
    long keys = call.count("keys", header == null ? DEFAULT_KEYS : header.expectedKeys());
    double fpp = call.probability("fpp", header == null ? DEFAULT_FPP : header.promisedFpp());
    KeyHasher<ByteBuffer> hasher =
        header == null ? LineKeys.of(call) : keysOf(call, path, header.keyId());
    if (header != null && !header.isBloom()) {
      throw Problem.WRONG_FAMILY.failure(
          path + " is a " + header.family() + " filter, which 'new' can't use.",
          "'new' remembers in a bloom filter.",
          "--state another file");
    }
    boolean same = header != null && header.expectedKeys() == keys && header.promisedFpp() == fpp;
    long budget = header != null && same ? Filters.budget(header) : 0;
    BloomBuilder<ByteBuffer> builder;
    try {
      builder = Woodbird.bloom(hasher, keys).onOverfull(stats -> over[0] = stats);
      builder = budget > 0 ? builder.maxBytes(budget) : builder.fpp(fpp);
      if (header != null && header.layout() != FileHeader.BLOCKED_BLOOM) {
        builder.classic();
      }
      builder.plan();
    } catch (IllegalArgumentException e) {
      throw Filters.impossible(Problem.BUDGET, e);
    }
    try {
      return builder.file(path);
    } catch (IncompatibleFilterException e) {
      if (same) {
        throw Filters.patched(path); // Nothing else about it can differ.
      }
      throw Problem.OTHER_FILTER.failure(
          e,
          path + " was made with another -n or -p.",
          header == null
              ? String.valueOf(e.getMessage())
              : "It was made with -n %s -p %s; now -n %s -p %s is asked for."
                  .formatted(header.expectedKeys(), header.promisedFpp(), keys, fpp),
          "run without -n and -p",
          "--state another file");
    } catch (io.woodbird.CorruptFilterException e) {
      throw Filters.damaged(path, e);
    } catch (IOException e) {
      throw Filters.inUse(path, e);
    }
  }

  /** The keys of the state; if the command names their form, it must be this one. */
  private static KeyHasher<ByteBuffer> keysOf(Call call, Path path, String id) throws IOException {
    KeyHasher<ByteBuffer> keys = LineKeys.of(call, path, id);
    boolean named = Stream.of("key", "hex", "lower", "url").anyMatch(call::has);
    String asked = LineKeys.of(call).id();
    if (named && !asked.equals(id)) {
      throw Problem.OTHER_FILTER.failure(
          path + " has keys of another form.",
          "Its keys are \"" + id + "\"; now \"" + asked + "\" is asked for.",
          "run without --key, --hex, --lower and --url",
          "--state another file");
    }
    return keys;
  }

  /** One run over the input. */
  private static final class Run {
    private final Call call;
    private final Path path;
    private final Format format;
    private final DurableFilter<ByteBuffer> seen;
    private final int checkpoint;
    private final @Nullable FilterStats[] over;
    private final HashSet64 pending;
    private long fresh;
    private boolean warned;
    private long committed = System.nanoTime();

    Run(
        Call call,
        Path path,
        Format format,
        DurableFilter<ByteBuffer> seen,
        int checkpoint,
        @Nullable FilterStats[] over) {
      this.call = call;
      this.path = path;
      this.format = format;
      this.seen = seen;
      this.checkpoint = checkpoint;
      this.over = over;
      this.pending = new HashSet64(checkpoint);
    }

    int run(List<Source> sources) throws IOException {
      try (Progress progress = call.progress();
          Reading reading = new Reading(call, sources, format, progress, "reading")) {
        call.out().lookForDisk();
        boolean stopped = readAll(reading);
        commit();
        progress.wipe();
        reading.warn(call.voice());
        report(reading.lines());
        return stopped ? ExitCode.INTERRUPTED : ExitCode.DONE;
      }
    }

    /** Reads to the end, or to Ctrl-C; then it returns true. */
    private boolean readAll(Reading reading) throws IOException {
      try {
        for (int count = reading.next(); count > 0; count = reading.next()) {
          take(reading.batch(), count);
          boolean waits = reading.batch().wouldWait();
          if (waits || call.isTerminal("out")) {
            call.out().flush();
          }
          if (waits && System.nanoTime() - committed > IDLE_NANOS) {
            commit();
          }
        }
        return false;
      } catch (CancellationException e) {
        return true;
      }
    }

    private void take(Lines batch, int count) throws IOException {
      OutputStream out = call.out();
      for (int i = 0; i < count; i++) {
        long hash = seen.hashOf(batch.key(i));
        if (!seen.mightContainHash(hash) && pending.add(hash)) {
          fresh++;
          batch.write(i, out);
          if (pending.size() == checkpoint) {
            commit();
          }
        }
      }
    }

    /** Writes the lines out first, and then remembers them: see the comment at the top. */
    private void commit() throws IOException {
      committed = System.nanoTime();
      if (pending.size() == 0) {
        call.out().flush();
        return;
      }
      call.out().flushToDisk();
      seen.putHashes(pending.hashes(), pending.size());
      seen.checkpoint();
      pending.clear();
      checkPlan();
    }

    private void checkPlan() {
      FilterStats stats = over[0];
      if (stats == null) {
        return;
      }
      String what =
          "%s remembers more lines than planned (%s): now %s of new lines are taken for seen, not %s"
              .formatted(
                  path,
                  Units.count(stats.expectedKeys()),
                  Units.chance(stats.currentFpp()),
                  Units.chance(stats.promisedFpp()));
      if (call.has("strict")) {
        throw Problem.OVER_PLAN.failure(
            what + ".",
            "What was passed is remembered.",
            "a new --state with -n " + 2 * stats.expectedKeys());
      }
      if (!warned) {
        warned = true;
        call.voice().warn(what);
      }
    }

    private void report(long lines) {
      if (call.has("json")) {
        FilterStats stats = seen.stats();
        call.voice()
            .report(
                Json.report("woodbird.new/1")
                    .put("state", path.toString())
                    .put("lines", lines)
                    .put("new", fresh)
                    .put("seen", lines - fresh)
                    .put("remembered", stats.estimatedKeys())
                    .put("capacity", stats.expectedKeys())
                    .put("fppNow", stats.currentFpp())
                    .put("recoveredKeys", seen.recovery().replayedKeys())
                    .put("clean", seen.recovery().clean())
                    .put("checkpointLines", checkpoint));
      } else {
        call.say(
            "%s: %s new, %s seen before",
            Units.count(lines, "line"), Units.count(fresh), Units.count(lines - fresh));
      }
    }
  }
}
