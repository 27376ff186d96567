package io.woodbird.cli.verb;

import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** {@code info}: shows what a filter file says about itself. */
public final class InfoVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("info", "show everything about a filter file")
        .arguments("FILTER...", 1, Integer.MAX_VALUE)
        .about(
            """
            Opens the file memory-mapped and looks at its header and at a sample of its bits. The number
            of keys of a bloom filter is an estimate from the share of bits set; frozen filters know it.
            Exit code 5 with --strict if a filter holds more keys than planned.""")
        .options(
            Option.flag("strict", "fail (exit 5) if a filter is over its plan"),
            Option.flag("json", "one JSON object a file, schema woodbird.info/1"))
        .example("woodbird info seen.wbird", "size, keys, error now and promised")
        .example("woodbird info --json *.wbird", "for programs")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    int code = ExitCode.DONE;
    for (String word : call.words()) {
      Path path = Source.pathOf(word);
      FileHeader header = Filters.fileHeader(path);
      if (header.isDelta()) {
        VerifyVerb.verify(path, null); // It says what it is in its header alone.
        delta(call, path, header);
        continue;
      }
      if (!header.isOwn()) {
        converted(call, path, header);
        continue;
      }
      try (OpenFilter<ByteBuffer> filter = Filters.look(path, header)) {
        FilterStats stats = filter.stats();
        Look look =
            new Look(
                path, header, stats, filter.sizeInBytes(), journals(path), header.signer(path));
        if (call.has("json")) {
          call.print(json(look));
        } else {
          print(call, look);
        }
        if (!stats.doubts().isEmpty()) {
          code = ExitCode.DAMAGED;
        } else if (call.has("strict") && Filters.isOverPlan(stats) && code == ExitCode.DONE) {
          code = Problem.OVER_PLAN.exitCode();
        }
      }
    }
    return code;
  }

  /** Shows a delta, which has fewer facts. */
  private static void delta(Call call, Path path, FileHeader header) throws IOException {
    boolean files = header.isDifference();
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.info/1")
              .put("file", path.toString())
              .put("family", header.family())
              .put("layout", files ? "delta between two files" : "delta from keys")
              .put("bytes", Files.size(path))
              .put("keyEncoding", header.keyId())
              .put("seed", Long.toString(header.seed()))
              .put("format", header.version())
              .put("signer", header.signer(path).isEmpty() ? null : header.signer(path))
              .put("doubts", List.of()));
      return;
    }
    call.print(path);
    call.line("family", "%s, and no filter: 'patch' applies it", header.family());
    call.line("size", "%s", Units.bytes(Files.size(path)));
    call.line(
        "makes",
        "%s",
        files
            ? "a file of %s of one of %s"
                .formatted(Units.bytes(header.parameter1()), Units.bytes(header.parameter0()))
            : "a filter for %s".formatted(Units.count(header.keyCount(), "key")));
    call.line("hash", "%s, seed %d", header.keyId(), header.seed());
    if (!header.signer(path).isEmpty()) {
      call.line("signed", "by %s, if 'verify --key' says so too", header.signer(path));
    }
  }

  /** Shows a filter of a well-known scheme or of another program, which has fewer facts. */
  private static void converted(Call call, Path path, FileHeader header) throws IOException {
    ClassicFilter scheme = header.isScheme() ? Filters.scheme(path) : null;
    String filter = scheme == null ? Filters.foreign(path).toString() : scheme.toString();
    if (call.has("json")) {
      Json json =
          Json.report("woodbird.info/1")
              .put("file", path.toString())
              .put("family", header.family())
              .put("layout", filter)
              .put("bytes", Files.size(path));
      if (scheme != null) {
        json.put("bits", scheme.bits()).put("hashes", scheme.hashes()).put("fill", scheme.fill());
      }
      call.print(json.put("format", header.version()).put("doubts", List.of()));
      return;
    }
    call.print(path);
    call.line("family", "%s, converted from another library", header.family());
    call.line("size", "%s", Units.bytes(Files.size(path)));
    call.line("bits", "%s", filter);
    call.line("state", "whole");
  }

  private record Look(
      Path path,
      FileHeader header,
      FilterStats stats,
      long bytes,
      List<String> journals,
      String signer) {}

  /** The journals beside a filter that {@code new} has open, or that a crash left. */
  private static List<String> journals(Path path) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> "" + file.getFileName())
          .filter(name -> name.startsWith(path.getFileName() + ".journal"))
          .sorted()
          .toList();
    }
  }

  private static double load(FilterStats stats) {
    return stats.expectedKeys() == 0 ? 0 : (double) stats.estimatedKeys() / stats.expectedKeys();
  }

  private static void print(Call call, Look look) throws IOException {
    FileHeader header = look.header;
    FilterStats stats = look.stats;
    call.print(look.path);
    call.line("family", "%s (%s)", header.family(), stats.layout());
    // A growing filter is as large as its keys need; the number that it may grow to plans nothing.
    boolean grows = header.family().equals("growing");
    long keys = grows ? stats.estimatedKeys() : stats.expectedKeys();
    call.line(
        "size",
        "%s, %.2f bits a%s key",
        Units.bytes(look.bytes),
        keys == 0 ? 0 : (double) stats.bits() / keys,
        grows ? "" : " planned");
    if (grows) {
      call.line(
          "keys",
          "about %s, and it grows with them up to %s",
          Units.count(keys),
          Units.count(stats.expectedKeys()));
    } else if (header.isFrozen()) {
      call.line("keys", "%s, all of them: it takes no more", Units.count(stats.estimatedKeys()));
    } else {
      call.line(
          "keys",
          "about %s of %s planned, load %d %%",
          Units.count(stats.estimatedKeys()),
          Units.count(stats.expectedKeys()),
          Math.round(100 * load(stats)));
    }
    call.line(
        "error",
        "now %s, promised %s%s",
        Units.chance(stats.currentFpp()),
        Units.chance(stats.promisedFpp()),
        Filters.isOverPlan(stats) ? "  ! over the plan" : "");
    call.line("hash", "%s, seed %d", header.keyId(), header.seed());
    call.line("format", "%s, little-endian", header.version());
    if (!look.signer.isEmpty()) {
      call.line("signed", "by %s, if 'verify --key' says so too", look.signer);
    }
    call.line(
        "state",
        "%s%s",
        stats.doubts().isEmpty()
            ? "header whole; pages are checked when used, all of them by 'verify'"
            : "damaged: " + String.join("; ", stats.doubts()),
        look.journals.isEmpty()
            ? ""
            : "; " + look.journals.size() + " journal beside it: open, or not closed cleanly");
    if (Filters.isOverPlan(stats)) {
      long enough = Math.round(1.2 * stats.estimatedKeys());
      call.line("advice", "build it again with -n %d or more", enough);
    }
  }

  private static Json json(Look look) {
    FilterStats stats = look.stats;
    return Json.report("woodbird.info/1")
        .put("file", look.path.toString())
        .put("family", look.header.family())
        .put("layout", stats.layout())
        .put("bytes", look.bytes)
        .put("bits", stats.bits())
        .put("keys", stats.estimatedKeys())
        .put("keysExact", look.header.isFrozen())
        .put("capacity", stats.expectedKeys())
        .put("load", load(stats))
        .put("fill", stats.fill())
        .put("fpp", new Json().put("promised", stats.promisedFpp()).put("now", stats.currentFpp()))
        .put("overPlan", Filters.isOverPlan(stats))
        .put("keyEncoding", look.header.keyId())
        .put("seed", Long.toString(look.header.seed()))
        .put("format", look.header.version())
        .put("signer", look.signer.isEmpty() ? null : look.signer)
        .put("journals", look.journals)
        .put("doubts", stats.doubts());
  }
}
