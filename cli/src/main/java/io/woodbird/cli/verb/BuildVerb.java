package io.woodbird.cli.verb;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.BloomLayout;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.FrozenBuilder;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.FileFacts;
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
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code build}: lines become a filter file. */
public final class BuildVerb implements Verb {
  /*
   * Without -n the hashes are kept, eight bytes a line, until their number is known: one reading, from
   * a pipe too. A frozen filter keeps them anyway.
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
      Built built =
          order.frozen()
              ? frozen(call, order, lines, keys, target, progress)
              : bloom(call, order, lines, keys, target, progress);
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
    call.exclude("like", "family");
    call.exclude("like", "keys");
    call.exclude("like", "fpp");
    call.exclude("like", "seed");
    call.exclude("like", "budget");
    call.exclude("fpp", "budget");
    FileFacts like = null;
    String likeName = call.text("like");
    if (likeName != null) {
      like = FileFacts.read(Source.pathOf(likeName));
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

  /** What was built; a filter, or the numbers of one that went straight into its file. */
  private record Built(long keys, double fpp, double promisedFpp, long bytes) {}

  private static Built bloom(
      Call call,
      Order order,
      HashedLines lines,
      KeyHasher<ByteBuffer> keys,
      Target target,
      Progress progress)
      throws IOException {
    BloomFilter<ByteBuffer> filter;
    if (order.keys > 0) {
      filter = builder(order, order.keys, keys).build();
      int count = lines.next();
      while (count > 0) {
        filter.putHashes(lines.hashes(), count);
        count = lines.next();
      }
    } else {
      try (HashSpool spool = new HashSpool(order.memory, order.folder)) {
        int count = lines.next();
        while (count > 0) {
          spool.add(lines.hashes(), count);
          count = lines.next();
        }
        filter = builder(order, Math.max(1, spool.count()), keys).build();
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
      overfull(call, target, order, stats);
    }
    progress.phase("writing", "byte");
    target.write(call, filter);
    return new Built(
        stats.estimatedKeys(), stats.currentFpp(), stats.promisedFpp(), filter.sizeInBytes());
  }

  private static BloomBuilder<ByteBuffer> builder(
      Order order, long count, KeyHasher<ByteBuffer> keys) {
    try {
      BloomBuilder<ByteBuffer> builder = Woodbird.bloom(keys, count).seed(order.seed);
      builder = order.budget > 0 ? builder.maxBytes(order.budget) : builder.fpp(order.fpp);
      if (order.family.equals("bloom-classic")) {
        builder = builder.layout(BloomLayout.CLASSIC);
      }
      builder.plan();
      return builder;
    } catch (IllegalArgumentException e) {
      throw impossible(e);
    }
  }

  private static void overfull(Call call, Target target, Order order, FilterStats stats) {
    String what =
        "-n "
            + Units.count(order.keys)
            + " is too small: there are about "
            + Units.count(stats.estimatedKeys())
            + " keys, and "
            + Units.chance(stats.currentFpp())
            + " of the \"maybe\" are wrong, not "
            + Units.chance(stats.promisedFpp());
    if (call.has("strict")) {
      throw new Failure(
          Problem.OVER_PLAN,
          what + ".",
          target.name() + " was not written.",
          "-n " + stats.estimatedKeys() * 11 / 10,
          "leave -n away");
    }
    call.voice().warn(what);
  }

  private static Built frozen(
      Call call,
      Order order,
      HashedLines lines,
      KeyHasher<ByteBuffer> keys,
      Target target,
      Progress progress)
      throws IOException {
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
        FilterStats stats = filter.stats();
        return new Built(
            stats.estimatedKeys(), stats.currentFpp(), stats.promisedFpp(), filter.sizeInBytes());
      }
      var plan = builder.buildTo(file, lines.iterator());
      return new Built(plan.keys(), plan.fpp(), plan.fpp(), plan.bytes());
    } catch (IllegalArgumentException e) {
      throw impossible(e);
    } catch (IOException e) {
      target.blame(e);
      throw e;
    }
  }

  private static Failure impossible(IllegalArgumentException e) {
    return new Failure(
        Problem.BUDGET,
        e,
        "there can be no such filter.",
        String.valueOf(e.getMessage()),
        "woodbird plan -n N --budget SIZE (what fits)");
  }

  private static void report(
      Call call, Target target, Order order, long lines, Built built, double seconds)
      throws IOException {
    if (call.has("json")) {
      Json json =
          Json.report("woodbird.build/1")
              .put("file", target.name())
              .put("family", order.family)
              .put("lines", lines)
              .put("keys", built.keys)
              .put("bytes", built.bytes)
              .put("fpp", built.fpp)
              .put("promisedFpp", built.promisedFpp)
              .put("seed", order.seed)
              .put("seconds", seconds);
      if (target.isStdout()) {
        call.voice().report(json.toString());
      } else {
        call.print(json);
      }
      return;
    }
    call.voice()
        .say(
            target.name()
                + "  "
                + order.family
                + ", "
                + Units.count(lines, "line")
                + ", "
                + (order.frozen() ? "" : "about ")
                + Units.count(built.keys, "key")
                + ", "
                + Units.bytes(built.bytes)
                + ", "
                + Units.chance(built.fpp)
                + " wrong \"maybe\", "
                + Units.seconds(seconds)
                + " ("
                + Units.rate(lines / Math.max(1e-3, seconds))
                + " lines/s)");
    if (order.keys == 0 && order.budget == 0 && !order.frozen() && built.keys > 0) {
      long wasted = lines / built.keys;
      if (wasted >= 2) {
        long bytes =
            Woodbird.plan(built.keys).fpp(order.fpp).needs(Planner.Need.PUT).plans().get(0).bytes();
        call.voice()
            .say("  most lines repeat: -n " + built.keys + " makes it " + Units.bytes(bytes));
      }
    }
  }
}
