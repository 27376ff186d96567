package io.woodbird.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import scala.Option;

/** A cluster of two executor processes on this machine, one for all tests of the module. */
final class Cluster implements BeforeAllCallback {
  private static final List<RpcEnv> MASTER_AND_WORKERS = new ArrayList<>();
  private static final SparkSession SESSION = start();

  /** Stops the cluster after the last test. */
  @Override
  public void beforeAll(ExtensionContext context) {
    context
        .getRoot()
        .getStore(ExtensionContext.Namespace.GLOBAL)
        .computeIfAbsent(Cluster.class, key -> (AutoCloseable) Cluster::stop);
  }

  private static void stop() {
    SESSION.stop();
    MASTER_AND_WORKERS.forEach(RpcEnv::shutdown);
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
    return SparkSession.builder()
        .master(master(home))
        .appName("woodbird tests")
        .config("spark.driver.host", "localhost")
        .config("spark.executor.memory", "1g")
        .config("spark.executor.extraClassPath", classPath())
        .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.ui.enabled", "false")
        .config("spark.local.dir", home.resolve("local").toString())
        .config("spark.sql.warehouse.dir", home.resolve("warehouse").toUri().toString())
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.speculation", "true")
        .config("spark.speculation.quantile", "0.5")
        .config("spark.speculation.minTaskRuntime", "2s")
        .config("spark.hadoop.fs.plain.impl", BuildTargetTest.Plain.class.getName())
        .config("spark.hadoop.fs.frozen.impl", RemoteFilterTest.Frozen.class.getName())
        .config("spark.hadoop.fs.tagged.impl", RemoteFilterTest.Tagged.class.getName())
        .getOrCreate();
  }

  /*
   * Spark's own "local-cluster" has its workers on one host, and a speculative copy of a task runs on
   * another host only. These two have different names for this machine.
   */
  private static String master(Path home) {
    SparkConf conf =
        new SparkConf()
            .set("spark.worker.cleanup.enabled", "true")
            .set("spark.master.rest.enabled", "false")
            .set("spark.shuffle.service.enabled", "false");
    RpcEnv master = Master.startRpcEnvAndEndpoint("localhost", 0, 0, conf)._1();
    MASTER_AND_WORKERS.add(master);
    String url = "spark://" + master.address().hostPort();
    int number = 0;
    for (String host : new String[] {"localhost", "127.0.0.1"}) {
      String work = home.resolve("work").toString();
      Option<Object> worker = Option.apply(number++);
      MASTER_AND_WORKERS.add(
          0, // Stopped before the master.
          Worker.startRpcEnvAndEndpoint(
              host, 0, 0, 1, 1024, new String[] {url}, work, worker, conf, Option.empty()));
    }
    return url;
  }

  /** The class path of this JVM, with all its jars. */
  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
        .replace("::", File.pathSeparator);
  }
}
