package io.woodbird.bench;

import static io.woodbird.bench.Workload.HIT;
import static io.woodbird.bench.Workload.MISS;
import static io.woodbird.bench.Workload.MIX;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_BLOCKED;
import static io.woodbird.bench.rival.RivalKind.GUAVA;
import static io.woodbird.bench.rival.RivalKind.HASHSET;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_COUNTING;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAPPED;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAPPED_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_QUOTIENT;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_WINDOW;

import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a report measures.
 *
 * @param sections in order
 * @param promises what the project promises about them
 * @param growth how single puts are timed while a filter grows
 * @param effort as in {@link Probe}
 */
record Plan(List<Section> sections, List<Promise> promises, Growth growth, double effort) {
  /*
   * The sizes: 100 thousand keys (128 KB) are in the cache of a core, 100 million (128 MB) are in
   * memory, or in the last cache of a large server; 20 million are a file that is mapped.
   */
  private static final long CACHE = 100_000;
  private static final long DELETABLE = 99_000;
  private static final long WINDOW = 98_000;
  private static final long GROWING = 10_000_000;
  private static final long MIDDLE = 10_000_000;
  private static final long MAPPED = 20_000_000;
  private static final long MEMORY = 100_000_000;

  private static final List<Workload> ALL = List.of(HIT, MISS, MIX);

  /**
   * Cells that are compared with one another, and therefore measured in turns.
   *
   * @param name for {@code --only}
   * @param rounds how often each cell is measured, all of them once before any of them twice
   */
  record Section(
      String name,
      KeyKind<?> kind,
      long n,
      Set<RivalKind> rivals,
      List<Workload> workloads,
      int rounds) {
    /** The cells of one round: the rivals of one workload follow one another. */
    List<Cell> cells() {
      List<Cell> cells = new ArrayList<>();
      for (Workload workload : workloads) {
        for (RivalKind rival : rivals) {
          cells.add(new Cell(kind, n, rival, workload));
        }
      }
      return cells;
    }
  }

  /** What the promises need. */
  static Plan quick() {
    return of(1, 1);
  }

  /** Everything. */
  static Plan full() {
    Set<RivalKind> all =
        EnumSet.complementOf(
            EnumSet.of(
                WOODBIRD_MAPPED,
                WOODBIRD_MAPPED_BATCH,
                WOODBIRD_QUOTIENT,
                WOODBIRD_COUNTING,
                WOODBIRD_WINDOW));
    Set<RivalKind> filters = EnumSet.copyOf(all);
    filters.remove(HASHSET); // 6 GB at 100 million keys, and nobody doubts it
    Set<RivalKind> strings = EnumSet.copyOf(all);
    strings.removeIf(rival -> !rival.takesStrings() && rival.jvmOptions().isEmpty());
    return new Plan(
        List.of(
            new Section("cache", KeyKind.LONGS, CACHE, all, ALL, 5),
            new Section("middle", KeyKind.LONGS, MIDDLE, all, ALL, 3),
            new Section("memory", KeyKind.LONGS, MEMORY, filters, ALL, 3),
            new Section("strings-cache", KeyKind.STRINGS, CACHE, strings, ALL, 3),
            new Section("strings", KeyKind.STRINGS, MIDDLE, strings, ALL, 3),
            mapped(1, 3),
            deletable(1, 5),
            window(1, 5)),
        promises(1),
        new Growth(GROWING, 3),
        1);
  }

  /** The cells of {@link #quick} with a thousandth of the keys: only to see that all of it runs. */
  static Plan smoke() {
    return of(1000, 0.01);
  }

  /** Whether the numbers mean anything. */
  boolean judged() {
    return effort == 1;
  }

  private static Plan of(long divisor, double effort) {
    Set<RivalKind> single = EnumSet.of(WOODBIRD, FASTFILTER_BLOCKED, GUAVA);
    Set<RivalKind> both = EnumSet.of(WOODBIRD, WOODBIRD_BATCH, FASTFILTER_BLOCKED, GUAVA);
    Set<RivalKind> strings = EnumSet.of(WOODBIRD, WOODBIRD_BATCH, GUAVA);
    List<Workload> miss = List.of(MISS);
    int rounds = divisor == 1 ? 3 : 1;
    int fewer = divisor == 1 ? 2 : 1;
    return new Plan(
        List.of(
            new Section("cache", KeyKind.LONGS, CACHE / divisor, single, ALL, rounds),
            new Section("memory", KeyKind.LONGS, MEMORY / divisor, both, miss, fewer),
            new Section("strings", KeyKind.STRINGS, MIDDLE / divisor, strings, miss, fewer),
            mapped(divisor, fewer),
            deletable(divisor, rounds),
            window(divisor, rounds)),
        promises(divisor),
        new Growth(GROWING / divisor, rounds),
        effort);
  }

  private static Section mapped(long divisor, int rounds) {
    Set<RivalKind> rivals =
        EnumSet.of(WOODBIRD, WOODBIRD_BATCH, WOODBIRD_MAPPED, WOODBIRD_MAPPED_BATCH);
    return new Section("mapped", KeyKind.LONGS, MAPPED / divisor, rivals, ALL, rounds);
  }

  /** In cache, but with a number of keys of its own: a cell belongs to one section. */
  private static Section deletable(long divisor, int rounds) {
    Set<RivalKind> rivals = EnumSet.of(WOODBIRD, WOODBIRD_QUOTIENT, WOODBIRD_COUNTING);
    return new Section("deletable", KeyKind.LONGS, DELETABLE / divisor, rivals, ALL, rounds);
  }

  private static Section window(long divisor, int rounds) {
    Set<RivalKind> rivals = EnumSet.of(WOODBIRD, WOODBIRD_WINDOW);
    return new Section("window", KeyKind.LONGS, WINDOW / divisor, rivals, ALL, rounds);
  }

  private static List<Promise> promises(long divisor) {
    List<Promise> promises = new ArrayList<>();
    for (Workload workload : ALL) {
      Cell cell = new Cell(KeyKind.LONGS, CACHE / divisor, WOODBIRD, workload);
      // "within 1.4 times" on hits or misses alone, where its one branch is always predicted
      double target = workload == MIX ? 1.2 : 1 / 1.4;
      promises.add(Promise.ask("one long in cache", cell, FASTFILTER_BLOCKED, target));
      promises.add(Promise.ask("one long in cache", cell, GUAVA, 8));
    }
    Cell memory = new Cell(KeyKind.LONGS, MEMORY / divisor, WOODBIRD_BATCH, MISS);
    promises.add(Promise.ask("longs in batch", memory, GUAVA, 10));
    promises.add(Promise.ask("longs in batch", memory, FASTFILTER_BLOCKED, 1.4));
    promises.add(Promise.put("put one long, thread-safe", memory.of(WOODBIRD), GUAVA, 4));
    Cell text = new Cell(KeyKind.STRINGS, MIDDLE / divisor, WOODBIRD, MISS);
    promises.add(Promise.ask("one String of 60", text, GUAVA, 4));
    promises.add(Promise.ask("Strings of 60 in batch", text.of(WOODBIRD_BATCH), GUAVA, 7));
    for (Workload workload : ALL) {
      Cell file = new Cell(KeyKind.LONGS, MAPPED / divisor, WOODBIRD_MAPPED, workload);
      promises.add(Promise.ask("one long, mapped file", file, WOODBIRD, 0.8));
      promises.add(
          Promise.ask(
              "longs in batch, mapped file", file.of(WOODBIRD_MAPPED_BATCH), WOODBIRD_BATCH, 0.8));
    }
    for (RivalKind ours : List.of(WOODBIRD_QUOTIENT, WOODBIRD_COUNTING)) {
      for (Workload workload : ALL) {
        Cell cell = new Cell(KeyKind.LONGS, DELETABLE / divisor, ours, workload);
        promises.add(Promise.ask("one long, deletable", cell, WOODBIRD, 1 / 4.0));
      }
      Cell cell = new Cell(KeyKind.LONGS, DELETABLE / divisor, ours, MISS);
      promises.add(Promise.put("put one long, deletable", cell, WOODBIRD, 1 / 8.0));
      promises.add(Promise.remove("remove beside put, deletable", cell, WOODBIRD, 1 / 8.0));
    }
    Cell window = new Cell(KeyKind.LONGS, WINDOW / divisor, WOODBIRD_WINDOW, MISS);
    promises.add(Promise.put("put one long, window", window, WOODBIRD, 1 / 6.0));
    return promises;
  }

  /** The section of this name alone. */
  Plan only(String name) {
    if (name.equals(Growth.NAME)) {
      return new Plan(List.of(), List.of(), growth, effort);
    }
    List<Section> kept = sections.stream().filter(s -> s.name().equals(name)).toList();
    if (kept.isEmpty()) {
      List<String> names = new ArrayList<>(sections.stream().map(Section::name).toList());
      names.add(Growth.NAME);
      throw new IllegalArgumentException("--only takes one of " + names + ": " + name);
    }
    List<Cell> cells = kept.get(0).cells();
    List<Promise> about = promises.stream().filter(p -> cells.contains(p.ours())).toList();
    return new Plan(kept, about, new Growth(growth.keys(), 0), effort);
  }

  /** The same with another number of rounds. */
  Plan withRounds(int rounds) {
    List<Section> changed =
        sections.stream()
            .map(s -> new Section(s.name(), s.kind(), s.n(), s.rivals(), s.workloads(), rounds))
            .toList();
    int growths = growth.rounds() == 0 ? 0 : rounds;
    return new Plan(changed, promises, new Growth(growth.keys(), growths), effort);
  }
}
