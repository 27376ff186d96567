package io.woodbird.cli.model;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a verb is and takes: the one model that parsing, help, man page and completion are made of.
 *
 * @param name the verb
 * @param summary one line, no full stop
 * @param arguments as they stand in the usage line, such as {@code "FILE..."}
 * @param leastArguments how many there must be
 * @param mostArguments how many there may be
 * @param about what a newcomer should know, paragraphs of text
 * @param options its options, without those that all verbs have
 * @param examples how it is used
 * @param choices words that may stand as arguments, for completion
 */
public record Spec(
    String name,
    String summary,
    String arguments,
    int leastArguments,
    int mostArguments,
    String about,
    List<Option> options,
    List<Example> examples,
    List<String> choices) {
  /** What every verb takes. */
  public static final List<Option> COMMON =
      List.of(
          Option.flag("help", "show this page").letter('h'),
          Option.flag("quiet", "no summary and no progress; data, warnings and errors stay")
              .letter('q'),
          Option.value("progress", "MODE", "auto, always, never, or plain (a line every 10 s)")
              .choices("auto", "always", "never", "plain"),
          Option.value("color", "MODE", "auto, always or never; NO_COLOR counts too")
              .choices("auto", "always", "never"),
          Option.flag("debug", "show stack traces"));

  /** What every verb takes that reads lines. */
  public static final List<Option> INPUT =
      List.of(
          Option.flag("null", "lines end in a NUL byte, not in a line end").letter('0'),
          Option.flag("crlf", "lines end in CR LF, and the CR is not part of the key"),
          Option.flag("csv", "the key is a field of a CSV record (with --field)"),
          Option.flag("tsv", "the key is a field between tabs (with --field)"),
          Option.value(
              "delimiter", "C", "the key is what stands before the first C (or --field N)"),
          Option.value(
              "field",
              "NAME|N",
              "which field: its name in the first line, which is then no record, or its number"),
          Option.value("json-field", "PATH", "the key is a member of a JSON object: .user.id"),
          Option.flag("skip-bad", "leave out lines without the field, and count them"),
          Option.flag("no-decompress", "take gzip and zstd input as it is"));

  /** What every verb takes that makes or asks a filter. */
  public static final List<Option> KEYS =
      List.of(
          Option.value("key", "KIND", "lines are bytes, int (decimal numbers) or uuid")
              .choices("bytes", "int", "uuid"),
          Option.flag("hex", "lines are bytes in hexadecimal, such as checksums; of either case"),
          Option.flag("lower", "A to Z count as a to z; other letters stay as they are"),
          Option.flag("url", "lines are URLs, normalised by their syntax (RFC 3986, 6.2.2)"),
          Option.file("secret", "hash under the 16 bytes in this file (for hostile keys)"));

  /** An example: the command and what it does. */
  public record Example(String command, String does) {}

  /** Begins a spec. */
  public static Builder of(String name, String summary) {
    return new Builder(name, summary);
  }

  /** Finds an option by its long name, or those that all verbs have. */
  public @Nullable Option option(String longName) {
    return find(option -> option.name().equals(longName));
  }

  @Nullable Option option(char letter) {
    return find(option -> option.letter() == letter);
  }

  private @Nullable Option find(Predicate<Option> wanted) {
    return allOptions().stream().filter(wanted).findFirst().orElse(null);
  }

  /** Its own options, then the common ones. */
  public List<Option> allOptions() {
    List<Option> all = new ArrayList<>(options);
    for (Option option : COMMON) {
      if (options.stream().noneMatch(own -> own.name().equals(option.name()))) {
        all.add(option);
      }
    }
    return all;
  }

  /** The long names of all options, with their dashes. */
  List<String> optionNames() {
    return allOptions().stream().map(option -> "--" + option.name()).toList();
  }

  public String usage() {
    return "woodbird " + name + " [OPTIONS]" + (arguments.isEmpty() ? "" : " " + arguments);
  }

  /** Says what is wrong with a call of the verb, and how it is called. */
  public Failure misuse(Problem problem, String what) {
    return problem.failure(what, usage(), "woodbird help " + name);
  }

  public static final class Builder {
    private final String name;
    private final String summary;
    private String arguments = "";
    private int least;
    private int most;
    private String about = "";
    private final List<Option> options = new ArrayList<>();
    private final List<Example> examples = new ArrayList<>();
    private List<String> choices = List.of();

    private Builder(String name, String summary) {
      this.name = name;
      this.summary = summary;
    }

    /** Sets how many arguments there are and what they are called. */
    public Builder arguments(String form, int fewest, int largest) {
      arguments = form;
      least = fewest;
      most = largest;
      return this;
    }

    public Builder about(String text) {
      about = text.strip();
      return this;
    }

    public Builder options(Option... more) {
      options.addAll(List.of(more));
      return this;
    }

    public Builder options(List<Option> more) {
      options.addAll(more);
      return this;
    }

    public Builder example(String command, String does) {
      examples.add(new Example(command, does));
      return this;
    }

    /** Sets the words that may stand as arguments. */
    public Builder choices(List<String> words) {
      choices = words;
      return this;
    }

    public Spec build() {
      return new Spec(
          name,
          summary,
          arguments,
          least,
          most,
          about,
          List.copyOf(options),
          List.copyOf(examples),
          List.copyOf(choices));
    }
  }
}
