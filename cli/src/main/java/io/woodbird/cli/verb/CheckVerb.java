package io.woodbird.cli.verb;

import io.woodbird.Answer;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.Lines;
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
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** {@code check}: asks a filter about keys, or passes the lines that may be in it. */
public final class CheckVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("check", "ask a filter about keys, or pass the lines that may be in it")
        .arguments("FILTER [KEY...]", 0, Integer.MAX_VALUE)
        .about(
            """
            With KEY: says "maybe here" or "not here" for each; exit code 0 if all may be here, 1 if
            one is certainly not. Without, or with - alone: reads lines from stdin (or --from) and passes
            those that may be here; with --not-here those that certainly are not. Of a map, the answer to
            a KEY, and to a line with --both, is its value.

            With --in, which may be given many times, there is no FILTER: each KEY or line is asked of all
            lists, and printed with a tab and the names of those that may have it before it. "?" behind a
            name: that part of the list is damaged.

            With --key, which may be given many times, a filter that none of these keys signed is refused, and a
            page that is not the one that was signed is damaged.

            A damaged part of the file answers "unknown", which counts as maybe here, with exit code 4.""")
        .options(
            Option.file("in", "ask this filter; several are asked which of them have a key"),
            Option.flag("not-here", "pass the lines that are certainly not here").letter('v'),
            Option.flag("both", "pass every line, with its answer and a tab before it"),
            Option.flag("count", "print only the count").letter('c'),
            Option.flag(
                    "silent",
                    "print nothing; exit code 1 if no line (or not every KEY) may be here")
                .letter('s'),
            Option.flag("exit-code", "of a stream: exit code 1 if no line is passed"),
            Option.file("from", "read the lines from this file"),
            Option.file("key", "the public key that must have signed each filter, PEM").letter('k'),
            Option.flag("json", "answers as JSON, schema woodbird.check/1; of a stream, on stderr"),
            Option.file("secret", "the 16 bytes that the filter was built under"))
        .options(Spec.INPUT)
        .example("woodbird check users.wbird alice", "maybe here, or not here")
        .example("woodbird check seen.wbird < urls.txt > again.txt", "lines that may be here")
        .example("woodbird check --in spam.wbird --in malware.wbird < hosts.txt", "which list")
        .example("woodbird check -v seen.wbird < urls.txt", "lines that certainly are not")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    call.exclude("not-here", "both");
    call.exclude("count", "both");
    call.exclude("count", "silent");
    if (call.has("in")) {
      return ListCheck.run(call, keys(call, call.words()));
    }
    if (call.words().isEmpty()) {
      throw call.spec().misuse(Problem.MISSING, "'check' needs FILTER [KEY...].");
    }
    Path path = Source.pathOf(call.words().get(0));
    try (Asker filter = Asker.open(call, path)) {
      List<String> keys = keys(call);
      return keys.isEmpty() ? stream(call, path, filter) : ask(call, path, filter, keys);
    }
  }

  /** The keys behind the name of a filter; none if lines are read. */
  static List<String> keys(Call call) {
    return keys(call, call.words().subList(1, call.words().size()));
  }

  private static List<String> keys(Call call, List<String> keys) {
    if (!keys.isEmpty() && call.has("from")) {
      throw call.spec().misuse(Problem.CONFLICT, "--from and KEY exclude each other.");
    }
    if (!keys.contains("-")) {
      for (Option option : keys.isEmpty() ? List.<Option>of() : Spec.INPUT) {
        if (call.has(option.name())) {
          throw call.spec()
              .misuse(Problem.CONFLICT, "--" + option.name() + " and KEY exclude each other.");
        }
      }
      return keys;
    }
    if (keys.size() > 1) {
      throw new Failure(
          Problem.CONFLICT,
          "- is stdin, and can't stand among keys.",
          "The key \"-\" itself is given as a line.",
          "echo - | woodbird " + call.spec().name() + " FILTER");
    }
    return List.of();
  }

  private static int ask(Call call, Path path, Asker filter, List<String> keys) throws IOException {
    List<Json> answers = new ArrayList<>();
    int maybe = 0;
    boolean unknown = false;
    for (String key : keys) {
      Answer answer = filter.ask(bytesOf(key));
      maybe += answer == Answer.NOT_HERE ? 0 : 1;
      unknown |= answer == Answer.UNKNOWN;
      if (call.has("json")) {
        Json one = new Json().put("key", key).put("answer", answer.name());
        OptionalLong value = value(filter, key, answer);
        answers.add(value.isPresent() ? one.put("value", unsigned(value)) : one);
      } else if (!call.has("silent") && !call.has("count")) {
        OptionalLong value = value(filter, key, answer);
        String said = value.isPresent() ? valued(value) : words(answer);
        call.print(keys.size() == 1 ? said : said + "\t" + key);
      }
    }
    if (call.has("json")) {
      call.print(
          Json.report("woodbird.check/1").put("file", path.toString()).put("answers", answers));
    } else if (call.has("count")) {
      call.print(call.has("not-here") ? keys.size() - maybe : maybe);
    }
    if (unknown) {
      warnOfDoubts(call, path, filter);
    }
    hintAtFilters(call, keys);
    hintAtFiles(call, keys);
    return unknown ? ExitCode.DAMAGED : maybe == keys.size() ? ExitCode.DONE : ExitCode.NO;
  }

  /** A user who writes "check a.wbird b.wbird" probably means two filters. */
  private static void hintAtFilters(Call call, List<String> keys) {
    for (String key : keys) {
      if (key.endsWith(".wbird")) {
        call.say(
            "hint  %s was asked about as a key: 'check' asks one filter"
                + " (woodbird check --in %s --in ..., for several)",
            key, key);
      }
    }
  }

  /** A user who names a file of lines probably means its lines, and not its name. */
  static void hintAtFiles(Call call, List<String> keys) {
    for (String key : call.has("silent") ? List.<String>of() : keys) {
      if (!key.endsWith(".wbird") && new File(key).isFile()) {
        call.say("hint  %s was taken as a key: --from %s reads its lines", key, key);
      }
    }
  }

  /**
   * Returns the bytes of a word of the command line. Java gives words as text. Bytes that are no
   * text in the locale are lost, so the word is refused: an answer "not here" would be about
   * another key than the user typed.
   */
  static ByteBuffer bytesOf(String key) {
    boolean utf8 = "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding", "UTF-8"));
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == '\ufffd' || (c >= 0x80 && !utf8)) {
        throw new Failure(
            Problem.BAD_KEY,
            "a key can't be taken from the command line as it is.",
            "Java can't read its bytes as text in this locale.",
            "printf '%s\\n' KEY | woodbird check FILTER",
            "LC_ALL=C.UTF-8");
      }
    }
    return ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8));
  }

  private static OptionalLong value(Asker filter, String key, Answer answer) {
    return answer == Answer.MAYBE_HERE ? filter.value(bytesOf(key)) : OptionalLong.empty();
  }

  private static String valued(OptionalLong value) {
    return "value " + Long.toUnsignedString(value.getAsLong());
  }

  private static BigInteger unsigned(OptionalLong value) {
    return new BigInteger(Long.toUnsignedString(value.getAsLong()));
  }

  private static String words(Answer answer) {
    return answer.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  static void warnOfDoubts(Call call, Path path, Asker filter) {
    call.voice()
        .warn(
            path
                + " is damaged; \"unknown\" counts as maybe here: "
                + String.join("; ", filter.doubts()));
  }

  private static int stream(Call call, Path path, Asker filter) throws IOException {
    Format format = Format.of(call);
    Sieve sieve = new Sieve(call);
    List<Source> sources = Source.from(call);
    sources.forEach(Source::requireNotStdout);
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, sources, format, progress, "checking")) {
      int[] selected = new int[Lines.BATCH];
      for (int count = reading.next(); count > 0; count = reading.next()) {
        Lines batch = reading.batch();
        int kept = filter.candidates(batch, count, selected);
        sieve.pass(filter, batch, count, selected, kept);
      }
      progress.wipe();
      reading.warn(call.voice());
      return sieve.finish(path, filter, reading.lines());
    }
  }

  /** Passes lines on by the answers of a batch. */
  private static final class Sieve {
    private static final byte[] MAYBE = "maybe here\t".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NOT = "not here\t".getBytes(StandardCharsets.UTF_8);

    private final Call call;
    private final boolean silent;
    private final boolean inverted;
    private final boolean both;
    private long maybe;

    Sieve(Call call) {
      this.call = call;
      this.silent = call.has("count") || call.has("silent");
      this.inverted = call.has("not-here");
      this.both = call.has("both");
    }

    void pass(Asker filter, Lines batch, int count, int[] selected, int kept) throws IOException {
      maybe += kept;
      if (silent) {
        return;
      }
      OutputStream out = call.out();
      int next = 0;
      for (int i = 0; i < count; i++) {
        boolean here = next < kept && selected[next] == i;
        next += here ? 1 : 0;
        if (both) {
          out.write(here ? said(filter, batch.key(i)) : NOT);
        }
        if (both || here != inverted) {
          batch.write(i, out);
        }
      }
      if (call.isTerminal("out") || batch.wouldWait()) {
        out.flush();
      }
    }

    /** What is said of a line that may be here. A damaged map has no value for it. */
    private static byte[] said(Asker filter, ByteBuffer key) {
      OptionalLong value =
          filter.ask(key) == Answer.MAYBE_HERE ? filter.value(key) : OptionalLong.empty();
      return value.isEmpty() ? MAYBE : (valued(value) + "\t").getBytes(StandardCharsets.UTF_8);
    }

    int finish(Path path, Asker filter, long lines) throws IOException {
      if (call.has("count")) {
        call.print(inverted ? lines - maybe : maybe);
      }
      call.out().flush();
      List<String> doubts = filter.doubts();
      if (!doubts.isEmpty()) {
        warnOfDoubts(call, path, filter);
      }
      if (call.has("json")) {
        call.voice()
            .report(
                Json.report("woodbird.check/1")
                    .put("file", path.toString())
                    .put("lines", lines)
                    .put("maybeHere", maybe)
                    .put("notHere", lines - maybe)
                    .put("doubts", doubts));
      } else if (!call.has("silent")) {
        call.say(
            "%s: %s maybe here, %s not here",
            Units.count(lines, "line"), Units.count(maybe), Units.count(lines - maybe));
      }
      if (!doubts.isEmpty()) {
        return ExitCode.DAMAGED;
      }
      boolean nothing = inverted ? lines == maybe : maybe == 0;
      return nothing && (call.has("silent") || call.has("exit-code")) ? ExitCode.NO : ExitCode.DONE;
    }
  }
}
