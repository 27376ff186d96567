package io.woodbird.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A cluster of two executor processes on this machine, one for all tests of the module. */
final class Cluster implements BeforeAllCallback {
  private static final SparkSession SESSION = start();

  /** Stops the cluster after the last test. */
  @Override
  public void beforeAll(ExtensionContext context) {
    context
        .getRoot()
        .getStore(ExtensionContext.Namespace.GLOBAL)
        .computeIfAbsent(Cluster.class, key -> (AutoCloseable) SESSION::stop);
  }

  static SparkSession session() {
    return SESSION;
  }

  private static SparkSession start() {
    Path home = Path.of(System.getenv("SPARK_HOME"));
    try {
      Files.createDirectories(home.resolve("jars")); // Workers want it; all jars come from below.
      Files.createDirectories(home.resolve("local"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    SparkSession session =
        SparkSession.builder()
            .master("local-cluster[2,1,1024]")
            .appName("woodbird tests")
            .config("spark.executor.memory", "1g")
            .config("spark.executor.extraClassPath", classPath())
            .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", home.resolve("local").toString())
            .config("spark.sql.warehouse.dir", home.resolve("warehouse").toUri().toString())
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.worker.cleanup.enabled", "true")
            .getOrCreate();
    return session;
  }

  /** The class path of this JVM, with all its jars. */
  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
        .replace("::", File.pathSeparator);
  }
}
