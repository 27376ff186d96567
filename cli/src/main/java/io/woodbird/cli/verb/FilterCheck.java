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
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Asks the filter of {@code check}, or the lists of {@code check --in}, about keys or lines. */
final class FilterCheck implements AutoCloseable {
  private final Call call;
  private final List<String> names;
  private final List<Asker> filters = new ArrayList<>();
  private final long[] found; // Lines, by filter.
  private final boolean lists;
  private final boolean silent;
  private final boolean inverted;
  private final boolean both;
  private long anywhere;

  FilterCheck(Call call, List<String> names) throws IOException {
    this.call = call;
    this.names = names;
    this.found = new long[names.size()];
    this.lists = call.has("in");
    this.silent = call.has("count") || call.has("silent");
    this.inverted = call.has("not-here");
    this.both = call.has("both");
    try {
      for (String name : names) {
        filters.add(Asker.open(call, Source.pathOf(name)));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Asks about keys, and returns the exit code. */
  int ask(List<String> keys) throws IOException {
    List<Json> answers = new ArrayList<>();
    boolean unknown = false;
    for (String key : keys) {
      Answer answer = Answer.NOT_HERE;
      List<String> in = new ArrayList<>();
      List<String> shown = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        answer = filters.get(i).ask(CheckVerb.bytesOf(key));
        unknown |= answer == Answer.UNKNOWN;
        if (answer != Answer.NOT_HERE) {
          in.add(names.get(i));
          shown.add(names.get(i) + (answer == Answer.UNKNOWN ? "?" : ""));
        }
      }
      anywhere += in.isEmpty() ? 0 : 1;
      if (call.has("json")) {
        Json one = new Json().put("key", key);
        answers.add(lists ? one.put("in", in) : described(one, key, answer));
      } else if (!silent) {
        String said = lists && !in.isEmpty() ? String.join(",", shown) : said(key, answer);
        call.print(keys.size() == 1 ? said : said + "\t" + key);
      }
    }
    if (call.has("json")) {
      call.print(report(names).put("answers", answers));
    } else if (call.has("count")) {
      call.print(inverted ? keys.size() - anywhere : anywhere);
    }
    if (lists || unknown) {
      warn();
    }
    return unknown ? ExitCode.DAMAGED : anywhere == keys.size() ? ExitCode.DONE : ExitCode.NO;
  }

  private Json report(Object files) {
    Json report = Json.report("woodbird.check/1");
    return lists
        ? report.put("files", files)
        : report.put("file", Source.pathOf(names.get(0)).toString());
  }

  private Json described(Json one, String key, Answer answer) {
    OptionalLong value = value(CheckVerb.bytesOf(key), answer);
    one.put("answer", answer.name());
    return value.isEmpty()
        ? one
        : one.put("value", new BigInteger(Long.toUnsignedString(value.getAsLong())));
  }

  private String said(String key, Answer answer) {
    OptionalLong value = value(CheckVerb.bytesOf(key), answer);
    return value.isPresent()
        ? valued(value)
        : answer.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The value of a key, if there is one filter and it is a map. */
  private OptionalLong value(ByteBuffer key, Answer answer) {
    return answer == Answer.MAYBE_HERE && !lists ? filters.get(0).value(key) : OptionalLong.empty();
  }

  private static String valued(OptionalLong value) {
    return "value " + Long.toUnsignedString(value.getAsLong());
  }

  /** Asks about the lines of a stream, passes some of them, and returns the exit code. */
  int stream() throws IOException {
    Format format = Format.of(call);
    List<Source> sources = Source.from(call);
    sources.forEach(Source::requireNotStdout);
    try (Progress progress = call.progress();
        Reading reading = new Reading(call, sources, format, progress, "checking")) {
      boolean[][] here = new boolean[filters.size()][Lines.BATCH];
      int[] selected = new int[Lines.BATCH];
      for (int count = reading.next(); count > 0; count = reading.next()) {
        for (int i = 0; i < here.length; i++) {
          Arrays.fill(here[i], false);
          int kept = filters.get(i).candidates(reading.batch(), count, selected);
          found[i] += kept;
          for (int j = 0; j < kept; j++) {
            here[i][selected[j]] = true;
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
    for (int line = 0; line < count; line++) {
      boolean any = false;
      for (boolean[] one : here) {
        any |= one[line];
      }
      anywhere += any ? 1 : 0;
      if (silent || !(both || any != inverted)) {
        continue;
      }
      if (both || (lists && any)) {
        String answer = any ? where(batch.key(line), line, here) : "not here";
        out.write((answer + "\t").getBytes(StandardCharsets.UTF_8));
      }
      batch.write(line, out);
    }
    if (call.isTerminal("out") || batch.wouldWait()) {
      out.flush();
    }
  }

  /** What is said of a line that may be here. A damaged map has no value for it. */
  private String where(ByteBuffer key, int line, boolean[][] here) {
    if (!lists) {
      OptionalLong value = value(key, filters.get(0).ask(key));
      return value.isPresent() ? valued(value) : "maybe here";
    }
    List<String> in = new ArrayList<>();
    for (int i = 0; i < here.length; i++) {
      if (here[i][line]) {
        in.add(names.get(i));
      }
    }
    return String.join(",", in);
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
      Json report = report(files).put("lines", lines).put("maybeHere", anywhere);
      call.voice().report(report.put("notHere", lines - anywhere).put("doubts", doubts));
    } else if (!call.has("silent")) {
      StringBuilder each = new StringBuilder();
      for (int i = 0; lists && i < found.length; i++) {
        each.append(", ").append(Units.count(found[i])).append(" in ").append(names.get(i));
      }
      call.say(
          lists ? "%s: %s maybe in a list, %s in none%s" : "%s: %s maybe here, %s not here%s",
          Units.count(lines, "line"),
          Units.count(anywhere),
          Units.count(lines - anywhere),
          each);
    }
    boolean told = call.has("silent") || call.has("exit-code");
    return !doubts.isEmpty() ? ExitCode.DAMAGED : told && passed == 0 ? ExitCode.NO : ExitCode.DONE;
  }

  /** Warns of filters that are damaged, and returns what is wrong with them. */
  private List<String> warn() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      List<String> doubts = filters.get(i).doubts();
      if (!doubts.isEmpty()) {
        String joined = String.join("; ", doubts);
        call.warn(
            "%s is damaged; \"unknown\" counts as maybe here: %s",
            Source.pathOf(names.get(i)), joined);
        all.addAll(lists ? List.of(names.get(i) + ": " + joined) : doubts);
      }
    }
    return all;
  }

  @Override
  public void close() {
    filters.forEach(Asker::close);
  }
}
