package io.woodbird.filter;

import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.MergeableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The main class of a JVM in which memory ends, a little later in each round. */
final class MemoryProgram {
  /*
   * Ballast fills the heap. A few chunks of it are given back, and then something is done, which
   * ends well or in an OutOfMemoryError. When all ballast is gone, every key whose put had returned
   * must be here, and what was made at all must be right.
   */
  private static final int CHUNK = 1 << 12;
  private static final int KEYS = 30_000;

  private static final List<byte[]> BALLAST = new ArrayList<>();
  private static int succeeded;
  private static int failed;
  private static long denied;

  private MemoryProgram() {}

  /** Something that may run out of memory. */
  private interface Work {
    /** Does it, and returns what must be right at the end, or null. */
    Check run() throws Exception;
  }

  /** Returns how many keys are denied. */
  private interface Check {
    long denied() throws Exception;
  }

  /** Arguments: what to do, how many rounds, how many chunks more in each, a folder. */
  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[1]);
    int step = Integer.parseInt(args[2]);
    Path folder = Path.of(args[3]);
    work(args[0], folder).run().denied(); // Loads every class that will be needed.
    for (int round = 1; round <= rounds; round++) {
      round(args[0], folder, round * step);
    }
    long left;
    try (Stream<Path> files = Files.list(folder)) {
      left = files.filter(path -> path.toString().endsWith(".tmp")).count();
    }
    System.out.println(
        "succeeded " + succeeded + " failed " + failed + " denied " + denied + " left " + left);
    System.exit(0);
  }

  private static void round(String what, Path folder, int free) throws Exception {
    Work work = work(what, folder);
    Check check = null;
    try {
      fill();
      for (int i = 0; i < free && !BALLAST.isEmpty(); i++) {
        BALLAST.remove(BALLAST.size() - 1);
      }
      check = work.run();
      succeeded++;
    } catch (OutOfMemoryError e) {
      failed++;
    } finally {
      BALLAST.clear();
    }
    if (check == null && work instanceof Filling filling) {
      check = filling; // What was put before the end.
    }
    denied += check == null ? 0 : check.denied();
  }

  private static void fill() {
    try {
      while (true) {
        BALLAST.add(new byte[CHUNK]);
      }
    } catch (OutOfMemoryError e) {
      return;
    }
  }

  private static Work work(String what, Path folder) throws Exception {
    switch (what) {
      case "growing":
        return new Filling(Woodbird.growing(Keys.longs()).seed(1).build(), false);
      case "growing-with-removals":
        return new Filling(Woodbird.growing(Keys.longs()).seed(1).build(), true);
      case "merge":
        return merge();
      case "build":
        return () -> {
          Filter<Long> filter = Woodbird.frozen(Keys.longs()).seed(1).buildFrom(keys());
          return () -> denials(filter, KEYS);
        };
      case "build-to":
        return () -> {
          Path path = folder.resolve("built");
          Woodbird.frozen(Keys.longs()).seed(1).buildTo(path, keys());
          return () -> {
            try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
              return denials(filter, KEYS);
            }
          };
        };
      case "read":
        return read();
      case "open":
        return open(folder);
      default:
        return rebuild();
    }
  }

  private static List<Long> keys() {
    return LongStream.range(0, KEYS).boxed().toList();
  }

  private static long denials(Filter<Long> filter, long keys) {
    long missing = 0;
    for (long key = 0; key < keys; key++) {
      missing += filter.mightContainLong(key) ? 0 : 1;
    }
    return missing;
  }

  /** Puts keys, one after the other. */
  private static final class Filling implements Work, Check {
    private final MutableFilter<Long> filter;
    private final boolean removes;
    private long put;

    Filling(MutableFilter<Long> filter, boolean removes) {
      this.filter = filter;
      this.removes = removes;
    }

    @Override
    public Check run() {
      while (put < KEYS) {
        filter.putLong(put);
        put++;
        if (removes && filter instanceof DeletableFilter<Long> deletable) {
          deletable.removeHash(deletable.hashOfLong(-put)); // Was never put; often not here.
        }
      }
      return this;
    }

    @Override
    public long denied() {
      return denials(filter, put);
    }
  }

  /** A merge that fails may have added some keys, and has lost none. */
  private static Work merge() {
    MergeableFilter<Long> all = Woodbird.growing(Keys.longs()).seed(1).build();
    MergeableFilter<Long> more = Woodbird.growing(Keys.longs()).seed(1).build();
    for (long key = 0; key < KEYS; key++) {
      (key < KEYS / 2 ? all : more).putLong(key);
    }
    return new Work() {
      private final Check old = () -> denials(all, KEYS / 2);

      @Override
      public Check run() {
        try {
          all.merge(more);
        } catch (OutOfMemoryError e) {
          failed++;
          succeeded--;
          return old;
        }
        return () -> denials(all, KEYS);
      }
    };
  }

  private static Work read() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MutableFilter<Long> growing = Woodbird.growing(Keys.longs()).seed(1).build();
    for (long key = 0; key < KEYS; key++) {
      growing.putLong(key);
    }
    growing.writeTo(out);
    byte[] bytes = out.toByteArray();
    return () -> {
      Filter<Long> filter = Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs());
      return () -> denials(filter, KEYS);
    };
  }

  /** A file above the size that is read at once: its pages are read when they are needed. */
  private static Work open(Path folder) throws IOException {
    Path path = folder.resolve("large");
    if (!Files.exists(path)) {
      MutableFilter<Long> bloom = Woodbird.bloom(Keys.longs(), 14_000_000).seed(1).build();
      for (long key = 0; key < KEYS; key++) {
        bloom.putLong(key);
      }
      bloom.save(path);
    }
    return () -> {
      OpenFilter<Long> filter = Woodbird.open(path, Keys.longs());
      try {
        long missing = denials(filter, KEYS / 10);
        return () -> {
          long later = denials(filter, KEYS / 10);
          filter.close();
          return missing + later;
        };
      } catch (OutOfMemoryError e) {
        filter.close();
        throw e;
      }
    };
  }

  /** A build that fails leaves the generation before. */
  private static Work rebuild() throws Exception {
    List<Long> keys = keys();
    RebuildingFilter<Long> filter = RebuildingFilter.of(Keys.longs(), keys::stream).start();
    filter.rebuildNow().get();
    return () -> {
      try {
        filter.rebuildNow().get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof OutOfMemoryError) {
          failed++;
          succeeded--;
        }
      } catch (OutOfMemoryError e) {
        failed++;
        succeeded--;
      }
      return () -> {
        long missing = denials(filter, KEYS);
        filter.close();
        return missing;
      };
    };
  }
}
