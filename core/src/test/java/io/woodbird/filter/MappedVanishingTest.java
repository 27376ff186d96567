package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.FrozenMap;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.ChildJvm;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A file of a filter that is not a plain Bloom filter, cut short or wiped while threads ask: no
 * present key is lost.
 */
@Tag("compiled")
final class MappedVanishingTest {
  private static final Pattern RESULT =
      Pattern.compile("(\\w+), \\w+: asked=(\\d+) denied=(\\d+) foreign=(\\d+)");

  private static final List<String> KINDS =
      List.of("ribbon", "fuse", "map", "exact", "quotient", "counting", "growing", "window");

  @TempDir private Path folder;

  /** One JVM for all kinds: it compiles what they share once. */
  @Test
  void noPresentKeyIsLost_andTheJvmLives() throws Exception {
    run(KINDS, 12, 16, false);
  }

  @Tag("slow")
  @ParameterizedTest
  @FieldSource("KINDS")
  void noPresentKeyIsLost_inManyRounds(String kind) throws Exception {
    run(List.of(kind), 1000, 1000, true);
  }

  private void run(List<String> kinds, int opened, int mapped, boolean large) throws Exception {
    ChildJvm.Result result =
        ChildJvm.run(
            ChildJvm.command(
                List.of("-Xmx700m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"),
                Child.class,
                folder,
                String.join(",", kinds),
                opened,
                mapped,
                large));
    String said = result.output();
    assertThat(result.exit()).as(said).isZero();
    System.out.println(said.strip());
    Matcher matcher = RESULT.matcher(said);
    for (String kind : kinds) {
      for (int rounds : new int[] {opened, mapped}) {
        assertThat(matcher.find()).as(said).isTrue();
        assertThat(matcher.group(1)).isEqualTo(kind);
        assertThat(Long.parseLong(matcher.group(2))).as(kind).isGreaterThan(500L * rounds);
        assertThat(Long.parseLong(matcher.group(3))).as("present keys of %s denied", kind).isZero();
        assertThat(Long.parseLong(matcher.group(4))).as("foreign to %s, denied", kind).isPositive();
      }
    }
  }

  /** The JVM in which it happens. */
  static final class Child {
    /*
     * A thousand pages: to read them all takes the threads some milliseconds, in which the file is
     * cut or wiped. Woodbird.open copies such a file, so it is opened as a large one is; that needs
     * a quarter of the keys, and building took most of the time. A large file has four times as
     * many pages, and is opened as users do it.
     */
    private static final long LEAST_BYTES = 4L << 20;

    private static final int LONGEST_SLEEP = 4;

    private static final int THREADS = 3;
    private static final int BATCH = 100;
    private static final int LEAST_ASKED = 1000;
    private static final int VALUE_BITS = 15;
    private static final long VALUES = (1 << VALUE_BITS) - 1;

    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong foreign = new AtomicLong();
    private final int keys;
    private final int least;
    private final boolean mapped;
    private final boolean large;
    private volatile boolean stop;

    /**
     * Makes one.
     *
     * @param keys how many are in the file: those from 0 on
     * @param least bytes that are wiped: sixteen have a whole word in them, wherever they begin
     */
    private Child(int keys, int least, boolean mapped, boolean large) {
      this.keys = keys;
      this.least = least;
      this.mapped = mapped;
      this.large = large;
    }

    /**
     * Arguments: folder, kinds with commas, rounds with an opened file, with a mapped one, and
     * whether the files are large.
     */
    public static void main(String[] args) throws Exception {
      Path good = Path.of(args[0], "good.wbird");
      Path bad = Path.of(args[0], "bad.wbird");
      for (String kind : args[1].split(",")) {
        boolean large = Boolean.parseBoolean(args[4]);
        int keys = keys(kind) * (large ? 4 : 1);
        build(kind, keys, good);
        if (Files.size(good) <= LEAST_BYTES * (large ? 4 : 1)) {
          throw new IllegalStateException(kind + " has too few pages: " + Files.size(good));
        }
        int least = List.of("ribbon", "fuse", "map", "exact").contains(kind) ? 16 : 1;
        new Child(keys, least, false, large).rounds(kind, good, bad, Integer.parseInt(args[2]));
        new Child(keys, least, true, large).rounds(kind, good, bad, Integer.parseInt(args[3]));
      }
    }

    private void rounds(String kind, Path good, Path bad, int rounds) throws Exception {
      SplittableRandom random = new SplittableRandom(86);
      for (int round = 0; round < rounds; round++) {
        try {
          round(good, bad, round % 2 == 0, round / 2, random);
        } catch (InternalError e) {
          stop = true; // The JVM's late word that a part of the file is gone is no answer.
        }
      }
      System.out.printf(
          "%s, %s: asked=%d denied=%d foreign=%d%n",
          kind, mapped ? "mapped" : "opened", asked.get(), denied.get(), foreign.get());
    }

    /** Most of the time goes into building: many bits a key make a large file of fewer keys. */
    private static int keys(String kind) {
      return switch (kind) {
        case "counting" -> 300_000;
        case "window" -> 350_000;
        default -> 1_125_000; // They have at most some 32 bits a key.
      };
    }

    private static void build(String kind, int keys, Path good) throws IOException {
      if (kind.equals("map")) {
        Woodbird.frozenMap(Keys.longs())
            .valueBits(VALUE_BITS)
            .fpp(1e-5)
            .seed(85)
            .withoutVerifying()
            .buildTo(
                good,
                LongStream.range(0, keys).mapToObj(key -> Map.entry(key, key & VALUES)).iterator());
        return;
      }
      if (kind.equals("exact")) {
        Woodbird.frozen(Keys.longs())
            .exactAgainst(LongStream.range(keys, keys + 1000).boxed().toList())
            .fpp(0x1p-31)
            .seed(85)
            .withoutVerifying()
            .buildTo(good, LongStream.range(0, keys).iterator());
        return;
      }
      if (kind.equals("ribbon") || kind.equals("fuse")) {
        var builder = Woodbird.frozen(Keys.longs()).bitsPerKey(32).seed(85).withoutVerifying();
        builder = kind.equals("fuse") ? builder.fastToAsk() : builder.smallest();
        builder.buildTo(good, LongStream.range(0, keys).boxed());
        return;
      }
      MutableFilter<Long> filter =
          switch (kind) {
            case "quotient" -> Woodbird.deletable(Keys.longs(), keys).fpp(1e-8).seed(85).build();
            case "growing" -> Woodbird.growing(Keys.longs()).fpp(1e-6).seed(85).build();
            case "window" -> Woodbird.window(Keys.longs(), keys).fpp(1e-8).seed(85).build();
            default -> Woodbird.deletable(Keys.longs(), keys).counting().fpp(1e-6).seed(85).build();
          };
      for (long key = 0; key < keys; key++) {
        filter.putLong(key);
      }
      filter.save(good);
    }

    private void round(Path good, Path path, boolean cut, int round, SplittableRandom random)
        throws IOException, InterruptedException {
      Files.copy(good, path, StandardCopyOption.REPLACE_EXISTING);
      stop = false;
      try (OpenFilter<Long> filter = open(path);
          FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
          int way = i;
          long seed = random.nextLong();
          threads[i] = new Thread(() -> ask(filter, way, new SplittableRandom(seed)));
          threads[i].start();
        }
        Thread.sleep(random.nextInt(LONGEST_SLEEP));
        if (cut) {
          channel.truncate(round % 4 == 0 ? 0 : random.nextLong(channel.size()));
        } else {
          wipe(channel, round, least, random);
        }
        // Four milliseconds are many questions, unless other programs have the processors.
        long enough = asked.get() + LEAST_ASKED;
        do {
          Thread.sleep(LONGEST_SLEEP);
        } while (asked.get() < enough && threads[0].isAlive());
        stop = true;
        for (Thread thread : threads) {
          thread.join();
        }
      }
    }

    private OpenFilter<Long> open(Path path) throws IOException {
      if (large) {
        return mapped ? Woodbird.map(path, Keys.longs()) : Woodbird.open(path, Keys.longs());
      }
      return mapped ? OpenedAsLarge.mapped(path) : OpenedAsLarge.opened(path);
    }

    private static void wipe(FileChannel channel, int round, int least, SplittableRandom random)
        throws IOException {
      int ranges = round % 4 == 0 ? 1 : 1 + random.nextInt(200);
      for (int i = 0; i < ranges; i++) {
        long from = round % 4 == 0 ? 0 : random.nextLong(channel.size());
        long most = round % 4 == 0 ? channel.size() : round % 4 == 1 ? 64 : 1 << 18;
        long length = Math.min(channel.size() - from, random.nextLong(least, most + 1));
        ByteBuffer zeros = ByteBuffer.allocate((int) length);
        while (zeros.hasRemaining()) {
          from += channel.write(zeros, from);
        }
      }
    }

    private void ask(OpenFilter<Long> filter, int way, SplittableRandom random) {
      while (!stop) {
        try {
          long first = random.nextLong(keys - BATCH);
          asked.addAndGet(BATCH);
          denied.addAndGet(denials(filter, way, first));
          foreign.addAndGet(denials(filter, way, keys + first));
        } catch (InternalError e) {
          // The JVM's late word again.
        }
      }
    }

    /** Returns 1 if a map is wrong about a key. That nothing is known is said by an exception. */
    private static int wrong(FrozenMap<Long> map, long key) {
      try {
        return map.get(key).equals(OptionalLong.of(key & VALUES)) ? 0 : 1;
      } catch (UncheckedIOException e) {
        return 0;
      }
    }

    private long denials(OpenFilter<Long> filter, int way, long first) {
      long[] batch = LongStream.range(first, first + BATCH).toArray();
      if (way == 0) {
        long[] hashes = LongStream.of(batch).map(filter::hashOfLong).toArray();
        return BATCH - filter.candidates(hashes, BATCH, new int[BATCH]);
      }
      long count = 0;
      for (long key : batch) {
        count += filter instanceof FrozenMap<Long> map && key < keys ? wrong(map, key) : 0;
        boolean denied =
            way == 1
                ? !filter.mightContainHash(filter.hashOfLong(key))
                : filter.ask(key) == Answer.NOT_HERE;
        count += denied ? 1 : 0;
      }
      return count;
    }
  }
}
