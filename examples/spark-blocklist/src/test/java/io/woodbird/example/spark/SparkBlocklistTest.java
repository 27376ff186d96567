package io.woodbird.example.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example, smaller and in one process. Its README's command runs it in a cluster: a slow test
 * of examples/try.
 */
class SparkBlocklistTest {
  @Test
  void theFilter_savesMoreThanHalf_andChangesNothing(@TempDir Path folder) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SparkBlocklist.Result result;
    try (SparkSession spark = SparkBlocklist.settings(folder).master("local[2]").getOrCreate()) {
      result =
          new SparkBlocklist(spark, folder, new PrintStream(out, true, UTF_8)).run(5_000, 50_000);
    }
    assertThat(result.plain().clicks()).isEqualTo(1_000);
    assertThat(result.filtered().clicks()).isEqualTo(1_000);
    assertThat(result.filtered().content()).isEqualTo(result.plain().content()).isNotZero();
    assertThat(2 * result.filtered().moved().read()).isLessThan(result.plain().moved().read());
    assertThat(2 * result.filtered().moved().shuffled())
        .isLessThan(result.plain().moved().shuffled());
    assertThat(out.toString(UTF_8)).contains("5,000 keys", "of 50,000 clicks", "saved:");
    assertThat(Files.readString(Path.of("README.md")).replaceAll("[0-9][0-9,.]*", "0"))
        .as("the README shows these lines, with other numbers")
        .contains(out.toString(UTF_8).replaceAll("[0-9][0-9,.]*", "0"));
  }
}
