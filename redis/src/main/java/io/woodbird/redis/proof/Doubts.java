package io.woodbird.redis.proof;

import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/** What is wrong with a filter now, shard by shard; tells the listener. */
public final class Doubts {
  private static final Set<Cause> PASSING =
      Set.of(Cause.UNREACHABLE, Cause.TIMEOUT, Cause.REFUSED, Cause.NOT_DURABLE);

  private final String filter;
  private final Consumer<RedisEvent> listener;
  private final Diagnosis diagnosis;
  private final Map<String, RedisEvent> open = new ConcurrentSkipListMap<>();

  public Doubts(String filter, Consumer<RedisEvent> listener, Diagnosis diagnosis) {
    this.filter = filter;
    this.listener = listener;
    this.diagnosis = diagnosis;
  }

  /** Notes a trouble; tells the listener when it is new. Returns it with its cause made out. */
  public RedisEvent note(String key, Trouble trouble) {
    RedisEvent known = open.get(key);
    if (known != null && same(known, trouble)) {
      return known;
    }
    RedisEvent event = eventOf(key, trouble);
    RedisEvent before = open.put(key, event);
    if (before == null || before.cause() != event.cause()) {
      listener.accept(event);
    }
    return event;
  }

  private static boolean same(RedisEvent known, Trouble trouble) {
    return switch (trouble.kind()) {
      case GONE ->
          List.of(Cause.DELETED, Cause.EVICTED, Cause.EXPIRED, Cause.FLUSHED)
                  .contains(known.cause())
              || known.message().contains("is gone");
      case FOREIGN -> known.message().equals(trouble.message());
      default -> known.cause() == trouble.cause();
    };
  }

  private RedisEvent eventOf(String key, Trouble trouble) {
    boolean gone = trouble.kind() == Trouble.Kind.GONE;
    boolean restarted = trouble.kind() == Trouble.Kind.DOUBT && trouble.cause() == Cause.RESTARTED;
    Trouble known = gone || restarted ? diagnosis.of(Command.bytes(key), trouble) : trouble;
    return new RedisEvent(known.cause(), filter, known.message());
  }

  /** Notes that a shard is well. Nearly free while all are. */
  public void well(byte[] key) {
    if (!open.isEmpty()) {
      RedisEvent before = open.remove(Command.text(key));
      if (before != null) {
        listener.accept(
            new RedisEvent(
                Cause.HEALED,
                filter,
                Command.text(key) + " is well again, after: " + before.cause()));
      }
    }
  }

  void forgetAll() {
    open.clear();
  }

  /** Forgets the troubles of a generation that is not asked any more. */
  public void forgetAllBut(GenerationView live) {
    if (open.isEmpty()) {
      return;
    }
    List<String> keys = Arrays.stream(live.keys).map(Command::text).toList();
    open.keySet().removeIf(key -> !keys.contains(key));
  }

  public void tell(Cause cause, String message) {
    listener.accept(new RedisEvent(cause, filter, message));
  }

  /** Whether data was lost or is in doubt, so that a build may be the only cure. */
  public boolean lost() {
    return open.values().stream().anyMatch(event -> !PASSING.contains(event.cause()));
  }

  /** What is wrong, in words: one line per cause. */
  public List<String> lines() {
    Map<Cause, List<RedisEvent>> causes = new TreeMap<>();
    open.values().forEach(e -> causes.computeIfAbsent(e.cause(), c -> new ArrayList<>()).add(e));
    return causes.values().stream()
        .map(all -> all.get(0).cause() + ": " + all.get(0).message() + more(all.size()))
        .toList();
  }

  static String more(int count) {
    return count == 1 ? "" : " (and " + (count - 1) + " more shards)";
  }
}
