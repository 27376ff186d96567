package io.woodbird.cli.model;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Paint;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Streams;
import io.woodbird.cli.say.Units;
import io.woodbird.cli.say.Voice;
import io.woodbird.console.shared.Amounts;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One use of a verb: its options and arguments, and where to read, write and speak. */
public final class Call {
  private final Spec spec;
  private final Parser.Parsed parsed;
  private final Streams streams;
  private final Voice voice;

  public Call(Spec spec, Parser.Parsed parsed, Streams streams) {
    this.spec = spec;
    this.parsed = parsed;
    this.streams = streams;
    this.voice = new Voice(streams, text("color", "auto"), has("quiet"), has("debug"));
  }

  /** The spec of the verb that was called. */
  public Spec spec() {
    return spec;
  }

  /** The arguments. */
  public List<String> words() {
    return parsed.words();
  }

  /** Whether an option was given. */
  public boolean has(String option) {
    return parsed.options().containsKey(option);
  }

  /** The value of an option, or null. */
  public @Nullable String text(String option) {
    return parsed.options().get(option);
  }

  /** The value of an option, or another. */
  public String text(String option, String otherwise) {
    return parsed.options().getOrDefault(option, otherwise);
  }

  /** All values of an option that may be given several times. */
  public List<String> texts(String option) {
    return parsed.values().getOrDefault(option, List.of());
  }

  /** A positive count, or another if it was not given. */
  public long count(String option, long otherwise) {
    String text = text(option);
    return text == null
        ? otherwise
        : positive(option, text, "a count", Amounts.count(text), "10M", "2e9", "1_000_000");
  }

  /** A positive count up to a limit, or another if it was not given. */
  public int count(String option, int otherwise, int most, String why) {
    long value = count(option, otherwise);
    if (value > most) {
      throw Problem.BAD_VALUE.failure(
          "--" + option + " must be at most " + Units.count(most) + ": " + text(option),
          why,
          "--" + option + " " + most);
    }
    return (int) value;
  }

  /** A positive number of bytes, or another if it was not given. */
  public long size(String option, long otherwise) {
    String text = text(option);
    if (text == null) {
      return otherwise;
    }
    String unit = Amounts.halfUnit(text);
    if (unit != null) {
      throw Problem.BAD_VALUE.failure(
          "--" + option + " " + text + ": is that " + text + "B or " + text + "iB?",
          "1 " + unit + "B is a power of 1000, 1 " + unit + "iB one of 1024.",
          "--" + option + " " + text + "B",
          "--" + option + " " + text + "iB");
    }
    return positive(option, text, "a size", Amounts.bytes(text), "500MB", "512MiB", "1.5GB");
  }

  /** A probability, or another if it was not given. */
  public double probability(String option, double otherwise) {
    String text = text(option);
    OptionalDouble value = text == null ? OptionalDouble.of(otherwise) : Amounts.probability(text);
    if (value.isEmpty()) {
      throw unread(option, text, "a probability above 0 and below 1", "0.1%", "1e-3", "1/1000");
    }
    return value.getAsDouble();
  }

  private static long positive(
      String option, String text, String what, OptionalLong value, String... examples) {
    if (value.isEmpty()) {
      throw unread(option, text, what, examples);
    }
    if (value.getAsLong() == 0) {
      throw Problem.BAD_VALUE.failure(
          "--" + option + " must be positive: " + text, "", "--" + option + " " + examples[0]);
    }
    return value.getAsLong();
  }

  private static Failure unread(
      String option, @Nullable String text, String what, String... examples) {
    return Problem.BAD_VALUE.failure(
        "--" + option + " \"" + text + "\" is not " + what + ".",
        "It is written like " + String.join(", ", examples) + ".",
        "--" + option + " " + examples[0]);
  }

  /** Refuses two options that exclude each other. */
  public void exclude(String one, String other) {
    if (has(one) && has(other)) {
      throw spec.misuse(Problem.CONFLICT, "--" + one + " and --" + other + " exclude each other.");
    }
  }

  /** Keys. */
  public InputStream in() {
    return streams.in();
  }

  /** Data, and nothing else. */
  public DataOut out() {
    return streams.out();
  }

  /** Everything that is said to people. */
  public Voice voice() {
    return voice;
  }

  /** Colours for stdout. */
  public Paint paint() {
    return Paint.of(streams, "out", text("color", "auto"));
  }

  /** Whether {@code "in"}, {@code "out"} or {@code "err"} is a terminal. */
  public boolean isTerminal(String stream) {
    return streams.terminals().contains(stream);
  }

  public Map<String, String> environment() {
    return streams.environment();
  }

  /** Starts to show how far the work is. */
  public Progress progress() {
    String mode = has("quiet") ? "never" : text("progress", "auto");
    return new Progress(streams, voice, mode);
  }

  /** Says a line to people, unless it should be quiet. */
  public void say(String form, Object... values) {
    voice.say(String.format(Locale.ROOT, form, values));
  }

  /** Warns people, quiet or not. */
  public void warn(String form, Object... values) {
    voice.warn(String.format(Locale.ROOT, form, values));
  }

  /** Writes a line to stdout, in UTF-8. */
  public void printf(String form, Object... values) throws IOException {
    print(String.format(Locale.ROOT, form, values));
  }

  /** Writes a line with a title in front to stdout. */
  public void line(String title, String form, Object... values) throws IOException {
    printf("  %-8s %s", title, String.format(Locale.ROOT, form, values));
  }

  /** Writes a line to stdout, in UTF-8. */
  public void print(Object line) throws IOException {
    out().print(line + "\n");
  }
}
