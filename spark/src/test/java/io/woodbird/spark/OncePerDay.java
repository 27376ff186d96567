package io.woodbird.spark;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/** Passes each event on once in 24 hours. The code of docs/howto/streaming.md. */
final class OncePerDay implements VoidFunction2<Dataset<Row>, Long> {
  private static final long serialVersionUID = 1L;

  private final Path folder;
  private final VoidFunction2<Dataset<Row>, Long> sink;
  private @Nullable MutableFilter<String> seen; // Null if it must be read from the folder.
  private long done; // The number of the batch that was saved last.

  OncePerDay(Path folder, VoidFunction2<Dataset<Row>, Long> sink) {
    this.folder = folder;
    this.sink = sink;
  }

  @Override
  public void call(Dataset<Row> batch, Long number) throws Exception {
    MutableFilter<String> filter = seen != null ? seen : read();
    if (number <= done) {
      return; // It was passed on and saved, and Spark stopped before it took note of that.
    }
    if (number > done + 1) {
      throw new IllegalStateException("the filter is of batch " + done + ", older than " + number);
    }
    seen = null; // If anything below fails, what was put into the filter is forgotten.
    List<Row> fresh = new ArrayList<>();
    for (Row event : batch.collectAsList()) {
      if (filter.put(event.getAs("id"))) {
        fresh.add(event);
      }
    }
    sink.call(batch.sparkSession().createDataFrame(fresh, batch.schema()), number);
    filter.save(file(number)); // Whole, or not there.
    Files.deleteIfExists(file(done));
    done = number;
    seen = filter;
  }

  private Path file(long number) {
    return folder.resolve("seen-" + number + ".wbird");
  }

  private MutableFilter<String> read() throws IOException {
    done = -1;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.matches("seen-\\d+\\.wbird")) {
          done = Math.max(done, Long.parseLong(name.replaceAll("\\D", "")));
        }
      }
    }
    if (done < 0) {
      return Woodbird.window(Keys.strings(), 1_000_000, Duration.ofHours(24)).fpp(0.0001).build();
    }
    try (InputStream in = Files.newInputStream(file(done))) {
      return (MutableFilter<String>) Woodbird.readFrom(in, Keys.strings());
    }
  }
}
