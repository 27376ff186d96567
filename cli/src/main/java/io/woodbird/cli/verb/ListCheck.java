package io.woodbird.cli.verb;

import io.woodbird.Answer;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.Lines;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code check --in}: asks several filters which of them have a key. */
final class ListCheck implements AutoCloseable {
  private final Call call;
  private final List<String> names;
  private final List<Asker> lists = new ArrayList<>();
  private final long[] found; // Lines, by list.
  private final boolean silent;
  private final boolean inverted;
  private final boolean both;
  private long anywhere;

  private ListCheck(Call call) throws IOException {
    this.call = call;
    this.names = call.texts("in");
    this.found = new long[names.size()];
    this.silent = call.has("count") || call.has("silent");
    this.inverted = call.has("not-here");
    this.both = call.has("both");
    try {
      for (String name : names) {
        lists.add(Asker.open(call, Source.pathOf(name)));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Asks.
   *
   * @param keys the keys; none if lines are read
   * @return the exit code
   */
  static int run(Call call, List<String> keys) throws IOException {
    try (ListCheck check = new ListCheck(call)) {
      return keys.isEmpty() ? check.stream() : check.ask(keys);
    }
  }

  private int ask(List<String> keys) throws IOException {
    List<Json> answers = new ArrayList<>();
    boolean unknown = false;
    for (String key : keys) {
      List<String> in = new ArrayList<>();
      List<String> shown = new ArrayList<>();
      for (int i = 0; i < lists.size(); i++) {
        Answer answer = lists.get(i).ask(CheckVerb.bytesOf(key));
        unknown |= answer == Answer.UNKNOWN;
        if (answer != Answer.NOT_HERE) {
          in.add(names.get(i));
          shown.add(names.get(i) + (answer == Answer.UNKNOWN ? "?" : ""));
        }
      }
      anywhere += in.isEmpty() ? 0 : 1;
      answers.add(new Json().put("key", key).put("in", in));
      if (!call.has("json") && !silent) {
        String said = shown.isEmpty() ? "not here" : String.join(",", shown);
        call.print(keys.size() == 1 ? said : said + "\t" + key);
      }
    }
    if (call.has("json")) {
      call.print(Json.report("woodbird.check/1").put("files", names).put("answers", answers));
    } else if (call.has("count")) {
      call.print(inverted ? keys.size() - anywhere : anywhere);
    }
    warn();
    CheckVerb.hintAtFiles(call, keys);
    return unknown ? ExitCode.DAMAGED : anywhere == keys.size() ? ExitCode.DONE : ExitCode.NO;
  }

  private int stream() throws IOException {
    Format format = Format.of(call);
    List<Source> sources = Source.from(call);
    sources.forEach(Source::requireNotStdout);
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, sources, format, progress, "checking")) {
      boolean[][] here = new boolean[lists.size()][Lines.BATCH];
      int[] selected = new int[Lines.BATCH];
      for (int count = reading.next(); count > 0; count = reading.next()) {
        for (int list = 0; list < here.length; list++) {
          Arrays.fill(here[list], false);
          int kept = lists.get(list).candidates(reading.batch(), count, selected);
          found[list] += kept;
          for (int i = 0; i < kept; i++) {
            here[list][selected[i]] = true;
          }
        }
        pass(reading.batch(), count, here);
      }
      progress.wipe();
      reading.warn(call.voice());
      return finish(reading.lines());
    }
  }

  private void pass(Lines batch, int count, boolean[][] here) throws IOException {
    OutputStream out = call.out();
    StringBuilder in = new StringBuilder();
    for (int line = 0; line < count; line++) {
      in.setLength(0);
      for (int list = 0; list < here.length; list++) {
        if (here[list][line]) {
          in.append(in.isEmpty() ? "" : ",").append(names.get(list));
        }
      }
      boolean any = !in.isEmpty();
      anywhere += any ? 1 : 0;
      if (silent || !(both || any != inverted)) {
        continue;
      }
      if (any || both) {
        in.append(any ? "\t" : "not here\t");
        out.write(in.toString().getBytes(StandardCharsets.UTF_8));
      }
      batch.write(line, out);
    }
    if (call.isTerminal("out") || batch.wouldWait()) {
      out.flush();
    }
  }

  private int finish(long lines) throws IOException {
    long passed = inverted ? lines - anywhere : anywhere;
    if (call.has("count")) {
      call.print(passed);
    }
    call.out().flush();
    List<String> doubts = warn();
    if (call.has("json")) {
      List<Json> files = new ArrayList<>();
      for (int i = 0; i < found.length; i++) {
        files.add(new Json().put("file", names.get(i)).put("maybeHere", found[i]));
      }
      call.voice()
          .report(
              Json.report("woodbird.check/1")
                  .put("files", files)
                  .put("lines", lines)
                  .put("maybeHere", anywhere)
                  .put("notHere", lines - anywhere)
                  .put("doubts", doubts));
    } else if (!call.has("silent")) {
      StringBuilder each = new StringBuilder();
      for (int i = 0; i < found.length; i++) {
        each.append(", ").append(Units.count(found[i])).append(" in ").append(names.get(i));
      }
      call.say(
          "%s: %s maybe in a list, %s in none%s",
          Units.count(lines, "line"), Units.count(anywhere), Units.count(lines - anywhere), each);
    }
    boolean told = call.has("silent") || call.has("exit-code");
    return !doubts.isEmpty() ? ExitCode.DAMAGED : told && passed == 0 ? ExitCode.NO : ExitCode.DONE;
  }

  /** Warns of lists that are damaged, and returns what is wrong with them. */
  private List<String> warn() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < lists.size(); i++) {
      List<String> doubts = lists.get(i).doubts();
      if (!doubts.isEmpty()) {
        CheckVerb.warnOfDoubts(call, Source.pathOf(names.get(i)), lists.get(i));
        all.add(names.get(i) + ": " + String.join("; ", doubts));
      }
    }
    return all;
  }

  @Override
  public void close() {
    lists.forEach(Asker::close);
  }
}
