package io.woodbird.bench;

import static io.woodbird.bench.Workload.HIT;
import static io.woodbird.bench.Workload.MISS;
import static io.woodbird.bench.Workload.MIX;
import static io.woodbird.bench.rival.RivalKind.BAQEND;
import static io.woodbird.bench.rival.RivalKind.COMMONS;
import static io.woodbird.bench.rival.RivalKind.DATASKETCHES;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_BLOCKED;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_BLOOM;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_XOR16;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_XOR8;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_XORFUSE8;
import static io.woodbird.bench.rival.RivalKind.GUAVA;
import static io.woodbird.bench.rival.RivalKind.HASHSET;
import static io.woodbird.bench.rival.RivalKind.HUTOOL;
import static io.woodbird.bench.rival.RivalKind.SPARK;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_CLASSIC;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_COUNTING;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_FUSE;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_FUSE_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAPPED;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAPPED_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAP_1;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAP_16;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAP_4;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_QUOTIENT;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_RIBBON;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_RIBBON_11;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_RIBBON_23;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_RIBBON_8;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_WINDOW;

import io.woodbird.bench.Questions.Size;
import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** All sections, in the order in which they run, with all that the project promises about them. */
final class Suite {
  /*
   * The sizes: 100 thousand keys (128 KB) are in the cache of a core, 100 million (128 MB) are in
   * memory, or in the last cache of a large server.
   */
  private static final long CACHE = 100_000;
  private static final long MIDDLE = 10_000_000;
  private static final long MEMORY = 100_000_000;

  /**
   * The mix first: where one JVM asks all of them, the compiler sees both branches from the start.
   */
  private static final List<Workload> ALL = List.of(MIX, HIT, MISS);

  /** Less time per cell, where there are many and none is promised to the percent. */
  private static final double MANY = 0.4;

  private final Scale scale;

  private Suite(Scale scale) {
    this.scale = scale;
  }

  static List<Section> sections(Scale scale) {
    Suite suite = new Suite(scale);
    return List.of(
        suite.cache(),
        suite.lookup(),
        suite.middle(),
        suite.memory(),
        suite.strings(),
        suite.frozen(),
        suite.maps(),
        suite.build(),
        new BuildToSection(scale.keys(MIDDLE), scale.keys(MEMORY)),
        new SpaceSection(Math.max(1 << 16, scale.keys(1_000_000))),
        suite.mapped(),
        suite.deletable(),
        new Growth(scale.keys(MIDDLE), scale.rounds(3)),
        new GuardSection(scale.keys(CACHE), scale.rounds(3), scale.effort()),
        new FollowSection(2 * scale.effort(), scale.rounds(3)),
        new RedisSection((int) Math.max(20_000, scale.keys(1_000_000)), scale.rounds(7)));
  }

  private Section cache() {
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      Cell cell = new Cell(KeyKind.LONGS, scale.keys(CACHE), WOODBIRD, workload);
      // On hits or misses alone its one branch is always predicted.
      double target = workload == MIX ? 1.6 : 1;
      claims.add(Promise.ask("one long in cache", cell, FASTFILTER_BLOCKED, target));
      claims.add(Promise.ask("one long in cache", cell, GUAVA, 8));
    }
    Set<RivalKind> rivals = EnumSet.of(WOODBIRD, WOODBIRD_BATCH, FASTFILTER_BLOCKED, GUAVA);
    String title = "Longs in the cache of a core, each workload in a JVM of its own";
    return longs("cache", title, 130, new Size(scale.keys(CACHE), rivals), true, 3, claims);
  }

  private Section lookup() {
    List<Long> sizes = List.of(10_000L, CACHE, 1_000_000L);
    List<Claim> claims = new ArrayList<>(fuseQuestions(1_000_000));
    sizes.forEach(keys -> claims.add(fuseBuild(keys)));
    return everybody("lookup", "Questions about longs, everybody", 200, sizes, claims);
  }

  private Section middle() {
    String title = "Questions about longs, everybody, ten million keys";
    return everybody("middle", title, 200, List.of(MIDDLE), fuseQuestions(MIDDLE));
  }

  /** That a fuse filter answers no slower than Xor8, which has as many false positives. */
  private List<Claim> fuseQuestions(long keys) {
    Cell fuse = new Cell(KeyKind.LONGS, scale.keys(keys), WOODBIRD_FUSE, MIX);
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      String what = String.format(Locale.ROOT, "one long, frozen, %,d keys", fuse.n());
      claims.add(Promise.ask(what, fuse.of(workload), FASTFILTER_XOR8, 1));
    }
    return claims;
  }

  /** That a fuse filter is built no slower than Xor8. */
  private Claim fuseBuild(long keys) {
    Cell fuse = new Cell(KeyKind.LONGS, scale.keys(keys), WOODBIRD_FUSE, MIX);
    String what = String.format(Locale.ROOT, "build a frozen filter, %,d keys", fuse.n());
    return Promise.put(what, fuse, FASTFILTER_XOR8, 1);
  }

  private Section everybody(
      String name, String title, int seconds, List<Long> keys, List<Claim> claims) {
    Set<RivalKind> rivals =
        EnumSet.of(
            WOODBIRD,
            WOODBIRD_BATCH,
            WOODBIRD_CLASSIC,
            WOODBIRD_RIBBON,
            WOODBIRD_FUSE,
            GUAVA,
            FASTFILTER_BLOCKED,
            FASTFILTER_BLOOM,
            FASTFILTER_XOR8,
            SPARK,
            DATASKETCHES,
            COMMONS,
            BAQEND,
            HASHSET);
    List<Size> sizes = keys.stream().map(n -> new Size(scale.keys(n), rivals)).toList();
    double effort = MANY * scale.effort();
    int rounds = scale.rounds(2);
    return new Questions(
        name, title, seconds, KeyKind.LONGS, sizes, ALL, false, rounds, effort, claims);
  }

  private Section memory() {
    Cell one = new Cell(KeyKind.LONGS, scale.keys(MEMORY), WOODBIRD, MISS);
    Cell batch = one.of(WOODBIRD_BATCH);
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      claims.add(Promise.ask("one long", one.of(workload), FASTFILTER_BLOCKED, 1));
      claims.add(Promise.ask("longs in batch", batch.of(workload), FASTFILTER_BLOCKED, 2));
    }
    claims.add(Promise.ask("longs in batch", batch, GUAVA, 10));
    claims.add(Promise.put("put longs in batch, thread-safe", batch, FASTFILTER_BLOCKED, 1));
    claims.add(Promise.put("put one long, thread-safe", one, GUAVA, 4));
    claims.addAll(fuseQuestions(MEMORY));
    Set<RivalKind> rivals =
        EnumSet.of(
            WOODBIRD, WOODBIRD_BATCH, WOODBIRD_FUSE, FASTFILTER_BLOCKED, FASTFILTER_XOR8, GUAVA);
    Size size = new Size(batch.n(), rivals);
    return longs("memory", "Longs out of cache", 300, size, false, 3, claims);
  }

  private Section strings() {
    Set<RivalKind> all =
        EnumSet.of(
            WOODBIRD,
            WOODBIRD_BATCH,
            WOODBIRD_RIBBON,
            WOODBIRD_FUSE,
            GUAVA,
            FASTFILTER_BLOCKED,
            FASTFILTER_XOR8,
            SPARK,
            DATASKETCHES,
            COMMONS,
            BAQEND,
            HUTOOL,
            HASHSET);
    all.removeIf(rival -> !rival.takesStrings() && rival.jvmOptions().isEmpty());
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      Cell text = new Cell(KeyKind.STRINGS, scale.keys(CACHE), WOODBIRD, workload);
      claims.add(Promise.ask("one String of 60 in cache", text, FASTFILTER_BLOCKED, 1.2));
      claims.add(Promise.ask("one String of 60 in cache", text, GUAVA, 5));
    }
    Cell text = new Cell(KeyKind.STRINGS, scale.keys(MIDDLE), WOODBIRD, MISS);
    claims.add(Promise.ask("one String of 60", text, GUAVA, 2));
    claims.add(Promise.ask("Strings of 60 in batch", text.of(WOODBIRD_BATCH), GUAVA, 5));
    return new Questions(
        "strings",
        "Questions about URLs of 60 characters",
        210,
        KeyKind.STRINGS,
        List.of(
            new Size(scale.keys(CACHE), all),
            new Size(scale.keys(MIDDLE), EnumSet.of(WOODBIRD, WOODBIRD_BATCH, GUAVA, SPARK))),
        ALL,
        false,
        scale.rounds(2),
        MANY * scale.effort(),
        claims);
  }

  private Section frozen() {
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      Cell fuse = new Cell(KeyKind.LONGS, scale.keys(CACHE), WOODBIRD_FUSE, workload);
      claims.add(Promise.ask("one long, frozen, in cache", fuse, FASTFILTER_XOR8, 1));
      Cell ribbon = fuse.of(WOODBIRD_RIBBON_8);
      claims.add(Promise.ask("one long, frozen, in cache", ribbon, WOODBIRD_FUSE, 1 / 4.0));
    }
    Set<RivalKind> rivals =
        EnumSet.of(
            WOODBIRD_RIBBON,
            WOODBIRD_RIBBON_8,
            WOODBIRD_FUSE,
            WOODBIRD_FUSE_BATCH,
            FASTFILTER_XOR8,
            FASTFILTER_XORFUSE8);
    String title = "Frozen filters in cache, each workload in a JVM of its own";
    return longs("frozen", title, 150, new Size(scale.keys(CACHE), rivals), true, 3, claims);
  }

  /** That a value takes at most 1.3 times a question to a frozen filter of as many bits. */
  private Section maps() {
    List<Claim> claims = new ArrayList<>();
    List<Size> sizes = new ArrayList<>();
    compare(1_000_000, WOODBIRD_MAP_1, WOODBIRD_RIBBON_8, sizes, claims);
    compare(1_000_000, WOODBIRD_MAP_4, WOODBIRD_RIBBON_11, sizes, claims);
    compare(1_000_000, WOODBIRD_MAP_16, WOODBIRD_RIBBON_23, sizes, claims);
    compare(MIDDLE, WOODBIRD_MAP_4, WOODBIRD_RIBBON_11, sizes, claims);
    String title = "A look-up in a map, beside a frozen filter of as many bits";
    int rounds = scale.rounds(5);
    double effort = scale.effort();
    return new Questions(
        "maps", title, 280, KeyKind.LONGS, sizes, ALL, false, rounds, effort, claims);
  }

  /** A pair of its own, so that the two are measured in turns. */
  private void compare(
      long keys, RivalKind map, RivalKind filter, List<Size> sizes, List<Claim> claims) {
    Cell cell = new Cell(KeyKind.LONGS, scale.keys(keys), map, MIX);
    String what = String.format(Locale.ROOT, "the value of a long, %,d keys", cell.n());
    for (Workload workload : ALL) {
      claims.add(Promise.ask(what, cell.of(workload), filter, 1 / 1.3));
    }
    sizes.add(new Size(cell.n(), EnumSet.of(map, filter)));
  }

  private Section build() {
    long n = scale.keys(MIDDLE);
    Set<RivalKind> rivals =
        EnumSet.of(
            WOODBIRD,
            WOODBIRD_CLASSIC,
            WOODBIRD_RIBBON,
            WOODBIRD_FUSE,
            GUAVA,
            FASTFILTER_BLOCKED,
            FASTFILTER_BLOOM,
            FASTFILTER_XOR8,
            FASTFILTER_XOR16,
            FASTFILTER_XORFUSE8,
            SPARK,
            DATASKETCHES,
            COMMONS,
            HASHSET);
    Cell ribbon = new Cell(KeyKind.LONGS, n, WOODBIRD_RIBBON, MIX);
    Cell fuse = ribbon.of(WOODBIRD_FUSE);
    return new Questions(
        "build",
        "Time to fill, one thread",
        120,
        KeyKind.LONGS,
        List.of(new Size(n, rivals)),
        List.of(),
        false,
        scale.rounds(2),
        scale.effort(),
        List.of(
            fuseBuild(MIDDLE),
            Claim.buildCpu("core time per key to build a ribbon filter", ribbon, 300),
            Claim.buildCpu("core time per key to build a fuse filter", fuse, 100)));
  }

  private Section mapped() {
    List<Claim> claims = new ArrayList<>();
    for (Workload workload : ALL) {
      Cell file = new Cell(KeyKind.LONGS, scale.keys(MEMORY), WOODBIRD_MAPPED, workload);
      claims.add(Promise.ask("one long, file", file, WOODBIRD, 0.85));
      Cell batch = file.of(WOODBIRD_MAPPED_BATCH);
      claims.add(Promise.ask("longs in batch, file", batch, WOODBIRD_BATCH, 0.85));
    }
    Set<RivalKind> rivals =
        EnumSet.of(WOODBIRD, WOODBIRD_BATCH, WOODBIRD_MAPPED, WOODBIRD_MAPPED_BATCH);
    String title = "A file of 128 MB, opened and warm, beside the same filter on the heap";
    return longs("mapped", title, 90, new Size(scale.keys(MEMORY), rivals), false, 3, claims);
  }

  private Section deletable() {
    List<Claim> claims = new ArrayList<>();
    for (RivalKind ours : List.of(WOODBIRD_QUOTIENT, WOODBIRD_COUNTING)) {
      Cell cell = new Cell(KeyKind.LONGS, scale.keys(CACHE), ours, MISS);
      for (Workload workload : ALL) {
        claims.add(Promise.ask("one long, deletable", cell.of(workload), WOODBIRD, 1 / 4.0));
      }
      claims.add(Promise.put("put one long, deletable", cell, WOODBIRD, 1 / 8.0));
      claims.add(Promise.remove("remove beside put, deletable", cell, WOODBIRD, 1 / 8.0));
    }
    Cell window = new Cell(KeyKind.LONGS, scale.keys(CACHE), WOODBIRD_WINDOW, MISS);
    claims.add(Promise.put("put one long, window", window, WOODBIRD, 1 / 6.0));
    Set<RivalKind> rivals =
        EnumSet.of(WOODBIRD, WOODBIRD_QUOTIENT, WOODBIRD_COUNTING, WOODBIRD_WINDOW);
    String title = "Filters that give keys back or forget them, beside Bloom, in cache";
    return longs("deletable", title, 60, new Size(scale.keys(CACHE), rivals), false, 3, claims);
  }

  /** A section that asks about longs, with all workloads and one size. */
  private Section longs(
      String name,
      String title,
      int seconds,
      Size size,
      boolean alone,
      int rounds,
      List<Claim> claims) {
    return new Questions(
        name,
        title,
        seconds,
        KeyKind.LONGS,
        List.of(size),
        ALL,
        alone,
        scale.rounds(rounds),
        scale.effort(),
        claims);
  }
}
