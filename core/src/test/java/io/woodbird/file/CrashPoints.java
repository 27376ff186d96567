package io.woodbird.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What came of killing a program at many points.
 *
 * @param killed how often it was killed
 * @param torn how often what it left was not whole
 * @param firstTorn where that was first
 */
public record CrashPoints(int killed, int torn, String firstTorn) {
  public static final List<String> OPTIONS = options();

  private static final int AT_ONCE = 2;

  /** What a single kill left. */
  public enum Outcome {
    NOT_REACHED,
    WHOLE,
    TORN
  }

  /** Kills a program at a point, with files in a folder of its own, and looks at what is left. */
  public interface Attempt {
    Outcome run(Strace.Point point, Path own) throws Exception;
  }

  /** Tries every step-th point, two at a time. */
  public static CrashPoints tryAll(
      List<Strace.Point> points, int step, Path folder, Attempt attempt) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<Outcome>> futures = new ArrayList<>();
      for (int i = 0; i < points.size(); i += step) {
        Strace.Point point = points.get(i);
        Path own = folder.resolve("kill-" + i);
        futures.add(
            threads.submit(
                () -> {
                  Files.createDirectories(own);
                  Outcome outcome = attempt.run(point, own);
                  delete(own);
                  return outcome;
                }));
      }
      int killed = 0;
      int torn = 0;
      String firstTorn = "";
      for (int i = 0; i < futures.size(); i++) {
        Outcome outcome = futures.get(i).get();
        killed += outcome == Outcome.NOT_REACHED ? 0 : 1;
        if (outcome == Outcome.TORN && torn++ == 0) {
          firstTorn = points.get(i * step).toString();
        }
      }
      return new CrashPoints(killed, torn, firstTorn);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Copies the files of a folder as they are now. */
  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path path : files.toList()) {
        Files.copy(path, to.resolve(path.getFileName()));
      }
    }
  }

  public static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static List<String> options() {
    List<String> options = new ArrayList<>(ChildJvm.SHORT_LIVED);
    // These would open files of their own, now and then.
    options.add("-XX:-UsePerfData");
    options.add("-XX:-UseContainerSupport");
    return options;
  }

  /** The number after the last mark in an output, or 0. */
  public static int lastNumber(String output, String mark) {
    Matcher matcher = Pattern.compile(Pattern.quote(mark) + "(\\d+)\n").matcher(output);
    int last = 0;
    while (matcher.find()) {
      last = Integer.parseInt(matcher.group(1));
    }
    return last;
  }

  @Override
  public String toString() {
    return killed + " kills, " + torn + " torn" + (torn > 0 ? ", first at " + firstTorn : "");
  }
}
