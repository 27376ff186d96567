package io.woodbird.cli.verb;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.BloomLayout;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.FrozenBuilder;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.HashSpool;
import io.woodbird.cli.lines.HashedLines;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code build}: makes a filter file from lines. */
public final class BuildVerb implements Verb {
  /*
   * Without -n the hashes are kept, eight bytes a line, until their number is known, so that the input
   * is read once and may be a pipe. A frozen filter keeps them in any case.
   */
  private static final long DEFAULT_MEMORY = 1L << 30;
  private static final long WORKER_MEMORY = 200L << 20;

  @Override
  public Spec spec() {
    return Spec.of("build", "make a filter file of lines")
        .arguments("[FILE...]", 0, Integer.MAX_VALUE)
        .about(
            """
            Each line is a key, byte for byte. Reads stdin without FILE or where FILE is -. Writes
            users.wbird for users.txt, or the file of -o. The file appears when it is whole; a symbolic
            link stays, and what it points to is replaced. Pipes and devices are written to.

            A UTF-8 byte order mark is part of the first line, with a warning, and no part of a field.

            Families: bloom (the default) takes keys at full speed and can be merged; ribbon is the
            smallest for a list that does not change, fuse is larger and faster to ask; bloom-classic is
            the textbook one. Memory: the filter itself, and at most --memory for hashes; more go to a temporary
            file, 8 bytes a line.""")
        .options(
            Option.file("output", "the filter file; - is stdout").letter('o'),
            Option.value(
                    "fpp", "P", "absent keys called \"maybe\": 0.1%, 1e-3, 1/1000 (default 1%)")
                .letter('p'),
            Option.value("keys", "N", "how many keys there will be, if you know (bloom)")
                .letter('n'),
            Option.value("budget", "SIZE", "the most bytes of the file; the fpp is what they give"),
            Option.value("family", "NAME", "bloom, bloom-classic, ribbon or fuse")
                .choices("bloom", "bloom-classic", "ribbon", "fuse"),
            Option.value("seed", "N", "fix the hash function: same lines, same bytes"),
            Option.file(
                "like", "same family, size and seed as this filter, so that they can merge"),
            Option.value("memory", "SIZE", "for hashes while building (default 1GiB)"),
            Option.file("tmp", "the folder for temporary files"),
            Option.flag("force", "overwrite the output").letter('f'),
            Option.flag("strict", "fail (exit 5) if there are more keys than -n"),
            Option.flag("json", "one JSON object, schema woodbird.build/1"))
        .options(Spec.KEYS)
        .options(Spec.INPUT)
        .example("woodbird build users.txt", "makes users.wbird; \"maybe\" for 1 % of absent keys")
        .example("zcat urls.gz | woodbird build -p 0.1% -o urls.wbird", "from a pipe")
        .example("woodbird build --family ribbon --budget 500MB bad.txt", "the best that fits")
        .example("woodbird build --csv --field email users.csv", "one column of a table")
        .example("woodbird build --like eu.wbird us.txt", "can be merged with eu.wbird")
        .build();
  }

  /** What to build. */
  private record Order(
      String family, long keys, double fpp, long budget, long seed, long memory, Path folder) {
    boolean frozen() {
      return family.equals("ribbon") || family.equals("fuse");
    }
  }

  @Override
  public int run(Call call) throws IOException {
    Format format = Format.of(call);
    List<Source> sources = Source.of(call.words());
    Target target = Target.of(call, defaultName(sources), sources);
    Order order = order(call);
    KeyHasher<ByteBuffer> keys = LineKeys.of(call);
    if (sources.get(0).path() == null && call.isTerminal("in")) {
      call.voice().say("reading keys from the terminal, one a line; Ctrl-D ends");
    }
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, sources, format, progress, "reading")) {
      HashedLines lines = new HashedLines(reading, keys, order.seed);
      Build build = new Build(call, order, lines, keys, target, progress);
      Built built = order.frozen() ? build.frozen() : build.bloom();
      progress.wipe();
      reading.warn(call.voice());
      report(call, target, order, reading.lines(), built, progress.seconds());
    }
    return ExitCode.DONE;
  }

  private static @Nullable String defaultName(List<Source> sources) {
    Path path = sources.size() == 1 ? sources.get(0).path() : null;
    boolean pipe = path != null && Files.exists(path) && !Files.isRegularFile(path);
    if (path == null || path.getFileName() == null || pipe) {
      return null; // Not /dev/fd/63.wbird, of a shell's <(...).
    }
    String name = path.getFileName().toString();
    for (String suffix : List.of(".gz", ".zst")) {
      if (name.endsWith(suffix) && name.length() > suffix.length()) {
        name = name.substring(0, name.length() - suffix.length());
      }
    }
    int dot = name.lastIndexOf('.');
    return path.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + ".wbird").toString();
  }

  private static Order order(Call call) throws IOException {
    for (String own : List.of("family", "keys", "fpp", "seed", "budget")) {
      call.exclude("like", own);
    }
    call.exclude("fpp", "budget");
    FileHeader like = null;
    String likeName = call.text("like");
    if (likeName != null) {
      like = Filters.header(Source.pathOf(likeName));
      if (!like.isBloom()) {
        throw new Failure(
            Problem.WRONG_FAMILY,
            likeName + " is a " + like.family() + " filter, which can't be merged.",
            "Only bloom and bloom-classic filters can.",
            "--family bloom");
      }
    }
    String seed = call.text("seed");
    return new Order(
        like == null ? call.text("family", "bloom") : like.family(),
        like == null ? call.count("keys", 0) : like.expectedKeys(),
        like == null ? call.probability("fpp", 0.01) : like.promisedFpp(),
        call.size("budget", 0),
        like != null ? like.seed() : seed == null ? new SecureRandom().nextLong() : seed(seed),
        Math.min(call.size("memory", DEFAULT_MEMORY), Runtime.getRuntime().maxMemory() / 2),
        Temporary.folder(call));
  }

  private static long seed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new Failure(
          Problem.BAD_VALUE,
          "--seed \"" + text + "\" is not a number.",
          "It is any whole number of 64 bits.",
          "--seed 42");
    }
  }

  /** The numbers of a filter, which may have gone straight into its file. */
  private record Built(long keys, double fpp, double promisedFpp, long bytes) {
    static Built of(Filter<?> filter) {
      FilterStats stats = filter.stats();
      return new Built(
          stats.estimatedKeys(), stats.currentFpp(), stats.promisedFpp(), filter.sizeInBytes());
    }
  }

  /** One build, from its lines to its file. */
  private record Build(
      Call call,
      Order order,
      HashedLines lines,
      KeyHasher<ByteBuffer> keys,
      Target target,
      Progress progress) {
    Built bloom() throws IOException {
      BloomFilter<ByteBuffer> filter;
      if (order.keys > 0) {
        filter = builder(order.keys).build();
        lines.forEach(filter::putHashes);
      } else {
        try (HashSpool spool = new HashSpool(order.memory, order.folder)) {
          lines.forEach(spool::add);
          filter = builder(Math.max(1, spool.count())).build();
          progress.phase("building", "key");
          long[] done = {0};
          BloomFilter<ByteBuffer> full = filter;
          spool.forEach(
              (hashes, number) -> {
                Stop.check();
                full.putHashes(hashes, number);
                done[0] += number;
                progress.at(done[0], done[0], spool.count());
              });
        }
      }
      FilterStats stats = filter.stats();
      if (order.keys > 0 && stats.estimatedKeys() > order.keys && stats.overfull()) {
        overfull(stats);
      }
      progress.phase("writing", "byte");
      target.write(call, filter);
      return Built.of(filter);
    }

    private BloomBuilder<ByteBuffer> builder(long count) {
      try {
        BloomBuilder<ByteBuffer> builder = Woodbird.bloom(keys, count).seed(order.seed);
        builder = order.budget > 0 ? builder.maxBytes(order.budget) : builder.fpp(order.fpp);
        if (order.family.equals("bloom-classic")) {
          builder = builder.layout(BloomLayout.CLASSIC);
        }
        builder.plan();
        return builder;
      } catch (IllegalArgumentException e) {
        throw Filters.impossible(Problem.BUDGET, e, "woodbird plan -n N --budget SIZE (what fits)");
      }
    }

    private void overfull(FilterStats stats) {
      String what =
          "-n %s is too small: there are about %s keys, and %s of absent keys are \"maybe\", not %s"
              .formatted(
                  Units.count(order.keys), Units.count(stats.estimatedKeys()),
                  Units.chance(stats.currentFpp()), Units.chance(stats.promisedFpp()));
      if (call.has("strict")) {
        throw new Failure(
            Problem.OVER_PLAN,
            what + ".",
            target.name() + " was not written.",
            "-n " + stats.estimatedKeys() * 11 / 10,
            "build without -n");
      }
      call.voice().warn(what);
    }

    Built frozen() throws IOException {
      long threads = Math.max(1, (order.memory - (64L << 20)) / WORKER_MEMORY);
      FrozenBuilder<Long> builder =
          Woodbird.frozen(lines.asKeys(keys.id()))
              .seed(order.seed)
              .threads((int) Math.min(threads, Runtime.getRuntime().availableProcessors()))
              .memoryLimit(order.memory)
              .tempDir(order.folder)
              .onProgress(
                  at -> {
                    Stop.check();
                    if (!at.phase().equals("reading")) {
                      progress.phase(at.phase(), at.phase().equals("writing") ? "byte" : "key");
                      progress.at(at.done(), at.done(), Math.max(0, at.total()));
                    }
                  });
      builder = order.family.equals("fuse") ? builder.fastToAsk() : builder.smallest();
      try {
        builder = order.budget > 0 ? builder.maxBytes(order.budget) : builder.fpp(order.fpp);
        Path file = target.file();
        if (file == null) {
          Filter<Long> filter = builder.buildFrom(lines.iterator());
          target.write(call, filter);
          return Built.of(filter);
        }
        var plan = builder.buildTo(file, lines.iterator());
        return new Built(plan.keys(), plan.fpp(), plan.fpp(), plan.bytes());
      } catch (IllegalArgumentException e) {
        throw Filters.impossible(Problem.BUDGET, e, "woodbird plan -n N --budget SIZE (what fits)");
      } catch (IOException e) {
        target.blame(e);
        throw e;
      }
    }
  }

  private static void report(
      Call call, Target target, Order order, long lines, Built built, double seconds)
      throws IOException {
    if (call.has("json")) {
      target.report(
          call,
          Json.report("woodbird.build/1")
              .put("file", target.name())
              .put("family", order.family)
              .put("lines", lines)
              .put("keys", built.keys)
              .put("bytes", built.bytes)
              .put("fpp", built.fpp)
              .put("promisedFpp", built.promisedFpp)
              .put("seed", order.seed)
              .put("seconds", seconds));
      return;
    }
    call.say(
        "%s  %s, %s, %s%s, %s, %s wrong \"maybe\", %s (%s lines/s)",
        target.name(),
        order.family,
        Units.count(lines, "line"),
        order.frozen() ? "" : "about ",
        Units.count(built.keys, "key"),
        Units.bytes(built.bytes),
        Units.chance(built.fpp),
        Units.seconds(seconds),
        Units.rate(lines / Math.max(1e-3, seconds)));
    if (order.keys == 0 && order.budget == 0 && !order.frozen() && built.keys > 0) {
      if (lines / built.keys >= 2) {
        long bytes =
            Woodbird.plan(built.keys).fpp(order.fpp).needs(Planner.Need.PUT).plans().get(0).bytes();
        call.say("  most lines repeat: -n %d makes it %s", built.keys, Units.bytes(bytes));
      }
    }
  }
}
