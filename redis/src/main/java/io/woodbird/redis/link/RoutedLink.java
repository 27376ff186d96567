package io.woodbird.redis.link;

import io.woodbird.redis.link.RedisError.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A link over any client library: commands are grouped by node, and follow slots that move. */
public final class RoutedLink implements Link {
  private static final String SERVER = "the server";
  private static final Command ASKING = Command.keyless(Command.Name.ASKING);

  /** An idle connection may have died with its server, unnoticed until now; so may the next. */
  private static final int ATTEMPTS = 3;

  /** Calls that may block while their callers do not, at once and in waiting. */
  private static final int THREADS = 8;

  private static final int WAITING = 1000;

  private final Wire wire;
  private final long timeoutNanos;
  private final AtomicReferenceArray<@Nullable String> nodes =
      new AtomicReferenceArray<>(Slots.COUNT);
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(WAITING),
          task -> SystemTime.daemon(task, "woodbird-redis"));
  private final ThreadLocal<@Nullable Long> endOfCall = new ThreadLocal<>();
  private volatile boolean closed;

  public RoutedLink(Wire wire, Duration timeout) {
    this.wire = wire;
    this.timeoutNanos = timeout.toNanos();
    threads.allowCoreThreadTimeOut(true);
  }

  /** One call: its commands, what follows them on each node, and the replies so far. */
  private static final class Call {
    final List<Command> commands;
    final List<Command> after;
    final @Nullable Object[] replies;
    final List<List<@Nullable Object>> followed;
    final long end;

    Call(List<Command> commands, List<Command> after, long end) {
      this.commands = commands;
      this.after = after;
      this.end = end;
      replies = new @Nullable Object[commands.size()];
      followed =
          new ArrayList<>(Collections.nCopies(after.isEmpty() ? 0 : commands.size(), List.of()));
    }

    List<Integer> all() {
      List<Integer> all = new ArrayList<>(replies.length);
      for (int i = 0; i < replies.length; i++) {
        all.add(i);
      }
      return all;
    }

    /** Some of the commands, and what follows them; each is made when it is sent. */
    List<Command> of(List<Integer> which) {
      return new AbstractList<>() {
        @Override
        public Command get(int index) {
          int count = which.size();
          return index < count ? commands.get(which.get(index)) : after.get(index - count);
        }

        @Override
        public int size() {
          return which.size() + after.size();
        }
      };
    }

    Replies result() {
      return new Replies(Arrays.asList(replies), followed);
    }

    void take(List<Integer> which, List<@Nullable Object> got) {
      List<@Nullable Object> behind = got.subList(which.size(), got.size());
      for (int i = 0; i < which.size(); i++) {
        replies[which.get(i)] = got.get(i);
        if (!after.isEmpty()) {
          followed.set(which.get(i), behind);
        }
      }
    }
  }

  /** When a call that begins now must end. */
  private long end() {
    Long end = endOfCall.get();
    return end == null ? System.nanoTime() + timeoutNanos : end;
  }

  @Override
  public <T> T asOneCall(Supplier<T> work) {
    if (endOfCall.get() != null) {
      return work.get();
    }
    endOfCall.set(end());
    try {
      return work.get();
    } finally {
      endOfCall.remove();
    }
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    return run(new Call(commands, after, end()));
  }

  private Replies run(Call call) {
    if (System.nanoTime() - call.end >= 0) { // A connection would be cut as it is lent.
      RedisError late = new RedisError(Kind.TIMEOUT, "the time of the call is over");
      int replies = call.commands.size() + call.after.size();
      call.take(call.all(), Collections.nCopies(replies, late));
      return call.result();
    }
    round(call, call.all());
    return finish(call);
  }

  /**
   * Repeats what must be sent again, as long as there is time. All commands of a key are sent again
   * together: one may prove what another has read before it, on the same connection.
   */
  private Replies finish(Call call) {
    for (int attempt = 0; wire.cluster() || attempt < ATTEMPTS - 1; attempt++) {
      Collection<List<Integer>> left = left(call);
      if (left.isEmpty() || closed || System.nanoTime() - call.end > 0) {
        break;
      }
      if (wire.cluster()) {
        left.removeIf(ofOneKey -> followedAsk(call, ofOneKey));
        if (left.isEmpty()) {
          break;
        }
        relearn(call.end);
        pause(attempt, call.end);
      }
      round(call, left.stream().flatMap(List::stream).sorted().toList());
    }
    return call.result();
  }

  /** Whether a command, or what follows it, must be sent again. */
  private static boolean isBroken(Call call, int index) {
    return again(call.replies[index])
        || (!call.after.isEmpty() && call.followed.get(index).stream().anyMatch(RoutedLink::again));
  }

  private static boolean again(@Nullable Object reply) {
    return reply instanceof RedisError error
        && (error.redirects() || error.kind() == Kind.UNREACHABLE);
  }

  private static boolean isBroken(Call call) {
    for (int i = 0; i < call.replies.length; i++) {
      if (isBroken(call, i)) {
        return true;
      }
    }
    return false;
  }

  /** The commands of each key of which one must be sent again. */
  private static Collection<List<Integer>> left(Call call) {
    if (!isBroken(call)) {
      return List.of();
    }
    Map<ByteBuffer, List<Integer>> keys = new LinkedHashMap<>();
    for (int i : call.all()) {
      ByteBuffer key = ByteBuffer.wrap(call.commands.get(i).key());
      keys.computeIfAbsent(key, name -> new ArrayList<>()).add(i);
    }
    keys.values().removeIf(mine -> mine.stream().noneMatch(i -> isBroken(call, i)));
    return keys.values();
  }

  /** One round without blocking; what must be sent again after it is sent by another thread. */
  @Override
  public CompletableFuture<Replies> begin(List<Command> commands, List<Command> after) {
    Call call = new Call(commands, after, end());
    if (!wire.begins()) {
      return later(() -> run(call));
    }
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (Map.Entry<String, List<Integer>> entry : groups(call, call.all()).entrySet()) {
      CompletableFuture<List<@Nullable Object>> sent =
          closed ? null : wire.begin(entry.getKey(), call.of(entry.getValue()), call.end);
      if (sent == null) {
        // A call of its own: what was begun above may still arrive, and must not mix with it.
        return later(() -> run(new Call(commands, after, call.end)));
      }
      running.add(sent.thenAccept(got -> call.take(entry.getValue(), got)));
    }
    return CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done ->
                isBroken(call)
                    ? later(() -> finish(call))
                    : CompletableFuture.completedFuture(call.result()));
  }

  @Override
  public <T> CompletableFuture<T> later(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, threads);
  }

  @Override
  public Duration timeout() {
    return Duration.ofNanos(timeoutNanos);
  }

  private static List<@Nullable Object> unreachable(List<Command> commands) {
    return Collections.nCopies(
        commands.size(), new RedisError(Kind.UNREACHABLE, "the link is closed"));
  }

  /**
   * The commands for each node, in one order of the nodes, so that calls that hold connections to
   * several do not wait for each other. Each slot has one node for the whole round, though another
   * thread may learn of a new one meanwhile: else a header of the new master would prove a block of
   * the old.
   */
  private Map<String, List<Integer>> groups(Call call, List<Integer> which) {
    if (!wire.cluster()) {
      return Map.of(SERVER, which);
    }
    Map<String, List<Integer>> groups = new TreeMap<>();
    Map<Integer, String> ofSlots = new HashMap<>();
    for (int i : which) {
      int slot = Slots.of(call.commands.get(i).key());
      String node = ofSlots.computeIfAbsent(slot, one -> nodeOf(one, call.end));
      groups.computeIfAbsent(node, name -> new ArrayList<>()).add(i);
    }
    return groups;
  }

  private void round(Call call, List<Integer> which) {
    Map<String, List<Integer>> groups = groups(call, which);
    Map<List<Integer>, Supplier<List<@Nullable Object>>> running = new LinkedHashMap<>();
    int group = 0;
    for (Map.Entry<String, List<Integer>> entry : groups.entrySet()) {
      List<Command> mine = call.of(entry.getValue());
      boolean last = ++group == groups.size();
      if (closed || last) {
        List<@Nullable Object> got =
            closed ? unreachable(mine) : wire.exchange(entry.getKey(), mine, call.end);
        call.take(entry.getValue(), got);
      } else {
        running.put(entry.getValue(), wire.start(entry.getKey(), mine, call.end));
      }
    }
    running.forEach((mine, replies) -> call.take(mine, replies.get()));
  }

  /** Answers redirections of the kind "this once, ask there"; true if all is answered then. */
  private boolean followedAsk(Call call, List<Integer> ofOneKey) {
    for (int i : ofOneKey) {
      if (call.replies[i] instanceof RedisError error && error.starts("ASK ")) {
        String node = error.message().substring(error.message().lastIndexOf(' ') + 1);
        List<Command> there = new ArrayList<>();
        for (int one : ofOneKey) {
          there.addAll(List.of(ASKING, call.commands.get(one)));
        }
        there.addAll(call.after);
        List<@Nullable Object> got = new ArrayList<>(wire.exchange(node, there, call.end));
        for (int asking = 0; asking < ofOneKey.size(); asking++) {
          got.remove(asking); // What is left of the list begins with the reply to its command.
        }
        call.take(ofOneKey, got);
        return ofOneKey.stream().noneMatch(one -> isBroken(call, one));
      }
    }
    return false;
  }

  @Override
  public void relearn() {
    if (wire.cluster()) {
      relearn(end());
    }
  }

  private void relearn(long end) {
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      nodes.set(slot, null);
    }
    wire.relearn(end);
  }

  private static void pause(int attempt, long end) {
    long millis = Math.min(100, 5L << Math.min(attempt, 5));
    long left = Math.max(0, (end - System.nanoTime()) / 1_000_000);
    try {
      Thread.sleep(Math.min(millis, left));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String nodeOf(int slot) {
    return nodeOf(slot, end());
  }

  private String nodeOf(int slot, long end) {
    if (!wire.cluster()) {
      return SERVER;
    }
    String node = nodes.get(slot);
    if (node == null) {
      node = wire.nodeOf(slot, end);
      if (!node.equals(UNKNOWN)) {
        nodes.set(slot, node);
      }
    }
    return node;
  }

  @Override
  public boolean cluster() {
    return wire.cluster();
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdown();
    wire.close();
  }
}
