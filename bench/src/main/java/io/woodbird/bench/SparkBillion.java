package io.woodbird.bench;

import io.woodbird.FilterPlan;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.spark.WoodbirdSpark;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/**
 * Builds a frozen filter of a billion keys in a cluster of two executor processes, each with one
 * task at a time, and asks it. bench/spark-billion starts it.
 */
public final class SparkBillion {
  private static final String USAGE =
      """
      usage: bench/spark-billion [-n KEYS] [--dir FOLDER] [--out FOLDER]

        -n KEYS        how many keys, such as 1e7; a billion if nothing is said. The executors make
                       them
        --dir FOLDER   for the filter and the files of the shuffle, together 20 bytes per key, which
                       are deleted at the end; the system's folder if nothing is said
        --out FOLDER   where spark-billion.json goes; docs/benchmarks if nothing is said. With
                       another number of keys nothing is written unless it is said

      SPARK_HOME names a folder for the workers. Exit code: 0 all promises kept, 1 some not, 2 wrong
      arguments.
      """;

  private static final long ALL = 1_000_000_000;
  private static final long QUESTIONS = 10_000_000;
  private static final int BATCH = 1 << 12;
  private static final double FPP = 0.001;
  private static final long KEYS_PER_TASK = 4_000_000;

  /** The whole process of an executor stays below a gigabyte with it. */
  private static final String EXECUTOR_HEAP = "640m";

  private final LongRun run;
  private final long keys;

  private SparkBillion(LongRun run) {
    this.run = run;
    this.keys = run.keys();
  }

  /** Builds, asks, writes. */
  public static void main(String[] args) throws IOException {
    LongRun run = LongRun.of("spark-billion", ALL, USAGE, args);
    System.exit(new SparkBillion(run).run() ? 0 : 1);
  }

  private boolean run() throws IOException {
    Document document =
        run.document(
            String.format(
                Locale.ROOT, "A frozen filter of %,d longs, built by two Spark executors", keys));
    Path folder = Files.createTempDirectory(run.dir().toAbsolutePath(), "spark-billion");
    Path file = folder.resolve("keys.wbird");
    try (SparkSession spark = cluster(folder)) {
      build(spark, file, document);
      try (OpenFilter<Long> filter = Woodbird.open(file, Keys.longs())) {
        ask(filter, document);
      }
    } finally {
      SparkColumn.delete(folder);
    }
    return run.report(document);
  }

  private static SparkSession cluster(Path folder) throws IOException {
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars")); // The workers want it.
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .map(part -> Path.of(part).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator));
    return SparkSession.builder()
        .master("local-cluster[2,1,1024]")
        .config("spark.executor.memory", EXECUTOR_HEAP)
        .config("spark.executor.extraClassPath", classPath)
        .config("spark.executor.extraJavaOptions", "-XX:+UseSerialGC")
        .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.local.dir", folder.toString())
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
        .config("spark.ui.enabled", "false")
        .getOrCreate();
  }

  private void build(SparkSession spark, Path file, Document document) throws IOException {
    int partitions = (int) Math.max(2, keys / KEYS_PER_TASK);
    Tasks tasks = new Tasks();
    spark.sparkContext().addSparkListener(tasks);
    LongRun.Clock clock = new LongRun.Clock();
    FilterPlan plan =
        WoodbirdSpark.frozen(spark.range(0, keys, 1, partitions), "id")
            .fpp(FPP)
            .seed(1)
            .writeTo(file.toString());
    double seconds = clock.seconds();
    long bytes = Files.size(file);
    add(document, "buildSeconds", "s", seconds);
    add(document, "buildNanosPerKey", "ns", seconds * 1e9 / keys);
    add(document, "tasks", "tasks", tasks.done.get());
    add(document, "tasksFailed", "tasks", tasks.failed.get());
    add(document, "shuffleBytes", "B", tasks.shuffled.get());
    add(document, "fileBytes", "B", bytes);
    add(document, "bitsPerKey", "bits", 8.0 * bytes / keys);
    add(document, "predictedFpp", "", plan.fpp());
    long executor = executors(spark).stream().mapToLong(Long::longValue).max().orElse(0);
    add(document, "peakResidentBytes", "B", executor);
    document.note("executor heap", EXECUTOR_HEAP + ", one task at a time");
    document.add(Verdict.atMost("memory of an executor process", " B", 1e9, executor));
    document.add(Verdict.atMost("tasks that failed", "", 0, tasks.failed.get()));
  }

  /** The most memory that each executor process has held. */
  private static List<Long> executors(SparkSession spark) {
    return spark
        .range(0, 100, 1, 100)
        .mapPartitions(
            (org.apache.spark.api.java.function.MapPartitionsFunction<Long, Long>)
                rows -> List.of(Memory.peakResidentBytes()).iterator(),
            Encoders.LONG())
        .collectAsList();
  }

  private void ask(OpenFilter<Long> filter, Document document) {
    long questions = Math.min(keys, QUESTIONS);
    long step = keys / questions;
    long denied = questions - count(filter, LongStream.range(0, questions).map(i -> i * step));
    long wrong = count(filter, LongStream.range(keys, keys + questions));
    double fpp = (double) wrong / questions;
    add(document, "presentKeysAsked", "keys", questions);
    add(document, "presentKeysDenied", "keys", denied);
    add(document, "absentKeysAsked", "keys", questions);
    add(document, "fpp", "", fpp);
    document.add(Verdict.atMost("present keys denied", "", 0, denied));
    double most = FPP + 5 * Math.sqrt(FPP / questions); // 5 standard deviations.
    document.add(Verdict.atMost("fpp asked for is 0.001", "", most, fpp));
  }

  private static long count(OpenFilter<Long> filter, LongStream asked) {
    long[] hashes = new long[BATCH];
    int[] selected = new int[BATCH];
    int count = 0;
    long found = 0;
    for (var each = asked.iterator(); each.hasNext(); ) {
      hashes[count++] = filter.hashOfLong(each.nextLong());
      if (count == BATCH || !each.hasNext()) {
        found += filter.candidates(hashes, count, selected);
        count = 0;
      }
    }
    return found;
  }

  private void add(Document document, String metric, String unit, double value) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("keys", "longs");
    at.put("n", keys);
    document.add(Row.of("woodbird-ribbon", metric, unit, at, value));
  }

  /** Counts what the tasks do, and prints how far they are. */
  private static final class Tasks extends SparkListener {
    private final LongRun.Clock clock = new LongRun.Clock();
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong shuffled = new AtomicLong();

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
      long count = done.incrementAndGet();
      if (!event.taskInfo().successful()) {
        failed.incrementAndGet();
      }
      if (event.taskMetrics() != null) {
        shuffled.addAndGet(event.taskMetrics().shuffleWriteMetrics().bytesWritten());
      }
      clock.tick("tasks, now in stage " + event.stageId(), count, count);
    }
  }
}
