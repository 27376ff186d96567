package io.woodbird;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public face, one line per type and member, is what {@code docs/reference/api.txt} says: a
 * change of it is seen in review. {@code -DargLine=-Dwoodbird.write} writes the list anew.
 */
final class ApiListTest {
  private static final Path LIST = Path.of("../docs/reference/api.txt");
  private static final Path ARCHITECTURE = Path.of("../docs/architecture.md");
  private static final int FACE = Modifier.PUBLIC | Modifier.PROTECTED;

  private static List<String> exported() throws IOException {
    return Pattern.compile("(?m)^  exports ([a-z.]+);")
        .matcher(Files.readString(Path.of("src/main/java/module-info.java")))
        .results()
        .map(result -> result.group(1))
        .sorted()
        .toList();
  }

  /** The public types of the exported packages by name, nested ones behind their own. */
  private static Collection<Class<?>> types() throws IOException, URISyntaxException {
    Path classes =
        Path.of(Woodbird.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    TreeMap<String, Class<?>> types = new TreeMap<>();
    for (String name : exported()) {
      try (Stream<Path> files = Files.list(classes.resolve(name.replace('.', '/')))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          String simple = file.getFileName().toString().replaceFirst("\\.class$", "");
          if (!simple.equals("package-info")) {
            add(load(name + "." + simple), types);
          }
        }
      }
    }
    return types.values();
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, ApiListTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static void add(Class<?> type, TreeMap<String, Class<?>> types) {
    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
      if ((outer.getModifiers() & FACE) == 0) {
        return;
      }
    }
    if (!type.isAnonymousClass() && !type.isLocalClass()) {
      types.put(type.getName(), type);
    }
  }

  private static List<String> list() throws IOException, URISyntaxException {
    List<String> lines = new ArrayList<>();
    for (Class<?> type : types()) {
      lines.add(head(type));
      TreeSet<String> members = new TreeSet<>();
      for (Field field : type.getDeclaredFields()) {
        if ((field.getModifiers() & FACE) != 0 && !field.isSynthetic()) {
          members.add(field.isEnumConstant() ? field.getName() : plain(field.toGenericString()));
        }
      }
      for (Constructor<?> made : type.getDeclaredConstructors()) {
        if ((made.getModifiers() & FACE) != 0 && !made.isSynthetic()) {
          members.add(plain(made.toGenericString()));
        }
      }
      for (Method method : methods(type)) {
        members.add(plain(method.toGenericString()));
      }
      members.forEach(member -> lines.add("  " + member));
    }
    return lines;
  }

  private static List<Method> methods(Class<?> type) {
    // What a parent that is not public declares is seen through this type only.
    return Stream.concat(Arrays.stream(type.getMethods()), Arrays.stream(type.getDeclaredMethods()))
        .filter(method -> (method.getModifiers() & FACE) != 0)
        .filter(method -> !method.isSynthetic() && !method.isBridge() && !made(type, method))
        .filter(
            method ->
                method.getDeclaringClass() == type
                    || (method.getDeclaringClass().getModifiers() & Modifier.PUBLIC) == 0)
        .toList();
  }

  /** Whether the compiler wrote it: every record and every enum has it. */
  private static boolean made(Class<?> type, Method method) {
    Set<String> names =
        type.isRecord()
            ? Set.of("equals", "hashCode", "toString")
            : type.isEnum() ? Set.of("values", "valueOf") : Set.of();
    return names.contains(method.getName());
  }

  private static String head(Class<?> type) {
    String kind =
        type.isAnnotation()
            ? "annotation"
            : type.isInterface()
                ? "interface"
                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    StringBuilder head = new StringBuilder();
    if (type.isSealed()) {
      head.append("sealed ");
    }
    if (kind.equals("class")) {
      head.append(Modifier.isAbstract(type.getModifiers()) ? "abstract " : "");
      head.append(Modifier.isFinal(type.getModifiers()) ? "final " : "");
    }
    head.append(kind).append(' ').append(type.getName().replace('$', '.'));
    if (type.getTypeParameters().length > 0) {
      head.append(
          Arrays.stream(type.getTypeParameters())
              .map(TypeVariable::getName)
              .collect(Collectors.joining(", ", "<", ">")));
    }
    List<Type> parents = new ArrayList<>(Arrays.asList(type.getGenericInterfaces()));
    if (kind.equals("class") && type.getSuperclass() != Object.class) {
      parents.add(0, type.getGenericSuperclass());
    }
    if (!parents.isEmpty()) {
      head.append(" : ");
      head.append(parents.stream().map(Type::getTypeName).collect(Collectors.joining(", ")));
    }
    return plainNames(head.toString(), false);
  }

  /** A member as a reader would write it: without the package of what it belongs to. */
  private static String plain(String generic) {
    String words =
        generic
            .replaceAll(
                "\\b(public|synchronized|native|abstract|final|default|transient|volatile) ", "")
            .replaceFirst(
                "^(static )?(<[^(]*?> )?(.*? )?[\\w.$]+\\.([\\w$]+)(\\(|$)", "$1$2$3$4$5");
    return plainNames(words, true);
  }

  private static String plainNames(String text, boolean ours) {
    String plain =
        text.replace('$', '.')
            .replaceAll(
                "\\bjava\\.(lang|util|io|nio|nio\\.file|time|util\\.(function|stream|concurrent))\\.(?=[A-Z])",
                "");
    return ours ? plain.replaceAll("\\bio\\.woodbird\\.([a-z]+\\.)?(?=[A-Z])", "") : plain;
  }

  @Test
  void theList_isTheFace() throws Exception {
    String list = String.join("\n", list()) + "\n";
    if (System.getProperty("woodbird.write") != null) {
      Files.writeString(LIST, list);
    }
    assertThat(Files.readString(LIST))
        .as("the public face has changed: if that is meant, write %s anew", LIST)
        .isEqualTo(list);
  }

  /** A table of the architecture says why a program needs each type. */
  @Test
  void everyType_hasAReason() throws Exception {
    Set<String> types =
        types().stream()
            .filter(type -> type.getEnclosingClass() == null)
            .map(Class::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    String page = Files.readString(ARCHITECTURE);
    int from = page.indexOf("## The face, type by type");
    String section = page.substring(from, page.indexOf("\n## ", from + 1));
    Matcher rows = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.*) \\|$").matcher(section);
    Set<String> explained = new TreeSet<>();
    while (rows.find()) {
      assertThat(rows.group(2)).as(rows.group(1)).endsWith(".");
      explained.add(rows.group(1));
    }
    assertThat(explained).isEqualTo(types);
  }
}
