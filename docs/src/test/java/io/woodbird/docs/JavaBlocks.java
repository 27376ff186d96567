package io.woodbird.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The Java of one page, as one class. Blocks follow each other in one method, as a reader reads
 * them; the note "fresh" begins another method. Lines that begin with "import" go to the top.
 */
final class JavaBlocks {
  private static final String CLASS = "JavaOfThePage";

  /** How javac says that it does not know a type, which it may take for a variable. */
  private static final Pattern UNKNOWN_NAME =
      Pattern.compile("symbol:\\s+(?:class|variable) ([A-Z]\\w*[a-z]\\w*)\\b");

  /** What every page may use without saying so. */
  private static final List<String> IMPORTS =
      List.of(
          "io.woodbird.*",
          "io.woodbird.classic.*",
          "io.woodbird.guard.*",
          "io.woodbird.key.*",
          "io.woodbird.redis.*",
          "io.woodbird.redis.redisson.*",
          "io.woodbird.spring.*",
          "java.io.*",
          "java.nio.*",
          "java.nio.file.*",
          "java.time.*",
          "java.util.*",
          "java.util.function.*",
          "java.util.stream.*");

  private final Page page;
  private final List<String> imports = new ArrayList<>();
  private final List<String> hiddenImports = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final Map<Integer, Integer> pageLines = new HashMap<>();
  private final Set<Integer> hiddenLines = new HashSet<>();
  private int methods;

  JavaBlocks(Page page) {
    this.page = page;
    fresh();
  }

  /** Begins another method. */
  void fresh() {
    if (methods > 0) {
      lines.add("}");
    }
    lines.add("public static void part" + methods++ + "(io.woodbird.docs.Stage stage)");
    lines.add("throws Exception {");
  }

  /** Adds lines of Java that begin at a line of the page. */
  void add(int from, String text) {
    add(from, text, imports);
  }

  /** Adds lines that run, but that readers do not see. */
  void addHidden(int from, String text) {
    int before = lines.size();
    add(from, text, hiddenImports);
    for (int line = before + 1; line <= lines.size(); line++) {
      hiddenLines.add(line);
    }
  }

  private void add(int from, String text, List<String> importsOfText) {
    int line = from;
    for (String one : text.lines().toList()) {
      if (one.startsWith("import ")) {
        importsOfText.add(one);
      } else {
        lines.add(one);
        pageLines.put(lines.size(), line);
      }
      line++;
    }
  }

  /** Expects that so far this was printed. */
  void prints(int from, String text) {
    StringBuilder literal = new StringBuilder();
    for (char c : text.toCharArray()) {
      literal.append(String.format("\\u%04x", (int) c));
    }
    // A unicode escape of a line end or a quote would end the literal.
    String safe =
        literal
            .toString()
            .replace("\\u000a", "\\n")
            .replace("\\u0022", "\\\"")
            .replace("\\u005c", "\\\\");
    lines.add("stage.prints(\"" + safe + "\");");
    pageLines.put(lines.size(), from);
  }

  /** Compiles and runs it all. */
  void run() throws Exception {
    List<String> head = new ArrayList<>();
    IMPORTS.forEach(name -> head.add("import " + name + ";"));
    head.addAll(imports);
    head.addAll(hiddenImports);
    head.add("public final class " + CLASS + " {");
    Loader loader = new Loader(compile(source(head), head.size()));
    Class<?> compiled = loader.loadClass(CLASS);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader); // Spring looks there.
    try {
      runMethods(compiled, head.size());
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private String source(List<String> head) {
    return String.join("\n", head) + "\n" + String.join("\n", lines) + "\n}\n}\n";
  }

  /**
   * Returns the names that a reader who copies the page has no import for, each with its line. A
   * page that shows no import at all shows parts of programs, and nothing is missing there.
   */
  Set<String> missingImports() throws IOException {
    Set<String> missing = new TreeSet<>();
    if (imports.isEmpty()) {
      return missing;
    }
    List<String> head = new ArrayList<>(imports);
    head.add("public final class " + CLASS + " {");
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    compile(source(head), found, new LinkedHashMap<>());
    for (Diagnostic<? extends JavaFileObject> one : found.getDiagnostics()) {
      int line = (int) one.getLineNumber() - head.size();
      Matcher name = UNKNOWN_NAME.matcher(one.getMessage(Locale.ENGLISH));
      if (name.find() && !hiddenLines.contains(line)) {
        missing.add(page.name() + ":" + pageLines.get(line) + ": " + name.group(1));
      }
    }
    return missing;
  }

  private void runMethods(Class<?> compiled, int headLines) throws Exception {
    for (int i = 0; i < methods; i++) {
      Stage stage = new Stage(page);
      var method = compiled.getMethod("part" + i, Stage.class);
      stage.run(
          () -> {
            try {
              method.invoke(null, stage);
            } catch (InvocationTargetException e) {
              throw failure(e.getCause(), headLines);
            }
          });
    }
  }

  private AssertionError failure(Throwable cause, int headLines) {
    String where = page.name();
    for (StackTraceElement element : cause.getStackTrace()) {
      if (element.getClassName().startsWith(CLASS)) {
        where += ":" + pageLines.get(element.getLineNumber() - headLines);
        break;
      }
    }
    return new AssertionError(where + ": " + cause, cause);
  }

  private Map<String, byte[]> compile(String source, int headLines) throws IOException {
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();
    if (!compile(source, found, classes)) {
      StringBuilder message = new StringBuilder();
      for (Diagnostic<? extends JavaFileObject> one : found.getDiagnostics()) {
        if (one.getKind() == Diagnostic.Kind.ERROR) {
          Integer line = pageLines.get((int) one.getLineNumber() - headLines);
          message.append(page.name()).append(':').append(line).append(": ");
          message.append(one.getMessage(null)).append('\n');
        }
      }
      throw new AssertionError(message);
    }
    Map<String, byte[]> bytes = new HashMap<>();
    classes.forEach((name, out) -> bytes.put(name, out.toByteArray()));
    return bytes;
  }

  private static boolean compile(
      String source,
      DiagnosticCollector<JavaFileObject> found,
      Map<String, ByteArrayOutputStream> classes)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(found, null, null)) {
      JavaFileManager manager = new Memory(standard, classes);
      List<String> options =
          List.of(
              "-proc:none",
              "-nowarn",
              "-parameters",
              "-g",
              "-Xmaxerrs",
              "10000",
              "-classpath",
              System.getProperty("java.class.path"));
      return compiler
          .getTask(null, manager, found, options, null, List.of(new Source(source)))
          .call();
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///" + CLASS + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreErrors) {
      return text;
    }
  }

  private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes;

    Memory(JavaFileManager manager, Map<String, ByteArrayOutputStream> classes) {
      super(manager);
      this.classes = classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(URI.create("mem:///" + name), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          classes.put(name, out);
          return out;
        }
      };
    }
  }

  private static final class Loader extends ClassLoader {
    private final Map<String, byte[]> classes;

    Loader(Map<String, byte[]> classes) {
      super(JavaBlocks.class.getClassLoader());
      this.classes = classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    /** Spring reads the annotations of classes from their files. */
    @Override
    public java.io.InputStream getResourceAsStream(String name) {
      byte[] bytes = classes.get(name.replaceFirst("\\.class$", "").replace('/', '.'));
      return bytes == null
          ? super.getResourceAsStream(name)
          : new java.io.ByteArrayInputStream(bytes);
    }
  }
}
