package io.woodbird.cli.verb;

import io.woodbird.CorruptFilterException;
import io.woodbird.MappedFilter;
import io.woodbird.cli.lines.FileFacts;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.Lines;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Json;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** {@code verify}: checks every page of a filter, its keys, and its error. */
public final class VerifyVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("verify", "check every page of a filter, its keys and its error")
        .arguments("FILTER", 1, 1)
        .about(
            """
            Checks the checksum of every page: exit code 4 if one is damaged. With --contains, every
            line of that file must be maybe here: exit code 1 if one is missing. With --probes, asks for
            so many keys that nobody put and says how many it called "maybe here".""")
        .options(
            Option.file("contains", "lines that must all be maybe here"),
            Option.value("probes", "N", "measure the error with so many random keys: 1M"),
            Option.flag("json", "one JSON object, schema woodbird.verify/1"),
            Option.file("secret", "the 16 bytes that the filter was built under"))
        .options(Spec.INPUT)
        .example("woodbird verify block.wbird", "is the copy whole?")
        .example("woodbird verify block.wbird --contains bad.txt", "is every line in it?")
        .example("woodbird verify block.wbird --probes 1M", "how often is it wrong?")
        .build();
  }

  /** What was found; null where it was not asked for. */
  private record Found(
      @Nullable Long asked, @Nullable Long missing, @Nullable Long probes, @Nullable Long wrong) {}

  @Override
  public int run(Call call) throws IOException {
    Path path = Source.pathOf(call.words().get(0));
    FileFacts facts = FileFacts.read(path);
    boolean asks = call.has("contains") || call.has("probes");
    long probes = call.count("probes", 0);
    Format format = Format.of(call);
    try (MappedFilter<ByteBuffer> filter =
            asks ? Filters.open(call, path) : Filters.look(path, facts);
        Progress progress = call.progress()) {
      try {
        filter.verify();
      } catch (CorruptFilterException e) {
        throw Filters.damaged(path, e);
      }
      Long asked = null;
      Long missing = null;
      String keys = call.text("contains");
      if (keys != null) {
        long[] counts = missing(call, filter, Source.of(keys), format, progress);
        asked = counts[0];
        missing = counts[1];
      }
      Long wrong = probes == 0 ? null : wrong(filter, facts, probes, progress);
      progress.wipe();
      report(call, path, filter, new Found(asked, missing, probes == 0 ? null : probes, wrong));
      return missing != null && missing > 0 ? ExitCode.NO : ExitCode.DONE;
    }
  }

  private static long[] missing(
      Call call, MappedFilter<ByteBuffer> filter, Source source, Format format, Progress progress)
      throws IOException {
    long asked = 0;
    long missing = 0;
    try (Reading reading = new Reading(call, List.of(source), format, progress, "asking")) {
      long[] hashes = new long[Lines.BATCH];
      int[] selected = new int[Lines.BATCH];
      int count = reading.next();
      while (count > 0) {
        for (int i = 0; i < count; i++) {
          hashes[i] = filter.hashOf(reading.batch().key(i));
        }
        asked += count;
        missing += count - filter.candidates(hashes, count, selected);
        count = reading.next();
      }
      reading.warn(call.voice());
    }
    return new long[] {asked, missing};
  }

  /**
   * Asks for random keys of the filter's kind; that one of them was put is as good as impossible.
   */
  private static long wrong(
      MappedFilter<ByteBuffer> filter, FileFacts facts, long probes, Progress progress) {
    SplittableRandom random = new SplittableRandom();
    progress.phase("probing", "key");
    boolean numbers = facts.keyId().startsWith("int64:");
    boolean uuids = facts.keyId().startsWith("uuid:");
    long[] hashes = new long[Lines.BATCH];
    int[] selected = new int[Lines.BATCH];
    long wrong = 0;
    for (long done = 0; done < probes; done += Lines.BATCH) {
      Stop.check();
      int count = (int) Math.min(Lines.BATCH, probes - done);
      for (int i = 0; i < count; i++) {
        long one = random.nextLong();
        String key =
            numbers
                ? Long.toString(one)
                : uuids
                    ? new java.util.UUID(one, random.nextLong()).toString()
                    : "woodbird probe " + one + random.nextLong();
        hashes[i] = filter.hashOf(ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8)));
      }
      wrong += filter.candidates(hashes, count, selected);
      progress.at(done, done, probes);
    }
    return wrong;
  }

  private static void report(Call call, Path path, MappedFilter<ByteBuffer> filter, Found found)
      throws IOException {
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.verify/1")
              .put("file", path.toString())
              .put("whole", true)
              .put("bytes", filter.sizeInBytes())
              .put("asked", found.asked)
              .put("missing", found.missing)
              .put("probes", found.probes)
              .put("wrongMaybe", found.wrong)
              .put("fppPromised", filter.stats().promisedFpp()));
      return;
    }
    call.print(path + "  whole, " + Units.bytes(filter.sizeInBytes()));
    if (found.asked != null && found.missing != null) {
      call.print(
          found.missing == 0
              ? "  all " + Units.count(found.asked, "line") + " maybe here"
              : "  "
                  + Units.count(found.missing, "line")
                  + " of "
                  + Units.count(found.asked)
                  + " NOT here");
    }
    if (found.probes != null && found.wrong != null) {
      double error = (double) found.wrong / found.probes;
      double sigma = Math.sqrt(Math.max(1, found.wrong)) / found.probes;
      call.print(
          "  error measured "
              + Units.chance(error)
              + " (+- "
              + Units.chance(sigma)
              + "), promised "
              + Units.chance(filter.stats().promisedFpp()));
    }
  }
}
