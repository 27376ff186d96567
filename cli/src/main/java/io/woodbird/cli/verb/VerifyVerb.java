package io.woodbird.cli.verb;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.LineKeys;
import io.woodbird.cli.lines.Lines;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.Json;
import io.woodbird.key.KeyForm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
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
            line of that file must be maybe here: exit code 10 if one is missing. With --probes N, asks for
            N random keys that were never added and says how many it called "maybe here". With --key, the
            file must be signed by that key, or by one of several, and every page must be the one that was
            signed. FILTER may be a delta.""")
        .options(
            Option.file("contains", "lines that must all be maybe here"),
            Option.file("key", "the public key that must have signed the file, PEM").letter('k'),
            Option.value("probes", "N", "measure the error with N random keys: 1M"),
            Option.flag("json", "one JSON object, schema woodbird.verify/1"),
            Option.file("secret", "the 16 bytes that the filter was built under"))
        .options(Spec.INPUT)
        .example("woodbird verify block.wbird", "is the copy whole?")
        .example("woodbird verify block.wbird --contains bad.txt", "is every line in it?")
        .example("woodbird verify --key key.pem.pub block.wbird", "is it ours, and whole?")
        .example("woodbird verify block.wbird --probes 1M", "how often is it wrong?")
        .build();
  }

  /** What was found; null where it was not asked for. */
  private record Found(
      long bytes,
      @Nullable Long asked,
      @Nullable Long missing,
      @Nullable Long probes,
      @Nullable Long wrong) {}

  @Override
  public int run(Call call) throws IOException {
    Path path = Source.pathOf(call.words().get(0));
    FileHeader header = Filters.fileHeader(path);
    boolean asks = call.has("contains") || call.has("probes");
    if (asks) {
      Filters.header(path); // No delta.
    }
    SignedFilters trusted = Signers.trusted(call);
    if (asks && trusted != null) {
      Filters.requireOwn(path, header); // It would be read again after its signature was checked.
    }
    long probes = call.count("probes", 0);
    Format format = Format.of(call);
    long bytes = Files.size(path);
    verify(path, trusted);
    if (header.isDelta()) {
      report(call, path, header, new Found(bytes, null, null, null, null));
      return ExitCode.DONE;
    }
    // Opening it checks what its layout says, too.
    try (Asker filter =
            !header.isOwn()
                ? Asker.converted(path, header)
                : asks ? Asker.open(call, path) : new Asker.OfFilter(Filters.look(path, header));
        Progress progress = call.progress()) {
      Long asked = null;
      Long missing = null;
      if (call.has("contains")) {
        List<Source> sources = Source.of(call.texts("contains"));
        long[] counts = missing(call, filter, sources, format, progress);
        asked = counts[0];
        missing = counts[1];
      }
      Long wrong = probes == 0 ? null : wrong(filter, header, probes, progress);
      progress.wipe();
      Found found = new Found(bytes, asked, missing, probes == 0 ? null : probes, wrong);
      report(call, path, header, found);
      return missing != null && missing > 0 ? ExitCode.NO : ExitCode.DONE;
    }
  }

  /** Checks every page, and who signed it if that is asked for. */
  static void verify(Path path, @Nullable SignedFilters trusted) throws IOException {
    try {
      if (trusted == null) {
        Woodbird.verify(path);
      } else {
        trusted.verify(path);
      }
    } catch (CorruptFilterException e) {
      throw Filters.damaged(path, e);
    }
  }

  private static long[] missing(
      Call call, Asker filter, List<Source> sources, Format format, Progress progress)
      throws IOException {
    long asked = 0;
    long missing = 0;
    try (Reading reading = new Reading(call, sources, format, progress, "asking")) {
      int[] selected = new int[Lines.BATCH];
      for (int count = reading.next(); count > 0; count = reading.next()) {
        asked += count;
        missing += count - filter.candidates(reading.batch(), count, selected);
      }
      reading.warn(call.voice());
    }
    return new long[] {asked, missing};
  }

  /**
   * Asks for random keys of the filter's kind. They are so long that none of them was ever added.
   */
  private static long wrong(Asker filter, FileHeader header, long probes, Progress progress) {
    SplittableRandom random = new SplittableRandom();
    progress.phase("probing", "key");
    boolean fuse = header.isForeign() && header.family().startsWith("fuse");
    boolean numbers = fuse || header.keyId().startsWith("int64:");
    boolean uuids = header.keyId().startsWith("uuid:");
    boolean hex = LineKeys.formOf(header.keyId()) == KeyForm.HEX;
    long wrong = 0;
    for (long done = 0; done < probes; done++) {
      long one = random.nextLong();
      String key =
          numbers
              ? (fuse ? Long.toUnsignedString(one) : Long.toString(one))
              : uuids
                  ? new UUID(one, random.nextLong()).toString()
                  : hex
                      ? String.format(
                          Locale.ROOT, "%016x%016x%016x", one, random.nextLong(), random.nextLong())
                      : "woodbird probe " + one + random.nextLong();
      ByteBuffer bytes = ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8));
      wrong += filter.ask(bytes) == Answer.NOT_HERE ? 0 : 1;
      if (done % Lines.BATCH == 0) {
        Stop.check();
        progress.at(done, done, probes);
      }
    }
    return wrong;
  }

  private static void report(Call call, Path path, FileHeader header, Found found)
      throws IOException {
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.verify/1")
              .put("file", path.toString())
              .put("whole", true)
              .put("signed", call.has("key"))
              .put("bytes", found.bytes)
              .put("asked", found.asked)
              .put("missing", found.missing)
              .put("probes", found.probes)
              .put("wrongMaybe", found.wrong)
              .put("fppPromised", header.isOwn() ? header.promisedFpp() : null));
      return;
    }
    String signed = call.has("key") ? ", signed by the key" : "";
    call.print(path + "  whole, " + Units.bytes(found.bytes) + signed);
    if (found.asked != null && found.missing != null) {
      call.print(
          found.missing == 0
              ? "  all " + Units.count(found.asked, "line") + " maybe here"
              : "  %s of %s NOT here"
                  .formatted(Units.count(found.missing, "line"), Units.count(found.asked)));
    }
    if (found.probes != null && found.wrong != null) {
      double error = (double) found.wrong / found.probes;
      double sigma = Math.sqrt(Math.max(1, found.wrong)) / found.probes;
      call.printf(
          "  error measured %s (+- %s)%s",
          Units.chance(error),
          Units.chance(sigma),
          header.isOwn() ? ", promised " + Units.chance(header.promisedFpp()) : "");
    }
  }
}
