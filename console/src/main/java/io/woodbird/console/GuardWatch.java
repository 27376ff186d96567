package io.woodbird.console;

import io.woodbird.Filter;
import io.woodbird.guard.Admission;
import io.woodbird.guard.Guard;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.RebuildingFilter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The guards that the page shows, by name.
 *
 * <pre>{@code
 * GenerationLog log = new GenerationLog();
 * RebuildingFilter<Long> ids = RebuildingFilter.of(Keys.longs(), source).onEvent(log).start();
 * GuardWatch guards = new GuardWatch().add("products", Guard.of(ids, loader), log);
 * Console.start(folder, 0, guards);
 * }</pre>
 */
public final class GuardWatch implements GuardSource {
  private final List<Watched> watched = new CopyOnWriteArrayList<>();

  private record Watched(String name, Admission<?> admission, @Nullable GenerationLog log) {}

  /** Makes an empty one. */
  public GuardWatch() {}

  /**
   * Shows a guard.
   *
   * @param name how the page calls it
   * @param guard the guard
   * @return this
   */
  public GuardWatch add(String name, Guard<?, ?> guard) {
    return add(name, guard.admission(), null);
  }

  /**
   * Shows a guard and the generations of its filter.
   *
   * @param name how the page calls it
   * @param guard the guard
   * @param log listens to the events of the guard's {@link RebuildingFilter}
   * @return this
   */
  public GuardWatch add(String name, Guard<?, ?> guard, GenerationLog log) {
    return add(name, guard.admission(), Objects.requireNonNull(log, "log"));
  }

  /**
   * Shows an admission, the part of a guard that decides and counts.
   *
   * @param name how the page calls it
   * @param admission the admission
   * @param log listens to the events of the admission's {@link RebuildingFilter}; null if it has
   *     none
   * @return this
   */
  public GuardWatch add(String name, Admission<?> admission, @Nullable GenerationLog log) {
    watched.add(new Watched(Objects.requireNonNull(name, "name"), admission, log));
    return this;
  }

  @Override
  public List<GuardSnapshot> snapshots() {
    return watched.stream().map(GuardWatch::snapshot).toList();
  }

  private static GuardSnapshot snapshot(Watched one) {
    GuardStats stats = one.admission.counts(); // Not stats(), which counts the bits of the filter.
    GenerationLog log = one.log;
    Filter<?> filter = one.admission.filter();
    return new GuardSnapshot(
        one.name,
        stats.asked(),
        stats.stopped(),
        stats.loaded(),
        stats.found(),
        stats.falsePositives(),
        stats.unknown(),
        log == null
            ? List.of()
            : log.generations(filter instanceof RebuildingFilter<?> current ? current : null),
        log == null ? List.of() : log.doubts(),
        GuardSnapshot.Proofs.of(filter));
  }
}
