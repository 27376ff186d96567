package io.woodbird.spring;

import io.woodbird.console.GuardSnapshot;
import io.woodbird.console.GuardSnapshot.State;
import io.woodbird.console.GuardSource;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GuardStats;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The application's guards as the console shows them, with the generations it has seen answer. */
final class ConsoleGuards implements GuardSource {
  private static final int MOST = 20;

  private final Guards guards;
  private final Map<String, Deque<Generation>> seen = new HashMap<>();

  ConsoleGuards(Guards guards) {
    this.guards = guards;
  }

  @Override
  public synchronized List<GuardSnapshot> snapshots() {
    return guards.all().stream().map(this::snapshot).toList();
  }

  private GuardSnapshot snapshot(NamedGuard guard) {
    GuardStats stats = guard.stats();
    String failure = guard.lastFailure();
    return new GuardSnapshot(
        guard.name(),
        stats.asked(),
        stats.stopped(),
        stats.loaded(),
        stats.found(),
        stats.falsePositives(),
        stats.unknown(),
        generations(guard),
        failure == null ? List.of() : List.of(failure),
        GuardSnapshot.Proofs.of(guard.filter()));
  }

  private List<GuardSnapshot.Generation> generations(NamedGuard guard) {
    Deque<Generation> all = seen.computeIfAbsent(guard.name(), name -> new ArrayDeque<>());
    Generation current = guard.generation().orElse(null);
    if (current != null && !current.equals(all.peekLast())) {
      all.removeIf(one -> one.number() >= current.number()); // After a roll back.
      all.addLast(current);
      if (all.size() > MOST) {
        all.removeFirst();
      }
    }
    List<GuardSnapshot.Generation> shown = new ArrayList<>();
    List<Generation> row = List.copyOf(all);
    for (int i = 0; i < row.size(); i++) {
      shown.add(shown(row.get(i), i + 1 < row.size() ? row.get(i + 1) : null));
    }
    return shown;
  }

  private static GuardSnapshot.Generation shown(Generation one, @Nullable Generation next) {
    return new GuardSnapshot.Generation(
        one.number(),
        next == null ? State.SERVING : State.RETIRED,
        one.builtAt().minus(one.took()),
        one.builtAt(),
        next == null ? null : next.builtAt(),
        one.keys());
  }
}
