package io.woodbird;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The architecture, as far as imports show it: key to hash to layout to words to answer. */
final class ImportRulesTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final String FACE = "";
  private static final Set<String> FAMILIES =
      Set.of("filter.bloom", "filter.frozen", "filter.quotient", "filter.window");
  private static final Set<String> FAMILY =
      Set.of(FACE, "key", "layout", "words", "file", "filter");

  /**
   * Which packages each package may use besides its own; the face is the empty name. A new package
   * needs a line here.
   */
  private static final Map<String, Set<String>> ALLOWED =
      Map.ofEntries(
          entry(FACE, withFamilies("key", "layout", "words", "filter", "file")),
          entry("key", Set.of()),
          entry("layout", Set.of()),
          entry("words", Set.of()),
          entry("time", Set.of()),
          entry("file", Set.of(FACE, "key", "words")),
          // Only what opens a file of any family knows the families.
          entry("filter", withFamilies(FACE, "key", "layout", "words", "file")),
          entry("filter.bloom", FAMILY),
          entry("filter.frozen", FAMILY),
          entry("filter.quotient", FAMILY),
          // A window is made of Bloom filters.
          entry(
              "filter.window",
              Set.of(FACE, "key", "layout", "words", "file", "filter", "filter.bloom")),
          entry("classic", Set.of(FACE, "key", "layout", "words", "file")),
          // A guard knows the stores that processes share, and they speak of its generations.
          entry("guard", Set.of(FACE, "key", "time", "guard.shared")),
          entry("guard.shared", Set.of(FACE, "guard")));

  private static Set<String> withFamilies(String... others) {
    Set<String> all = new TreeSet<>(FAMILIES);
    all.addAll(List.of(others));
    return all;
  }

  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("//[^\n]*|/\\*.*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);
  private static final Pattern OURS =
      Pattern.compile("\\bio\\.woodbird((?:\\.[a-z][a-z0-9]*)*)\\b");
  private static final Pattern PACKAGE =
      Pattern.compile("^package io\\.woodbird\\.?([a-z.]*);", Pattern.MULTILINE);

  private static final List<Pattern> FORBIDDEN =
      List.of(
          Pattern.compile("\\bSerializable\\b|\\bExternalizable\\b|\\bObject(Out|In)putStream\\b"),
          Pattern.compile("\\b(sun\\.misc|jdk\\.internal|sun\\.nio)\\b|\\bUnsafe\\b"),
          Pattern.compile("\\bsetAccessible\\b|\\bUnsupportedOperationException\\b"),
          Pattern.compile("\\bSystem\\.(out|err)\\b|\\bjava\\.util\\.logging\\b"));

  /** What is wrong with a source file, or nothing. */
  private static List<String> violations(String source) {
    String code = COMMENT_OR_TEXT.matcher(source).replaceAll(" ");
    List<String> wrong = new ArrayList<>();
    Matcher declared = PACKAGE.matcher(code);
    if (!declared.find()) {
      return List.of("no package of ours");
    }
    String own = declared.group(1);
    Set<String> allowed = ALLOWED.get(own);
    if (allowed == null) {
      return List.of("the package " + own + " has no rule");
    }
    Matcher used = OURS.matcher(code);
    while (used.find()) {
      String name = used.group(1).isEmpty() ? FACE : used.group(1).substring(1);
      if (!name.equals(own) && !allowed.contains(name)) {
        wrong.add(own + " uses " + (name.isEmpty() ? "the face" : name));
      }
    }
    for (Pattern pattern : FORBIDDEN) {
      Matcher found = pattern.matcher(code);
      if (found.find()) {
        wrong.add("uses " + found.group());
      }
    }
    return wrong;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES.resolve("io/woodbird"))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  @Test
  void everySourceFileKeepsTheRules() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path file : sources()) {
      for (String violation : violations(Files.readString(file))) {
        wrong.add(SOURCES.relativize(file) + ": " + violation);
      }
    }
    assertThat(sources()).hasSizeGreaterThan(40);
    assertThat(wrong).isEmpty();
  }

  @Test
  void theRulesNoticeAViolation() {
    String head = "package io.woodbird.layout;\n";
    assertThat(violations(head + "import java.util.List;\nfinal class A {}")).isEmpty();
    assertThat(violations(head + "import io.woodbird.words.HeapWords;"))
        .containsExactly("layout uses words");
    assertThat(violations(head + "import static io.woodbird.words.HeapWords.index;"))
        .containsExactly("layout uses words");
    assertThat(violations(head + "class A { io.woodbird.Filter<String> f; }"))
        .containsExactly("layout uses the face");
    assertThat(violations(head + "import io.woodbird.*;")).containsExactly("layout uses the face");
    assertThat(violations(head + "import io.woodbird.filter.*;"))
        .containsExactly("layout uses filter");
    assertThat(violations("package io.woodbird.filter.frozen;\nimport io.woodbird.filter.bloom.A;"))
        .containsExactly("filter.frozen uses filter.bloom");
    assertThat(violations(head + "/** {@link io.woodbird.Filter} */ // io.woodbird.file.Header"))
        .isEmpty();
    assertThat(violations("package io.woodbird.file;\nimport io.woodbird.filter.FilterSpec;"))
        .containsExactly("file uses filter");
    assertThat(violations("package io.woodbird.key;\nimport io.woodbird.Filter;"))
        .containsExactly("key uses the face");
    assertThat(violations("package io.woodbird;\nimport io.woodbird.classic.Scheme;"))
        .containsExactly(" uses classic");
    assertThat(violations("package io.woodbird.helper;")).hasSize(1);
    assertThat(violations("class A {}")).hasSize(1);
    assertThat(violations(head + "class A implements java.io.Serializable {}"))
        .containsExactly("uses Serializable");
    assertThat(violations(head + "import sun.misc.Unsafe;")).containsExactly("uses sun.misc");
    assertThat(
            violations(
                head + "class A { void a() { throw new UnsupportedOperationException(); } }"))
        .hasSize(1);
    assertThat(violations(head + "class A { String s = \"Unsafe io.woodbird.file\"; }")).isEmpty();
  }

  /** Types whose content changes, so that a static one is state even if the field is final. */
  private static final List<Class<?>> MUTABLE =
      List.of(Random.class, ThreadLocal.class, StringBuilder.class, Collection.class, Map.class);

  private static List<String> mutableStatics(Class<?> type) throws IllegalAccessException {
    List<String> found = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
        boolean changing =
            field.getType().getName().startsWith("java.util.concurrent")
                || MUTABLE.stream().anyMatch(mutable -> mutable.isAssignableFrom(field.getType()))
                    && !isImmutable(field);
        if (!Modifier.isFinal(field.getModifiers()) || changing) {
          found.add(type.getName() + "." + field.getName());
        }
      }
    }
    return found;
  }

  /** What List.of and Map.of make. */
  private static boolean isImmutable(Field field) throws IllegalAccessException {
    field.setAccessible(true);
    Object value = field.get(null);
    return value != null && value.getClass().getName().startsWith("java.util.ImmutableCollections");
  }

  @Test
  void noStaticFieldChanges() throws Exception {
    Path classes =
        Path.of(Filter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> found = new TreeSet<>();
    int looked = 0;
    try (Stream<Path> files = Files.walk(classes.resolve("io/woodbird"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        String name =
            classes.relativize(file).toString().replace(file.getFileSystem().getSeparator(), ".");
        if (!name.endsWith("-info.class")) {
          String type = name.substring(0, name.length() - ".class".length());
          found.addAll(mutableStatics(Class.forName(type)));
          looked++;
        }
      }
    }
    assertThat(looked).isGreaterThan(40);
    assertThat(found).isEmpty();
  }

  @SuppressWarnings("unused")
  private static final class Wrong {
    static int counter;
    static final List<String> NAMES = new ArrayList<>();
    static final List<String> FIXED = List.of("a");
    static final AtomicLong NEXT = new AtomicLong();
    static final Random RANDOM = new Random(1);
    static final int LIMIT = 3;
    int own;
  }

  @Test
  void theSearchForStaticsNoticesThem() throws IllegalAccessException {
    String wrong = Wrong.class.getName();
    assertThat(mutableStatics(Wrong.class))
        .containsExactlyInAnyOrder(
            wrong + ".counter", wrong + ".NAMES", wrong + ".NEXT", wrong + ".RANDOM");
  }
}
