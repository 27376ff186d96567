package io.woodbird.redis.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The servers, the network between them and the processes, and what goes wrong with both. */
final class World {
  private static final int SLOTS = 16384;
  private static final long LATENCY_NANOS = 300_000;
  private static final int MOST_PROCESSES = 8;

  /** Commands that arrive later than their client waits. */
  private record Late(Node node, List<byte[][]> commands) {}

  /**
   * What servers there are.
   *
   * @param groups masters, each with its slots
   * @param replicas of each master
   * @param saves whether what is written goes to a file, which a power cut may shorten
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

  /**
   * How often a server became master without all that was confirmed, or an older copy came back.
   */
  int broken;

  /** How often a server was started or became master. */
  int lives;

  /** Masters that were replaced and do not know it. */
  final List<Node> replaced = new ArrayList<>();

  /** When the last of them learnt it: what was read of it before may still be used for a lag. */
  long replacedUntil = Long.MIN_VALUE;

  /** One more than the group that a slot has moved to, or 0; empty if none has. */
  private byte[] movedSlots = {};

  private final int[][] targets = new int[MOST_PROCESSES][];
  private final String[] names;
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
    names = new String[nodes.size()];
    Arrays.setAll(names, i -> "node " + i);
    Arrays.setAll(targets, i -> new int[shape.groups]);
    forgetTargets();
  }

  long millis() {
    return 1_700_000_000_000L + turns.nanos() / 1_000_000;
  }

  /** Takes note that a master which was replaced knows it now. */
  void noLongerReplaced(Node node) {
    if (replaced.remove(node)) {
      replacedUntil = turns.nanos();
    }
  }

  int commands() {
    return commands;
  }

  int groupOf(int slot) {
    int moved = movedSlots.length == 0 ? 0 : movedSlots[slot];
    return moved > 0 ? moved - 1 : slot * shape.groups / SLOTS;
  }

  void moveSlot(int slot, int group) {
    if (movedSlots.length == 0) {
      movedSlots = new byte[SLOTS];
    }
    movedSlots[slot] = (byte) (group + 1);
  }

  /** Adds a line to the story, if somebody reads it. */
  void tell(Supplier<String> line) {
    if (story != null) {
      story.add(String.format("%7.1f ms  %s", turns.nanos() / 1e6, line.get()));
    }
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
    private int pauses;

    /** Whether a command went to a master that was replaced and does not know it. */
    boolean cutOff;

    Line(int process, long seed) {
      this.process = process;
      this.ids = new SplittableRandom(seed);
    }

    @Override
    public Replies run(List<byte[][]> commands, int[] slots, List<byte[][]> after) {
      return shape.groups == 1 ? toOne(commands, after) : toEach(commands, slots, after);
    }

    private Replies toOne(List<byte[][]> commands, List<byte[][]> after) {
      List<byte[][]> pipeline = new ArrayList<>(commands.size() + after.size());
      pipeline.addAll(commands);
      pipeline.addAll(after);
      List<@Nullable Object> replies = send(0, pipeline);
      int count = commands.size();
      Object[] all = replies.subList(0, count).toArray();
      mutant.hide(commands, all);
      return new Replies(
          Arrays.asList(all),
          after.isEmpty()
              ? List.of()
              : Collections.nCopies(count, replies.subList(count, replies.size())));
    }

    private Replies toEach(List<byte[][]> commands, int[] slots, List<byte[][]> after) {
      Object[] all = new Object[commands.size()];
      List<List<@Nullable Object>> behind =
          new ArrayList<>(Collections.nCopies(after.isEmpty() ? 0 : all.length, List.of()));
      int[] groups = new int[slots.length]; // As of now.
      for (int i = 0; i < slots.length; i++) {
        groups[i] = groupOf(slots[i]);
      }
      for (int group = 0; group < shape.groups; group++) {
        List<Integer> mine = new ArrayList<>(groups.length);
        for (int i = 0; i < slots.length; i++) {
          if (groups[i] == group) {
            mine.add(i);
          }
        }
        if (!mine.isEmpty()) {
          List<byte[][]> pipeline = new ArrayList<>(mine.size() + after.size());
          mine.forEach(i -> pipeline.add(commands.get(i)));
          pipeline.addAll(after);
          List<@Nullable Object> replies = send(group, pipeline);
          List<@Nullable Object> last = replies.subList(mine.size(), replies.size());
          for (int i = 0; i < mine.size(); i++) {
            all[mine.get(i)] = replies.get(i);
            if (!after.isEmpty()) {
              behind.set(mine.get(i), last);
            }
          }
        }
      }
      mutant.hide(commands, all);
      return new Replies(Arrays.asList(all), behind);
    }

    /** Sends a pipeline over one connection; what breaks it breaks all that follows. */
    private List<@Nullable Object> send(int group, List<byte[][]> pipeline) {
      List<@Nullable Object> replies = new ArrayList<>(pipeline.size());
      Node node = target(process, group);
      int starts = node.starts;
      for (int at = 0; at < pipeline.size(); at++) {
        Object reply =
            node.starts == starts
                ? deliver(this, node, pipeline, at)
                : new Trouble(Trouble.Kind.UNREACHABLE, "the server was started again");
        replies.add(reply);
        if (reply instanceof Trouble trouble && trouble.kind() != Trouble.Kind.REFUSED) {
          replies.addAll(Collections.nCopies(pipeline.size() - at - 1, trouble));
          break;
        }
      }
      return replies;
    }

    @Override
    public String nodeOf(int slot) {
      return names[target(process, groupOf(slot)).number];
    }

    @Override
    public int nextRun(int slot) {
      int end = (groupOf(slot) + 1) * SLOTS;
      return movedSlots.length > 0 ? slot + 1 : (end + shape.groups - 1) / shape.groups;
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
      pauses++;
      turns.pause(nanos * (1 + pauses / 3)); // A machine may sleep longer than it was asked to.
    }

    @Override
    public long random() {
      return ids.nextLong();
    }

    @Override
    public Task repeat(String name, long firstNanos, LongSupplier step) {
      boolean[] stopped = new boolean[1];
      Turns.Task task =
          turns.start(
              "p" + process + " " + name,
              process,
              false,
              firstNanos,
              () -> {
                long pause = stopped[0] ? -1 : step.getAsLong();
                return pause < 0 ? -1 : Math.max(pause, 1000);
              });
      return () -> {
        stopped[0] = true;
        task.wake();
      };
    }
  }

  /** The server that a process takes for the master of a group. */
  private Node target(int process, int group) {
    int known = targets[process][group];
    return known < 0 ? masters.get(group) : nodes.get(known);
  }

  /** A process asks who the masters are. */
  private void lookUp(int process) {
    for (int group = 0; group < shape.groups; group++) {
      targets[process][group] = masters.get(group).number;
    }
  }

  /** Keeps every process at the servers that it uses now. */
  void pinTargets() {
    for (int[] known : targets) {
      for (int group = 0; group < known.length; group++) {
        known[group] = known[group] < 0 ? masters.get(group).number : known[group];
      }
    }
  }

  void forgetTargets() {
    for (int[] known : targets) {
      Arrays.fill(known, -1);
    }
  }

  private @Nullable Object deliver(Line line, Node node, List<byte[][]> pipeline, int at) {
    byte[][] words = pipeline.get(at);
    step(line.process);
    turns.pass(LATENCY_NANOS);
    Fault.Kind now = fate;
    fate = null;
    Object reply = fate(now, node, pipeline, at);
    line.cutOff |= replaced.contains(node);
    if (story != null) {
      tell(node, words, now, reply);
    }
    if (reply instanceof Wire.Trouble trouble) {
      boolean stale =
          trouble.kind() != Wire.Trouble.Kind.REFUSED || trouble.message().startsWith("READONLY");
      if (stale && random.nextInt(3) > 0) {
        lookUp(line.process);
      }
    }
    return reply;
  }

  private void tell(Node node, byte[][] words, Fault.@Nullable Kind now, @Nullable Object reply) {
    tell(
        () ->
            turns.currentName()
                + " -> n"
                + node.number
                + " "
                + show(words)
                + (now == null ? "" : " [" + now + "]")
                + " : "
                + Reply.show(reply instanceof Wire.Trouble t ? "(" + t.message() + ")" : reply));
  }

  private @Nullable Object fate(
      Fault.@Nullable Kind now, Node node, List<byte[][]> pipeline, int at) {
    if (!node.alive) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection refused");
    }
    if (node.frozen || now == Fault.Kind.DELAY) {
      late.add(new Late(node, List.copyOf(pipeline.subList(at, pipeline.size()))));
      turns.pause(2_000_000_000L);
      return new Wire.Trouble(Wire.Trouble.Kind.TIMEOUT, "no answer");
    }
    if (now == Fault.Kind.LOSE_COMMAND) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection lost");
    }
    byte[][] words = pipeline.get(at);
    Object reply = execute(node, words);
    if (now == Fault.Kind.LOSE_REPLY) {
      return new Wire.Trouble(Wire.Trouble.Kind.UNREACHABLE, "connection lost");
    }
    if (now == Fault.Kind.TWICE) {
      turns.boundary();
      reply = execute(node, words);
    }
    return reply instanceof Reply.Failure failure
        ? new Wire.Trouble(Wire.Trouble.Kind.REFUSED, failure.message())
        : reply;
  }

  private static boolean isWait(byte[][] words) {
    return words[0][0] == 'W';
  }

  private @Nullable Object execute(Node node, byte[][] words) {
    if (isWait(words)) {
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
      tell(() -> "*** " + fault);
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
    if (shape.saves && random.nextInt(24) == 0) {
      nodes.forEach(Node::sync);
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
      if (one.node.alive && !isWait(words)) {
        Object reply = one.node.run(words);
        tell(() -> "late -> n" + one.node.number + " " + show(words) + " : " + Reply.show(reply));
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
}
