package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every class, test and benchmark that a page or a comment names exists. */
final class NamesTest {
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

  private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

  /**
   * A name of two words or more, such as HeapWords, or a name in a link. In comments, other names
   * are words of English too often.
   */
  private static final Pattern IN_COMMENT =
      Pattern.compile("\\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\\b|@link(?:plain)? ([A-Z]\\w*)");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```");

  /** A name with a capital letter and a small one, alone or before a member, in code marks. */
  private static final Pattern IN_PAGE =
      Pattern.compile("`@?([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:[.#(<][^`]*)?`");

  /** What a build has made. */
  private static final Pattern TARGET = Pattern.compile("(^|[/\\\\])target[/\\\\]");

  private static final List<String> JDK =
      List.of(
          "java.lang.",
          "java.util.",
          "java.util.PrimitiveIterator$",
          "java.util.concurrent.",
          "java.util.concurrent.locks.",
          "java.util.spi.",
          "java.util.stream.",
          "java.io.",
          "java.nio.",
          "java.nio.channels.",
          "java.security.",
          "java.time.",
          "javax.tools.");

  /** What other libraries call their own, and words that only look like a class. */
  private static final Set<String> FOREIGN =
      Set.of(
          "AaAa",
          "ApplicationName",
          "ArchiveClassesAtExit",
          "Async",
          "B374D848",
          "BitSetBloomFilter",
          "Bloom",
          "Cacheable",
          "ConfigException",
          "DargLine",
          "DataSketches",
          "Dataset",
          "EnableCaching",
          "EnhancedDoubleHasher",
          "ExtractNewRecordState",
          "Flux",
          "GitHub",
          "Hashing",
          "HotSpot",
          "HyperLogLog",
          "InfiniFilter",
          "JacksonException",
          "JavaScript",
          "Kryo5Codec",
          "LettuceConnectionFactory",
          "Mono",
          "MurmurHash3",
          "RBloomFilter",
          "RedisClient",
          "RedisClusterClient",
          "SimpleBloomFilter",
          "SplitMix64",
          "StringCodec",
          "TaskDecorator",
          "Unsafe",
          "WIend",
          "WSect",
          "Xor16",
          "Xor8",
          "XorFuse8");

  private static List<Path> sources() {
    try (Stream<Path> files = Files.walk(Page.root())) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !TARGET.matcher(Page.root().relativize(file).toString()).find())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> declared(List<Path> sources) throws IOException {
    Set<String> names = new HashSet<>();
    for (Path source : sources) {
      Matcher found = DECLARED.matcher(Files.readString(source));
      found.results().forEach(result -> names.add(result.group(1)));
    }
    return names;
  }

  /** The names in the comments of a source that mean nothing. */
  private static List<String> unknownInComments(String source, Set<String> declared) {
    List<String> unknown = new ArrayList<>();
    for (MatchResult comment : COMMENT.matcher(source).results().toList()) {
      for (MatchResult name : IN_COMMENT.matcher(comment.group()).results().toList()) {
        String word = name.group(1) != null ? name.group(1) : name.group(2);
        if (!exists(word, declared)) {
          unknown.add(word);
        }
      }
    }
    return unknown;
  }

  private static List<String> unknownOnPage(String page, Set<String> declared) {
    return IN_PAGE
        .matcher(BLOCK.matcher(page).replaceAll(""))
        .results()
        .map(name -> name.group(1))
        .filter(name -> !exists(name, declared))
        .toList();
  }

  private static boolean exists(String name, Set<String> declared) {
    return declared.contains(name)
        || FOREIGN.contains(name)
        || JDK.stream().anyMatch(folder -> isClass(folder + name));
  }

  private static boolean isClass(String name) {
    try {
      Class.forName(name, false, NamesTest.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return false;
    }
  }

  @Test
  void everyNameInAComment_exists() throws IOException {
    List<Path> sources = sources();
    Set<String> declared = declared(sources);
    List<String> unknown = new ArrayList<>();
    for (Path source : sources) {
      if (!source.endsWith("NamesTest.java")) {
        for (String name : unknownInComments(Files.readString(source), declared)) {
          unknown.add(source.getFileName() + ": " + name);
        }
      }
    }
    assertThat(declared).hasSizeGreaterThan(800);
    assertThat(unknown).isEmpty();
  }

  @Test
  void everyNameOnAPage_exists() throws IOException {
    Set<String> declared = declared(sources());
    List<String> unknown = new ArrayList<>();
    for (String page : Page.all()) {
      String text = Files.readString(Page.root().resolve(page));
      unknownOnPage(text, declared).forEach(name -> unknown.add(page + ": " + name));
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void aNameThatMeansNothing_isNoticed() {
    Set<String> ours = Set.of("Guard", "LookupBench");
    assertThat(unknownOnPage("`Guard.over` and `Gard`, `String`\n```\n`Gart`\n```\n", ours))
        .containsExactly("Gard");
    assertThat(
            unknownInComments(
                "int a; // LookupBench, LookBench, HeapWord\n/** {@link Guard} {@link Gard} */",
                ours))
        .containsExactly("LookBench", "HeapWord", "Gard");
  }
}
