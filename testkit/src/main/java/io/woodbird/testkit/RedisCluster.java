package io.woodbird.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A real Redis Cluster on this machine: masters that share the slots evenly, and replicas. */
public final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16384;
  private static final int PATIENCE_MILLIS = 60_000;
  private static final int NODE_MILLIS = 1000;

  private final List<RedisServer> masters = new ArrayList<>();
  private final List<RedisServer> replicas = new ArrayList<>();

  private RedisCluster() {}

  /**
   * Starts a cluster.
   *
   * @param masterCount how many masters
   * @param replicasEach how many replicas each of them has
   * @return the cluster, ready
   */
  public static RedisCluster start(int masterCount, int replicasEach) {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < masterCount * (1 + replicasEach); i++) {
        cluster.addServer(i < masterCount ? cluster.masters : cluster.replicas);
      }
      for (int i = 0; i < masterCount; i++) {
        RedisServer master = cluster.masters.get(i);
        int from = i * SLOTS / masterCount;
        int to = (i + 1) * SLOTS / masterCount - 1;
        master.ask("CLUSTER", "ADDSLOTSRANGE", "" + from, "" + to);
        master.ask("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
      }
      cluster.meet();
      for (int i = 0; i < cluster.replicas.size(); i++) {
        RedisServer master = cluster.masters.get(i % masterCount);
        cluster.replicate(cluster.replicas.get(i), master);
      }
      cluster.awaitReady();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private RedisServer addServer(List<RedisServer> list) {
    RedisServer server =
        RedisServer.start(
            "--cluster-enabled", "yes",
            "--cluster-node-timeout", "" + NODE_MILLIS,
            "--cluster-config-file", "nodes.conf",
            "--cluster-replica-validity-factor", "0");
    list.add(server);
    return server;
  }

  /**
   * Makes all servers known to each other. A greeting that is not answered within the time-out of
   * the nodes, as on a busy machine, is forgotten: so it is said again now and then.
   */
  private void meet() {
    AtomicLong next = new AtomicLong(System.nanoTime());
    until(
        () -> {
          if (System.nanoTime() - next.get() >= 0) {
            for (RedisServer server : all()) {
              masters.get(0).ask("CLUSTER", "MEET", "127.0.0.1", "" + server.port());
            }
            next.set(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3L * NODE_MILLIS));
          }
          return all().stream()
              .allMatch(s -> lines("" + s.ask("CLUSTER", "NODES")).size() == all().size());
        });
  }

  private static List<String> lines(String text) {
    return text.lines().filter(line -> !line.isBlank()).toList();
  }

  private void replicate(RedisServer replica, RedisServer master) {
    until(
        () -> {
          try {
            replica.ask("CLUSTER", "REPLICATE", id(master));
            return true;
          } catch (IllegalStateException e) {
            return false; // It does not know the master yet.
          }
        });
  }

  /**
   * Adds an empty master.
   *
   * @return the server
   */
  public RedisServer addMaster() {
    RedisServer server = addServer(masters);
    meet();
    return server;
  }

  /** Waits until every living node says that all is well. */
  public void awaitReady() {
    until(
        () ->
            all().stream()
                .filter(RedisCluster::lives)
                .allMatch(s -> ("" + s.ask("CLUSTER", "INFO")).contains("cluster_state:ok")));
    until(
        () ->
            replicas.stream()
                .filter(RedisCluster::lives)
                .filter(s -> s.info("replication", "role").equals("slave"))
                .allMatch(s -> s.info("replication", "master_link_status").equals("up")));
  }

  private static boolean lives(RedisServer server) {
    try {
      server.ask("PING");
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * Waits until something holds.
   *
   * @param condition what to wait for
   */
  public static void until(java.util.function.BooleanSupplier condition) {
    for (int waited = 0; !condition.getAsBoolean(); waited += 20) {
      if (waited > PATIENCE_MILLIS) {
        throw new IllegalStateException("the cluster does not become ready");
      }
      RedisServer.sleep(20);
    }
  }

  /**
   * Moves a slot, with all keys in it, from one master to another while clients go on.
   *
   * @param slot the slot
   * @param from its owner
   * @param to the new one
   */
  public void move(int slot, RedisServer from, RedisServer to) {
    to.ask("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(from));
    from.ask("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(to));
    while (true) {
      Object keys = from.ask("CLUSTER", "GETKEYSINSLOT", "" + slot, "100");
      if (!(keys instanceof List<?> list) || list.isEmpty()) {
        break;
      }
      for (Object key : list) {
        from.ask("MIGRATE", "127.0.0.1", "" + to.port(), "" + key, "0", "5000");
      }
    }
    to.ask("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
    from.ask("CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
  }

  private static String id(RedisServer server) {
    return "" + server.ask("CLUSTER", "MYID");
  }

  /**
   * The servers that began as masters.
   *
   * @return the servers
   */
  public List<RedisServer> masters() {
    return List.copyOf(masters);
  }

  /**
   * The servers that began as replicas; number i + k * masters is one of master i.
   *
   * @return the servers
   */
  public List<RedisServer> replicas() {
    return List.copyOf(replicas);
  }

  /**
   * All servers.
   *
   * @return masters, then replicas
   */
  public List<RedisServer> all() {
    List<RedisServer> all = new ArrayList<>(masters);
    all.addAll(replicas);
    return all;
  }

  @Override
  public void close() {
    all().forEach(RedisServer::close);
  }
}
