package io.woodbird.redis.sim;

import io.woodbird.redis.SimulatedClient;
import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What happens to servers. */
final class Events {
  private final World world;

  /** How often somebody was told that a write is confirmed, in each group. */
  private final int[] confirmed;

  /**
   * Names whose values were renamed. One that comes back under such a name may be older than what
   * took its place, which spec/redis.md does not guard against above the level of the master.
   */
  private final Set<String> left = new HashSet<>();

  Events(World world) {
    this.world = world;
    confirmed = new int[world.shape.groups()];
  }

  private List<Node> nodes() {
    return world.nodes;
  }

  private static <T> T pick(List<T> all, int choice) {
    return all.get(Math.floorMod(choice, all.size()));
  }

  private Node master(Fault fault) {
    return pick(world.masters, fault.first());
  }

  void happen(Fault fault) {
    switch (fault.kind()) {
      case KILL -> kill(pick(nodes(), fault.first()), fault.second());
      case START -> start(0, fault);
      case START_OLD -> start(1, fault);
      case START_EMPTY -> start(2, fault);
      case FREEZE -> pick(nodes(), fault.first()).frozen = true;
      case THAW -> nodes().forEach(node -> node.frozen = false);
      case SWITCH -> switchOver(fault, false);
      case SPLIT -> switchOver(fault, true);
      case SYNC -> nodes().forEach(Node::copyAll);
      case REPLICATE -> replicate(fault.second());
      case SAVE -> save(pick(nodes(), fault.first()));
      case NEW_ID -> master(fault).renewId();
      case EVICT -> evict(master(fault), fault.second());
      case FLUSH -> command(master(fault), "FLUSHALL");
      case RENAME -> rename(master(fault), fault.second());
      case MOVE -> move(fault);
      default -> throw new IllegalArgumentException("" + fault);
    }
  }

  /** Ends a server, its machine too if the choice is odd; what is on disk it may start with. */
  private void kill(Node node, int choice) {
    if (node.alive) {
      if (world.shape.saves()) {
        boolean power = node.master && choice % 2 != 0;
        node.snapshots.add(power ? node.afterPowerCut(choice / 2) : node.saved());
      }
      node.kill();
    }
  }

  private void start(int age, Fault fault) {
    for (Node node : nodes()) {
      if (!node.alive) {
        int copies = node.snapshots.size();
        Node.Saved data =
            age == 2 || copies == 0
                ? Node.Saved.NOTHING
                : age == 0
                    ? node.snapshots.get(copies - 1)
                    : node.snapshots.get(Math.floorMod(fault.second(), copies));
        node.start(data);
        takesOver(node);
        node.snapshots.add(data);
      }
    }
  }

  void replicate(int choice) {
    for (Node node : nodes()) {
      node.catchUp(choice % 7 == 0 ? Integer.MAX_VALUE : choice % 5);
    }
  }

  private void save(Node node) {
    if (node.alive) {
      node.snapshots.add(node.saved());
    }
  }

  /** A living replica becomes master; the old one follows it at once, or goes on. */
  private void switchOver(Fault fault, boolean split) {
    int group = Math.floorMod(fault.first(), world.masters.size());
    Node old = world.masters.get(group);
    List<Node> able = new ArrayList<>();
    for (Node node : nodes()) {
      if (node != old && node.alive && groupOf(node) == group) {
        able.add(node);
      }
    }
    if (able.isEmpty()) {
      return;
    }
    Node next = pick(able, fault.second());
    world.pinTargets();
    next.promote();
    takesOver(next);
    next.frozen = false;
    world.noLongerReplaced(next);
    world.masters.set(group, next);
    for (Node node : nodes()) {
      if (node != next && groupOf(node) == group && !(split && node == old)) {
        node.follow(next);
      }
    }
    if (split && old.master && !world.replaced.contains(old)) {
      world.replaced.add(old);
    }
  }

  /**
   * Levels above MASTER assume that a new master has all that was confirmed. Of REPLICA,
   * spec/redis.md says: "No master comes back by itself from its own file." One that does, and
   * whose file lacks what replicas confirmed, breaks the assumption; so does an older file.
   */
  private void takesOver(Node node) {
    world.lives++;
    if (node.master && node.confirmed < confirmed[groupOf(node)]) {
      world.tell(() -> "*** n" + node.number + " lacks what was confirmed");
      world.broken++;
    }
  }

  private int groupOf(Node node) {
    int groups = world.shape.groups();
    return node.number < groups ? node.number : (node.number - groups) / world.shape.replicas();
  }

  private static void command(Node node, String... words) {
    byte[][] bytes = new byte[words.length][];
    for (int i = 0; i < words.length; i++) {
      bytes[i] = Reply.bytes(words[i]);
    }
    if (node.alive) {
      node.run(bytes);
    }
  }

  private static List<String> sortedKeys(Node node) {
    List<String> keys = new ArrayList<>(node.keys.keys());
    keys.sort(null);
    return keys;
  }

  private void evict(Node node, int choice) {
    List<String> keys = sortedKeys(node);
    if (!keys.isEmpty()) {
      String key = pick(keys, choice);
      world.tell(() -> "*** evicts " + key);
      command(node, "DEL", key);
    }
  }

  private void rename(Node node, int choice) {
    List<String> keys = sortedKeys(node);
    if (keys.size() > 1) {
      String from = pick(keys, choice);
      String to = choice % 3 == 0 ? "elsewhere" : pick(keys, choice / keys.size());
      world.tell(() -> "*** renames " + from + " to " + to);
      if (left.contains(to)) {
        world.broken++;
      }
      left.add(from);
      command(node, "RENAME", from, to);
    }
  }

  /** Moves the slot of some key, with all keys in it, to another master. */
  private void move(Fault fault) {
    int groups = world.masters.size();
    Node from = master(fault);
    List<String> keys = sortedKeys(from);
    if (groups < 2 || keys.isEmpty() || !from.alive) {
      return;
    }
    int slot = SimulatedClient.slot(Reply.bytes(pick(keys, fault.second())));
    int group = (world.groupOf(slot) + 1) % groups;
    Node to = world.masters.get(group);
    if (!to.alive || world.masters.get(world.groupOf(slot)) != from) {
      return;
    }
    for (String key : keys) {
      Slot value = from.keys.slot(key);
      if (value != null && SimulatedClient.slot(Reply.bytes(key)) == slot) {
        to.keys.put(key, value);
        from.keys.remove(key);
      }
    }
    to.log.add(to.keys.takeChanges());
    from.log.add(from.keys.takeChanges());
    world.moveSlot(slot, group);
  }

  /** WAIT and WAITAOF. */
  Object await(Node node, byte[][] words) {
    if (!node.master) {
      return new Reply.Failure("ERR WAIT cannot be used with replica instances.");
    }
    boolean disk = words.length == 4;
    if (world.mutant.confirmsAll()) {
      return disk ? List.<Object>of(1L, 9L) : (Object) 9L;
    }
    long replicas = 0;
    for (Node replica : node.replicas) {
      if (world.random.nextInt(8) > 0) {
        replica.catchUp(Integer.MAX_VALUE);
      }
      if (replica.follows() && !replica.frozen && replica.applied == node.log.size()) {
        replicas++;
      }
    }
    if (!disk) {
      note(node, replicas > 0);
      return replicas;
    }
    if (!world.shape.saves()) {
      return new Reply.Failure(
          "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
    }
    if (world.random.nextInt(8) == 0) {
      return List.<Object>of(0L, replicas);
    }
    note(node, true);
    node.sync();
    return List.<Object>of(1L, replicas);
  }

  /** Notes a confirmation, and who has what it is about. */
  private void note(Node node, boolean done) {
    if (done) {
      node.confirmed = ++confirmed[groupOf(node)];
      node.confirmedAt = node.log.size();
      for (Node replica : node.replicas) {
        if (replica.follows() && replica.applied == node.log.size()) {
          replica.confirmed = node.confirmed;
        }
      }
    }
  }

  /** Ends all that is wrong with servers. */
  void calm() {
    for (Node node : nodes()) {
      node.frozen = false;
    }
    start(0, new Fault(0, Fault.Kind.START, 0, 0));
    for (Node node : List.copyOf(world.replaced)) {
      node.follow(world.masters.get(groupOf(node)));
      world.noLongerReplaced(node);
    }
    world.masters.stream().filter(node -> !node.master).forEach(Node::promote);
    nodes().forEach(Node::copyAll);
    nodes().forEach(node -> node.catchUp(Integer.MAX_VALUE));
    world.forgetTargets();
  }
}
