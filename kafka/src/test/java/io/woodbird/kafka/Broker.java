package io.woodbird.kafka;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;

/** A Kafka broker in a process of its own, which can be killed and started again. */
final class Broker {
  private final Path settings;
  private final Path log;
  private final int port;
  private Process process;

  private Broker(Path settings, Path log, int port) {
    this.settings = settings;
    this.log = log;
    this.port = port;
  }

  static Broker start(Path folder) throws Exception {
    int port = freePort();
    int controller = freePort();
    Path settings = folder.resolve("server.properties");
    Files.write(
        settings,
        List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@localhost:" + controller,
            "listeners=PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controller,
            "controller.listener.names=CONTROLLER",
            // A broker that was killed is not let in again before.
            "broker.session.timeout.ms=1000",
            "broker.heartbeat.interval.ms=200",
            "offsets.topic.replication.factor=1",
            "auto.create.topics.enable=false",
            "log.dirs=" + folder.resolve("log").toString().replace('\\', '/')));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", settings.toString()};
    if (StorageTool.execute(format, new PrintStream(said, true, StandardCharsets.UTF_8)) != 0) {
      throw new IOException(said.toString(StandardCharsets.UTF_8));
    }
    Broker broker = new Broker(settings, folder.resolve("broker.log"), port);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> broker.process.destroyForcibly()));
    broker.startAgain();
    return broker;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Returns when the broker answers. */
  void startAgain() throws Exception {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "kafka.Kafka",
                settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try (Admin admin = admin()) {
      while (true) {
        try {
          admin.describeCluster().nodes().get();
          return;
        } catch (ExecutionException e) {
          if (!process.isAlive()) {
            throw new IOException(Files.readString(log), e);
          }
        }
      }
    }
  }

  /** As a power failure would end it. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  Map<String, Object> address() {
    return Map.of("bootstrap.servers", "localhost:" + port);
  }

  private Admin admin() {
    return Admin.create(address());
  }

  void createTopic(String topic, int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(Set.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    }
  }

  void addPartitions(String topic, int total) throws Exception {
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all().get();
    }
  }
}
