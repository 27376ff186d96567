package io.woodbird.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What the numbers were measured on. */
final class Machine {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private Machine() {}

  /** Facts by name, "unknown" where the system does not tell. */
  static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("cpu", cpu());
    facts.put("processors", Runtime.getRuntime().availableProcessors());
    facts.put("l2", read("/sys/devices/system/cpu/cpu0/cache/index2/size"));
    facts.put("l3", read("/sys/devices/system/cpu/cpu0/cache/index3/size"));
    facts.put("memoryBytes", SYSTEM.getTotalMemorySize());
    facts.put("hugePages", read("/sys/kernel/mm/transparent_hugepage/enabled"));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("arch", System.getProperty("os.arch"));
    facts.put("jdk", System.getProperty("java.runtime.version"));
    facts.put("vm", System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor"));
    return facts;
  }

  /** The memory of the machine, in whole gigabytes. */
  static int memoryGigabytes() {
    return (int) (SYSTEM.getTotalMemorySize() >> 30);
  }

  /** What tells results of another JDK from those of 17, with its number in the place of %d. */
  static String jdkSuffix(String format) {
    int feature = Runtime.version().feature();
    return feature == 17 ? "" : String.format(Locale.ROOT, format, feature);
  }

  /** How many threads wanted to run during the last minute, this one included; below 0: unknown. */
  static double load() {
    return SYSTEM.getSystemLoadAverage();
  }

  /** What the processors did since they were started, as Linux counts it: steal is the eighth. */
  static long[] ticks() {
    return read("/proc/stat")
        .lines()
        .findFirst()
        .map(line -> line.replaceFirst("cpu +", ""))
        .filter(line -> line.matches("[0-9 ]+"))
        .map(line -> Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray())
        .orElse(new long[10]);
  }

  /** How much of the processors' time the host gave to others since then; 0 if it does not tell. */
  static double stolenPercentSince(long[] before) {
    long[] now = ticks();
    double all = 0;
    for (int i = 0; i < 8; i++) { // What follows is counted in the first two as well.
      all += now[i] - before[i];
    }
    return all == 0 ? 0 : 100 * (now[7] - before[7]) / all;
  }

  private static String cpu() {
    return read("/proc/cpuinfo")
        .lines()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
