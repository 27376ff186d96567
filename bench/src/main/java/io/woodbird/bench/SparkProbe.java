package io.woodbird.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.udf;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.woodbird.spark.WoodbirdSpark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** Asks one predicate about every row of a table in Spark, again and again. */
final class SparkProbe {
  private static final int WARM_UPS = 4;
  private static final int PASSES = 7;

  /** How many values the list of the native {@code IN} has. */
  private static final int LIST = 1000;

  private SparkProbe() {}

  /** What is asked about the column {@code url}. */
  enum Predicate {
    /** Looks only at the length: what it costs to read the column. */
    SCAN("scan"),
    XXHASH64("xxhash64"),
    LIKE("like"),
    IN("in-1000"),
    RIBBON("woodbird-ribbon"),
    FUSE("woodbird-fuse"),
    UDF("guava-udf");

    final String label;

    Predicate(String label) {
      this.label = label;
    }

    private Column on(SparkSession spark, Path folder) {
      return switch (this) {
        case SCAN -> expr("octet_length(url) = 0");
        case XXHASH64 -> expr("xxhash64(url) = 0");
        case LIKE -> expr("url LIKE '%none%'");
        case IN -> col("url").isin(LongStream.range(0, LIST).mapToObj(SparkColumn::url).toArray());
        case RIBBON, FUSE -> {
          WoodbirdSpark.register(spark);
          yield WoodbirdSpark.mightContain(file(folder), col("url"));
        }
        case UDF -> udf(guava(), DataTypes.BooleanType).apply(col("url"));
      };
    }

    /** The filter that is asked, if it is one of ours. */
    String file(Path folder) {
      return folder.resolve(label + ".wbird").toString();
    }

    private static UDF1<String, Boolean> guava() {
      BloomFilter<CharSequence> guava =
          BloomFilter.create(Funnels.stringFunnel(UTF_8), SparkColumn.KEYS, SparkColumn.FPP);
      LongStream.range(0, SparkColumn.KEYS).mapToObj(SparkColumn::url).forEach(guava::put);
      return guava::mightContain;
    }
  }

  /** Arguments: the predicate, and the folder with the table and the filters. */
  public static void main(String[] args) throws IOException, TimeoutException {
    Predicate predicate = Predicate.valueOf(args[0]);
    Path folder = Path.of(args[1]);
    try (SparkSession spark = SparkColumn.session(folder)) {
      Dataset<org.apache.spark.sql.Row> table =
          spark.read().parquet(SparkColumn.table(folder).toString());
      long rows = table.count();
      Column asked = predicate.on(spark, folder);
      AtomicLong worked = new AtomicLong();
      spark.sparkContext().addSparkListener(new WorkedNanos(worked));
      List<Double> wall = new ArrayList<>();
      List<Double> own = new ArrayList<>();
      for (int pass = -WARM_UPS; pass < PASSES; pass++) {
        worked.set(0);
        long start = System.nanoTime();
        long found = table.filter(asked).count();
        double taken = System.nanoTime() - start;
        spark.sparkContext().listenerBus().waitUntilEmpty();
        if (found > rows / 50) {
          throw new IllegalStateException(predicate + " keeps " + found + " rows");
        }
        if (pass >= 0) {
          wall.add(taken / rows);
          own.add((double) worked.get() / rows);
        }
      }
      System.out.print(Forks.line("row", Sample.median(wall)));
      System.out.print(Forks.line("rowCpu", Sample.median(own)));
    }
  }

  /** Adds up the time that the threads of tasks worked. */
  private static final class WorkedNanos extends SparkListener {
    private final AtomicLong sum;

    WorkedNanos(AtomicLong sum) {
      this.sum = sum;
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
      sum.addAndGet(event.taskMetrics().executorCpuTime());
    }
  }
}
