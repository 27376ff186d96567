package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.Problem;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** {@code check}: asks a filter about keys, or passes the lines that may be in it. */
public final class CheckVerb implements Verb {
  @Override
  public Spec spec() {
    return Spec.of("check", "ask a filter about keys, or pass the lines that may be in it")
        .arguments("FILTER [KEY...]", 0, Integer.MAX_VALUE)
        .about(
            """
            With KEY: says "maybe here" or "not here" for each; exit code 0 if all may be here, 10 if
            one is certainly not. Without, or with - alone: reads lines from stdin (or --from) and passes
            those that may be here; with --not-here those that certainly are not. Of a map, the answer to
            a KEY, and to a line with --both, is its value.

            With --in, which may be given many times, there is no FILTER: each KEY or line is asked of all
            lists, and printed with a tab and the names of those that may have it before it. "?" behind a
            name, for a KEY: that part of the list is damaged.

            With --key, which may be given many times, a filter that none of these keys signed is refused, and a
            page that is not the one that was signed is damaged.

            A damaged part of the file counts as maybe here, with exit code 4; a KEY is answered "unknown".""")
        .options(
            Option.file("in", "ask this filter; several are asked which of them have a key"),
            Option.flag("not-here", "pass the lines that are certainly not here").letter('v'),
            Option.flag("both", "pass every line, with its answer and a tab before it"),
            Option.flag("count", "print only the count").letter('c'),
            Option.flag(
                    "silent",
                    "print nothing; exit code 10 if no line is passed, or not every KEY may be here")
                .letter('s'),
            Option.flag("exit-code", "of a stream: exit code 10 if no line is passed"),
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
    boolean lists = call.has("in");
    if (!lists && call.words().isEmpty()) {
      throw call.spec().misuse(Problem.MISSING, "'check' needs FILTER [KEY...].");
    }
    List<String> keys = lists ? keys(call, call.words()) : keys(call);
    List<String> filters = lists ? call.texts("in") : call.words().subList(0, 1);
    try (FilterCheck check = new FilterCheck(call, filters)) {
      int code = keys.isEmpty() ? check.stream() : check.ask(keys);
      if (!lists) {
        hintAtFilters(call, keys);
      }
      hintAtFiles(call, keys);
      return code;
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
      throw Problem.CONFLICT.failure(
          "- is stdin, and can't stand among keys.",
          "The key \"-\" itself is given as a line.",
          "echo - | woodbird " + call.spec().name() + " FILTER");
    }
    return List.of();
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
        throw Problem.BAD_KEY.failure(
            "a key can't be taken from the command line as it is.",
            "Java can't read its bytes as text in this locale.",
            "printf '%s\\n' KEY | woodbird check FILTER",
            "LC_ALL=C.UTF-8");
      }
    }
    return ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8));
  }
}
