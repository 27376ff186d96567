package io.woodbird.cli.verb;

import io.woodbird.cli.lines.Comparison;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.ScratchFile;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** {@code diff} and {@code common}: the lines of A that are not in B, or that are. */
public record DiffVerb(boolean common) implements Verb {
  private static final long DEFAULT_MEMORY = 512_000_000;

  /** What the process takes besides what is counted: the JVM, buffers, code. */
  private static final long MACHINE = 128_000_000;

  @Override
  public Spec spec() {
    String name = common ? "common" : "diff";
    String what = common ? "lines of A that are also in B" : "lines of A that are not in B";
    return Spec.of(name, what + ", exactly")
        .arguments("A B", 2, 2)
        .about(
            "Prints the "
                + what
                + """
                , in the order of A, each as often as A has it. The answer is
                exact: a filter over B decides most lines, and those that may be in B are compared byte by byte.
                Nothing is sorted. The files may be larger than memory; lines that seem to be in both go to
                temporary files. One of A and B may be - (stdin), which is copied to a temporary file.""")
        .options(
            Option.value("memory", "SIZE", "about what the process may take (default 512MB)"),
            Option.file("tmp", "the folder for temporary files"),
            Option.flag("count", "print only the count").letter('c'),
            Option.flag("json", "the summary as JSON on stderr, schema woodbird." + name + "/1"))
        .options(Spec.INPUT)
        .example(
            "woodbird " + name + " today.txt known.txt",
            common ? "lines of today that known has too" : "what is new today")
        .example(
            "woodbird " + name + " --csv --field email a.csv b.csv",
            "records of a.csv by their email")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    Source a = Source.of(call.words().get(0));
    Source b = Source.of(call.words().get(1));
    if (a.path() == null && b.path() == null) {
      throw Problem.CONFLICT.failure(
          "A and B can't both be stdin.", call.spec().usage(), "FILE - or - FILE");
    }
    long memory = call.size("memory", DEFAULT_MEMORY);
    if (memory < MACHINE + 32_000_000) {
      throw Problem.BAD_VALUE.failure(
          "--memory must be at least 160MB: " + call.text("memory"),
          "The Java machine alone takes about 128 MB.",
          "--memory 256MB");
    }
    Format format = Format.of(call);
    Path folder = ScratchFile.folder(call);
    boolean silent = call.has("count");
    long[] passed = {0};
    try (Progress progress = call.progress();
        Comparison comparison = new Comparison(call, format, progress, room(memory), folder)) {
      OutputStream out = call.out();
      comparison.run(
          a,
          b,
          (batch, line, inB) -> {
            if (inB == common) {
              passed[0]++;
              if (!silent) {
                batch.write(line, out);
              }
            }
          });
      if (silent) {
        call.print(passed[0]);
      }
      out.flush();
      progress.wipe();
      report(call, comparison, passed[0], progress.seconds());
    }
    return ExitCode.DONE;
  }

  /** The memory that may be used: what --memory allows, but not more than the heap has. */
  private static long room(long memory) {
    return Math.min(memory - MACHINE, Runtime.getRuntime().maxMemory() / 5 * 4);
  }

  private void report(Call call, Comparison comparison, long passed, double seconds) {
    if (call.has("json")) {
      call.voice()
          .report(
              Json.report("woodbird." + call.spec().name() + "/1")
                  .put("linesOfA", comparison.linesOfA())
                  .put("linesOfB", comparison.linesOfB())
                  .put("passed", passed)
                  .put("compared", comparison.candidates())
                  .put("seconds", seconds));
      return;
    }
    call.say(
        "%s of %s %s among the %s of %s; %s compared byte by byte, %s",
        Units.count(passed),
        Units.count(comparison.linesOfA(), "line"),
        (passed == 1 ? "is " : "are ") + (common ? "also" : "not"),
        Units.count(comparison.linesOfB()),
        call.words().get(1),
        Units.count(comparison.candidates()),
        Units.seconds(seconds));
  }
}
