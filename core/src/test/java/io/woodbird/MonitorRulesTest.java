package io.woodbird;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No monitor is held around a file, a socket or a database. On JDK 21 to 23 a virtual thread that
 * blocks in {@code synchronized} keeps its carrier thread, and so does each that waits for the same
 * monitor: as many as there are cores, and the whole process stands still. A {@code ReentrantLock}
 * costs nobody a carrier. Newer JDKs no longer have this limit, and older ones have no virtual
 * threads, so no JDK of this build could show it: a person reads each file that has a monitor, and
 * says here why it may.
 */
final class MonitorRulesTest {
  private static final String MEMORY = "held around reads and writes of memory";
  private static final String OWN_THREADS = "only threads that the class starts, or their pool";

  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          entry("cli/lines/ReadAhead", OWN_THREADS),
          entry("console/FileHealth", OWN_THREADS),
          entry("console/GenerationLog", MEMORY),
          entry("console/GuardsApi", OWN_THREADS),
          entry("console/Instances", OWN_THREADS),
          entry("console/RequestThreads", OWN_THREADS),
          entry("console/ShopDatabase", OWN_THREADS),
          entry("console/ShopDemo", OWN_THREADS),
          entry("file/OwnedFile", MEMORY),
          entry("file/PageStates", MEMORY),
          entry("filter/StoredFilter", MEMORY),
          entry("filter/quotient/GrowingFilter", MEMORY),
          entry("filter/window/WindowFilter", MEMORY),
          entry("guard/BuildSchedule", MEMORY),
          entry("guard/Confirmations", MEMORY),
          entry("guard/SharedGenerations", MEMORY),
          entry("jdbc/KeptConnection", MEMORY),
          entry(
              "mysql/StreamProgress",
              "memory; its own thread waits, and the thread that starts it"),
          entry("redis/link/LentConnection", MEMORY),
          entry("redis/link/LettuceLanes", MEMORY),
          entry("spark/OpenFilters", "the threads of Spark's executors"),
          entry("spring/ConsoleGuards", "the threads of the console"),
          entry("spring/RedisGuardStore", MEMORY));

  private static final Pattern MONITOR =
      Pattern.compile("\\bsynchronized\\b|\\b(?:wait|notify|notifyAll|timedWait)\\(");
  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("//[^\n]*|/\\*.*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

  private static boolean hasMonitor(String source) {
    return MONITOR.matcher(COMMENT_OR_TEXT.matcher(source).replaceAll(" ")).find();
  }

  @Test
  void everyMonitorHasAReason() throws IOException {
    Map<String, String> found = new TreeMap<>();
    int looked = 0;
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.sorted().toList()) {
        Path sources = module.resolve("src/main/java/io/woodbird");
        String name = module.getFileName().toString();
        if (!Files.isDirectory(sources) || name.equals("bench") || name.equals("testkit")) {
          continue; // These two are no part of a program.
        }
        try (Stream<Path> files = Files.walk(sources)) {
          for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
            looked++;
            if (hasMonitor(Files.readString(file))) {
              String type = sources.relativize(file).toString().replace(".java", "");
              found.put(type, ALLOWED.getOrDefault(type, "use a ReentrantLock, or say why not"));
            }
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(400);
    assertThat(found).containsExactlyInAnyOrderEntriesOf(ALLOWED);
  }

  @Test
  void theRuleNoticesAMonitor() {
    assertThat(hasMonitor("class A { synchronized void a() {} }")).isTrue();
    assertThat(hasMonitor("class A { void a() { synchronized (this) {} } }")).isTrue();
    assertThat(hasMonitor("class A { void a() throws Exception { other.wait(3); } }")).isTrue();
    assertThat(hasMonitor("/* synchronized */ class A { String s = \"synchronized (s)\"; }"))
        .isFalse();
    assertThat(hasMonitor("class A { void a() { lock.lock(); changed.await(); } }")).isFalse();
  }
}
