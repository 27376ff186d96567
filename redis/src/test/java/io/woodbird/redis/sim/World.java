package io.woodbird.redis.sim;

import io.woodbird.redis.sim.Value.Slot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The servers, the network between them and the processes, and what goes wrong with both. */
final class World {
  private static final int SLOTS = 16384;
  private static final long LATENCY_NANOS = 300_000;

  /** Commands that arrive later than their client waits. */
  private record Late(Node node, List<byte[][]> commands) {}

  /**
   * What servers there are.
   *
   * @param groups masters, each with its slots
   * @param replicas of each master
   * @param saves whether what was written is on disk at once, as with an AOF
   */
  record Shape(int groups, int replicas, boolean saves) {}

  final Shape shape;
  final Turns turns;
  final SplittableRandom random;
  final List<Node> nodes = new ArrayList<>();

  /** The master of each group, as Sentinel or the cluster would say. */
  final List<Node> masters = new ArrayList<>();

  /** Is told of each command that a server has carried out; for comparisons with a real one. */
  interface Recorder {
    void executed(byte[][] words, long millis, @Nullable Object reply);
  }

  @Nullable Recorder recorder;
  Mutant mutant = Mutant.NONE;

  /** Masters that were replaced and do not know it. */
  final List<Node> replaced = new ArrayList<>();

  private final int[] groupOfSlot = new int[SLOTS];
  private final Map<String, Integer> targets = new HashMap<>();
  private final ArrayDeque<Late> late = new ArrayDeque<>();
  private final ArrayDeque<Fault> faults;
  private final Events events;
  private final @Nullable List<String> story;
  private Fault.@Nullable Kind fate;
  private boolean wantsCrash;
  private int commands;

  World(
      Shape shape,
      Turns turns,
      long seed,
      List<Fault> faults,
      Lua lua,
      @Nullable List<String> story) {
    this.shape = shape;
    this.turns = turns;
    this.random = new SplittableRandom(seed);
    this.faults = new ArrayDeque<>(faults);
    this.story = story;
    this.events = new Events(this);
    SplittableRandom ids = new SplittableRandom(seed + 1);
    for (int i = 0; i < shape.groups * (1 + shape.replicas); i++) {
      nodes.add(new Node(i, lua, this::millis, ids::nextLong));
    }
    for (int group = 0; group < shape.groups; group++) {
      Node master = nodes.get(group);
      masters.add(master);
      for (int i = 0; i < shape.replicas; i++) {
        Node replica = nodes.get(shape.groups + group * shape.replicas + i);
        replica.follow(master);
        replica.copyAll();
      }
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      groupOfSlot[slot] = slot * shape.groups / SLOTS;
    }
  }

  long millis() {
    return 1_700_000_000_000L + turns.nanos() / 1_000_000;
  }

  int commands() {
    return commands;
  }

  int groupOf(int slot) {
    return groupOfSlot[slot];
  }

  void moveSlot(int slot, int group) {
    groupOfSlot[slot] = group;
  }

  void tell(String line) {
    if (story != null) {
      story.add(String.format("%7.1f ms  %s", turns.nanos() / 1e6, line));
    }
  }

  boolean tells() {
    return story != null;
  }

  /** No more faults: all servers come back, and replicas copy what they lack. */
  void calm() {
    faults.clear();
    late.clear();
    events.calm();
  }

  /** The way of one process. */
  final class Line implements Wire {
    final int process;
    private final SplittableRandom ids;

    Line(int process, long seed) {
      this.process = process;
      this.ids = new SplittableRandom(seed);
    }

    @Override
    public Replies run(List<byte[][]> commands, int[] slots, byte @Nullable [][] proof) {
      Object[] all = new Object[commands.size()];
      Object[] proofs = new Object[proof == null ? 0 : all.length];
      for (int group = 0; group < shape.groups; group++) {
        List<Integer> mine = new ArrayList<>();
        for (int i = 0; i < slots.length; i++) {
          if (groupOf(slots[i]) == group) {
            mine.add(i);
          }
        }
        if (!mine.isEmpty()) {
          Object seen = send(group, mine, commands, all, proof);
          if (proof != null) {
            mine.forEach(i -> proofs[i] = seen);
          }
        }
      }
      return new Replies(java.util.Arrays.asList(all), java.util.Arrays.asList(proofs));
    }

    @Override
    public List<@Nullable Object> everywhere(byte[][] command) {
      List<@Nullable Object> replies = new ArrayList<>();
      for (int group = 0; group < shape.groups; group++) {
        Object[] reply = new Object[1];
        send(group, List.of(0), List.<byte[][]>of(command), reply, null);
        replies.add(reply[0]);
      }
      return replies;
    }

    private @Nullable Object send(
        int group,
        List<Integer> mine,
        List<byte[][]> all,
        @Nullable Object[] replies,
        byte @Nullable [][] proof) {
      for (int at = 0; at < mine.size(); at++) {
        Node node = target(process, group);
        byte[][] words = all.get(mine.get(at));
        Object reply = deliver(this, node, words, rest(all, mine, at));
        replies[mine.get(at)] = reply;
        if (reply instanceof Trouble trouble && trouble.kind() != Trouble.Kind.REFUSED) {
          for (int i = at + 1; i < mine.size(); i++) {
            replies[mine.get(i)] = trouble;
          }
          return trouble;
        }
      }
      if (proof == null) {
        return null;
      }
      return deliver(this, target(process, group), proof, List.<byte[][]>of(proof));
    }

    private static List<byte[][]> rest(List<byte[][]> all, List<Integer> mine, int at) {
      return new java.util.AbstractList<>() {
        @Override
        public byte[][] get(int index) {
          return all.get(mine.get(at + index));
        }

        @Override
        public int size() {
          return mine.size() - at;
        }
      };
    }

    @Override
    public String nodeOf(int slot) {
      return "node " + target(process, groupOf(slot)).number;
    }

    @Override
    public boolean cluster() {
      return shape.groups > 1;
    }

    @Override
    public long nanoTime() {
      return turns.nanos();
    }

    @Override
    public void pause(long nanos) {
      turns.pause(nanos);
    }

    @Override
    public long random() {
      return ids.nextLong();
    }

    @Override
    public Task repeat(String name, long firstNanos, java.util.function.LongSupplier step) {
      boolean[] stopped = new boolean[1];
      Turns.Task task =
          turns.start(
              "p" + process + " " + name,
              process,
              false,
              firstNanos,
              () -> {
                while (!stopped[0]) {
                  long pause = step.getAsLong();
                  if (pause < 0) {
                    return;
                  }
                  turns.pause(Math.max(pause, 1000));
                }
              });
      return new Task() {
        @Override
        public void wake() {
          task.wake();
        }

        @Override
        public void stop() {
          stopped[0] = true;
          task.wake();
        }
      };
    }
  }

  /** The server that a process takes for the master of a group. */
  private Node target(int process, int group) {
    Integer known = targets.get(process + ":" + group);
    return known == null ? masters.get(group) : nodes.get(known);
  }

  /** A process asks who the master is. */
  private void lookUp(int process, int group) {
    targets.put(process + ":" + group, masters.get(group).number);
  }

  /** Keeps every process at the server that it uses now. */
  void pinTargets(int processes) {
    for (int process = 0; process < processes; process++) {
      for (int group = 0; group < shape.groups; group++) {
        targets.putIfAbsent(process + ":" + group, masters.get(group).number);
      }
    }
  }

  void forgetTargets() {
    targets.clear();
  }

  private @Nullable Object deliver(Line line, Node node, byte[][] words, List<byte[][]> rest) {
    step(line.process);
    turns.pass(LATENCY_NANOS);
    Fault.Kind now = fate;
    fate = null;
    Object reply = fate(now, line, node, words, rest);
    if (story != null) {
      tell(
          turns.currentName()
              + " -> n"
              + node.number
              + " "
              + show(words)
              + (now == null ? "" : " [" + now + "]")
              + " : "
              + Reply.show(reply instanceof Wire.Trouble t ? "(" + t.message() + ")" : reply));
    }
    if (reply instanceof Wire.Trouble trouble) {
      boolean stale =
          trouble.kind() != Wire.Trouble.Kind.REFUSED || trouble.message().startsWith("READONLY");
      if (stale && random.nextInt(3) > 0) {
        for (int group = 0; group < shape.groups; group++) {
          lookUp(line.process, group);
        }
      }
    }
    return reply;
  }

  private @Nullable Object fate(
      Fault.@Nullable Kind now, Line line, Node node, byte[][] words, List<byte[][]> rest) {
    if (!node.alive) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection refused");
    }
    if (node.frozen || now == Fault.Kind.DELAY) {
      late.add(new Late(node, List.copyOf(rest)));
      turns.pause(2_000_000_000L);
      return new Wire.Trouble(Wire.Trouble.Kind.TIMEOUT, "no answer");
    }
    if (now == Fault.Kind.LOSE_COMMAND) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection lost");
    }
    Object reply = execute(node, words);
    if (now == Fault.Kind.LOSE_REPLY) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection lost");
    }
    if (now == Fault.Kind.TWICE) {
      turns.boundary();
      reply = execute(target(line.process, masters.indexOf(node) < 0 ? 0 : masters.indexOf(node)), words);
    }
    return reply instanceof Reply.Failure failure
        ? new Wire.Trouble(Wire.Trouble.Kind.REFUSED, failure.message())
        : reply;
  }

  private @Nullable Object execute(Node node, byte[][] words) {
    if (words[0][0] == 'W') {
      return events.await(node, words);
    }
    Object reply = node.alive ? mutant.run(node, words) : new Reply.Failure("LOADING");
    if (recorder != null) {
      recorder.executed(words, millis(), reply);
    }
    return reply;
  }

  /** Before each command: faults, what arrives late, and other tasks. */
  private void step(int process) {
    commands++;
    while (!faults.isEmpty() && faults.peek().at() <= commands) {
      Fault fault = faults.remove();
      if (story != null) {
        tell("*** " + fault);
      }
      if (fault.kind() == Fault.Kind.STALL) {
        turns.stall(process, 1_000_000L << (fault.first() % 16));
      } else if (fault.kind() == Fault.Kind.CRASH) {
        wantsCrash = true;
      } else if (Fault.OF_COMMANDS.contains(fault.kind())) {
        fate = fault.kind();
      } else {
        events.happen(fault);
      }
    }
    if (wantsCrash) {
      wantsCrash = false;
      turns.end(process);
    }
    if (!late.isEmpty() && random.nextInt(12) == 0 && !late.peek().node.frozen) {
      arrive(late.remove());
    }
    if (shape.replicas > 0 && random.nextInt(4) == 0) {
      events.replicate(random.nextInt(1 << 20));
    }
    Fault.Kind mine = fate; // It is for this command, whoever runs meanwhile.
    fate = null;
    turns.boundary();
    fate = mine;
  }

  private void arrive(Late one) {
    for (byte[][] words : one.commands) {
      if (one.node.alive && words[0][0] != 'W') {
        Object reply = one.node.run(words);
        if (story != null) {
          tell("late -> n" + one.node.number + " " + show(words) + " : " + Reply.show(reply));
        }
      }
    }
  }

  private static String show(byte[][] words) {
    StringBuilder out = new StringBuilder(Reply.text(words[0]));
    boolean script = out.toString().startsWith("EVAL");
    for (int i = 1; i < Math.min(words.length, 10); i++) {
      if (script && i == 1) {
        String text = Reply.text(words[1]);
        int end = text.indexOf('\n');
        out.append(" '").append(text, 0, end < 0 ? Math.min(40, text.length()) : end).append("'");
      } else {
        out.append(' ').append(Reply.show(words[i]));
      }
    }
    return out.append(words.length > 10 ? " ..." : "").toString();
  }

  /** What is on the disk of a server. */
  Map<String, Slot> onDisk(Node node) {
    return shape.saves
        ? node.keys.copy()
        : node.snapshots.isEmpty() ? Map.of() : node.snapshots.get(node.snapshots.size() - 1);
  }
}
