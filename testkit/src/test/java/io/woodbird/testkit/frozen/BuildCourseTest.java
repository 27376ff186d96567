package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BuildProgress;
import io.woodbird.Filter;
import io.woodbird.FrozenBuilder;
import io.woodbird.FrozenMap;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a build goes on, and how it ends when it does not end well. */
final class BuildCourseTest {
  private static final byte[] OLD = {1, 2, 3};

  /** More than stay in memory under the smallest limit. */
  private static final long SPILLED = 8_400_000;

  @TempDir private Path folder;
  private Path temporary;
  private Path target;

  @BeforeEach
  void makeFolders() throws IOException {
    temporary = Files.createDirectory(folder.resolve("temporary"));
    target = folder.resolve("filter.wbird");
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  /** A slice of one array, which the source fills again for each key. */
  private static Stream<ByteBuffer> oneBuffer() {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES);
    return LongStream.range(0, 1000).mapToObj(key -> buffer.clear().putLong(key).flip());
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aSourceMayUseOneBuffer(Kind kind) throws IOException {
    Filter<ByteBuffer> filter =
        kind.of(Keys.buffers()).fpp(1e-6).tempDir(temporary).buildFrom(oneBuffer().iterator());
    FrozenMap<ByteBuffer> map =
        Woodbird.frozenMap(Keys.buffers())
            .fpp(1e-6)
            .tempDir(temporary)
            .buildFrom(oneBuffer().map(key -> Map.entry(key, key.getLong(0) % 8)).iterator());
    for (long key = 0; key < 1000; key++) {
      ByteBuffer asked = ByteBuffer.allocate(Long.BYTES).putLong(key).flip();
      assertThat(filter.mightContain(asked)).as("key %d", key).isTrue();
      assertThat(map.get(asked)).as("key %d", key).hasValue(key % 8);
    }
  }

  private FrozenBuilder<Long> builder(Kind kind) {
    return kind.of(Keys.longs()).fpp(0.01).seed(71).tempDir(temporary);
  }

  private static Stream<Long> longs(long count) {
    return LongStream.range(0, count).boxed();
  }

  /** Nothing but the old file, if there was one, and an empty temporary folder. */
  private void assertNothingLeft(boolean old) throws IOException {
    try (Stream<Path> left = Files.walk(folder)) {
      List<Path> expected = new ArrayList<>(List.of(folder, temporary));
      if (old) {
        expected.add(target);
        assertThat(Files.readAllBytes(target)).isEqualTo(OLD);
      }
      assertThat(left).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  void progress_goesThroughThePhases_andNeverBack(Kind kind) throws IOException {
    List<BuildProgress> told = Collections.synchronizedList(new ArrayList<>());
    // Two shards, as repetitions count, of keys that are soon solved.
    builder(kind).onProgress(told::add).buildTo(target, longs(4_300_000).map(key -> key % 300_000));
    assertThat(told.stream().map(BuildProgress::phase).distinct())
        .containsExactly("reading", "building", "writing");
    BuildProgress before = new BuildProgress("reading", 0, -1);
    for (BuildProgress now : told) {
      assertThat(now.done()).isNotNegative();
      if (now.total() >= 0) {
        assertThat(now.done()).isLessThanOrEqualTo(now.total());
      }
      if (now.phase().equals(before.phase())) {
        assertThat(now.done()).isGreaterThanOrEqualTo(before.done());
      }
      before = now;
    }
    assertThat(told)
        .contains(new BuildProgress("reading", 4_300_000, 4_300_000))
        .contains(new BuildProgress("building", 4_300_000, 4_300_000));
    assertThat(told.stream().filter(now -> now.phase().equals("reading"))).hasSizeBetween(4, 7);
  }

  @Test
  void progress_isToldForNoKeysToo() throws IOException {
    List<BuildProgress> told = new ArrayList<>();
    builder(Kind.RIBBON).onProgress(told::add).buildTo(target, longs(0));
    assertThat(told).contains(new BuildProgress("reading", 0, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"reading", "building", "writing"})
  void aListenerThatThrows_endsTheBuild_andLeavesNothing(String phase) throws IOException {
    for (boolean old : new boolean[] {false, true}) {
      if (old) {
        Files.write(target, OLD);
      }
      Consumer<BuildProgress> stop =
          now -> {
            if (now.phase().equals(phase)) {
              throw new IllegalStateException("stop at " + now);
            }
          };
      assertThatThrownBy(
              () -> builder(Kind.RIBBON).onProgress(stop).buildTo(target, longs(100_000)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("stop at BuildProgress[phase=" + phase);
      assertNothingLeft(old);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, 1_100_000})
  void interruptingTheCallingThread_whileItReads_cancels(long at) throws IOException {
    Files.write(target, OLD);
    Thread caller = Thread.currentThread();
    Stream<Long> source =
        longs(1_500_000)
            .peek(
                key -> {
                  if (key == at) {
                    caller.interrupt();
                  }
                });
    assertThatThrownBy(() -> builder(Kind.FUSE).buildTo(target, source))
        .isInstanceOf(CancellationException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
    assertNothingLeft(true);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> builder(Kind.FUSE).buildFrom(longs(10)))
        .isInstanceOf(CancellationException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"building", "writing"})
  void interruptingTheCallingThread_laterOn_cancels(String phase) throws IOException {
    Files.write(target, OLD);
    Thread caller = Thread.currentThread();
    Consumer<BuildProgress> interrupt =
        now -> {
          if (now.phase().equals(phase)) {
            caller.interrupt();
          }
        };
    assertThatThrownBy(
            () -> builder(Kind.FUSE).onProgress(interrupt).buildTo(target, longs(100_000)))
        .isInstanceOf(CancellationException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertNothingLeft(true);
  }

  @Test
  void interruptingTheCallingThread_whileItSpills_cancels() throws IOException {
    Thread caller = Thread.currentThread();
    // After the last check of the keys: the next block that is spilled finds the interrupt.
    Stream<Long> source =
        longs(SPILLED + (1 << 20))
            .peek(
                key -> {
                  if (key == SPILLED) {
                    caller.interrupt();
                  }
                });
    assertThatThrownBy(() -> builder(Kind.FUSE).memoryLimit(1).buildTo(target, source))
        .isInstanceOf(CancellationException.class)
        .hasMessageContaining("interrupted");
    assertNothingLeft(false);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 200, 500_000, SPILLED})
  void aSourceThatThrows_leavesNothing(long at) throws IOException {
    for (boolean old : new boolean[] {false, true}) {
      if (old) {
        Files.write(target, OLD);
      }
      Iterator<Long> source =
          longs(at + 1)
              .peek(
                  key -> {
                    if (key == at) {
                      throw new UncheckedIOException(new IOException("the database is gone"));
                    }
                  })
              .iterator();
      assertThatThrownBy(() -> builder(Kind.RIBBON).memoryLimit(1).buildTo(target, source))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("the database is gone");
      assertNothingLeft(old);
      if (at == SPILLED) {
        break; // Once is long enough.
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aNullKey_isRefused(Kind kind) throws IOException {
    for (int at : new int[] {0, 127, 128, 1000}) {
      List<Long> keys = new ArrayList<>(longs(1001).toList());
      keys.set(at, null);
      assertThatNullPointerException().isThrownBy(() -> builder(kind).buildFrom(keys));
      assertThatNullPointerException().isThrownBy(() -> builder(kind).buildTo(target, keys));
    }
    assertNothingLeft(false);
  }

  @Test
  void aTargetThatCannotBeWritten_showsBeforeTheKeysAreRead() throws IOException {
    Iterator<Long> untouched =
        longs(1)
            .peek(
                key -> {
                  throw new AssertionError("a key was read");
                })
            .iterator();
    assertThatThrownBy(
            () ->
                builder(Kind.RIBBON)
                    .buildTo(folder.resolve("missing").resolve("filter.wbird"), untouched))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("missing");
    assertNothingLeft(false);
  }

  @Test
  void aTargetThatIsAFolder_isLeftAlone() throws IOException {
    Path inTheWay = Files.createDirectories(temporary.resolve("inside"));
    assertThatThrownBy(() -> builder(Kind.RIBBON).buildTo(temporary, longs(10)))
        .isInstanceOf(IOException.class);
    assertThat(inTheWay).exists();
    Files.delete(inTheWay);
    assertNothingLeft(false);
  }

  /** A real folder without space: a small file system of its own, seen by a child process alone. */
  @Test
  void aFullTemporaryFolder_isNamed() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        List.of(
            "unshare",
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs -o size=1m tmpfs \"$1\" || exit 77; shift; exec \"$@\"",
            "sh",
            temporary.toString(),
            java,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx600m",
            "-cp",
            origin(Woodbird.class) + File.pathSeparator + origin(FullFolder.class),
            FullFolder.class.getName(),
            temporary.toString(),
            target.toString());
    Process child;
    try {
      child = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      Assumptions.abort("unshare is missing: " + e.getMessage());
      return;
    }
    String said = new String(child.getInputStream().readAllBytes());
    int code = child.waitFor();
    Assumptions.assumeFalse(
        code == 77 || said.startsWith("unshare:"), "a file system can't be mounted here: " + said);
    assertThat(said)
        .contains("java.io.IOException: could not write")
        .contains("bytes of hashes to the temporary folder " + temporary)
        .contains("No space left")
        .contains("left behind: 0");
    assertThat(code).isZero();
    assertNothingLeft(false);
  }

  private static String origin(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** The child process. */
  static final class FullFolder {
    public static void main(String[] args) throws IOException {
      Path temporary = Path.of(args[0]);
      try {
        Woodbird.frozen(Keys.longs())
            .fastToAsk()
            .memoryLimit(1)
            .tempDir(temporary)
            .buildTo(Path.of(args[1]), LongStream.range(0, 2 * SPILLED).boxed());
        System.out.println("built");
      } catch (IOException e) {
        System.out.println(e);
      }
      try (Stream<Path> left = Files.list(temporary)) {
        System.out.println("left behind: " + left.count());
      }
    }
  }

  @Test
  void badParameters_areNamed() {
    List<Consumer<FrozenBuilder<Long>>> bad =
        Arrays.asList(
            b -> b.fpp(0),
            b -> b.fpp(1),
            b -> b.fpp(-0.1),
            b -> b.fpp(Double.NaN),
            b -> b.fpp(0x1p-33),
            b -> b.bitsPerKey(0),
            b -> b.bitsPerKey(-2),
            b -> b.bitsPerKey(32.5),
            b -> b.bitsPerKey(Double.NaN),
            b -> b.maxBytes(0),
            b -> b.maxBytes(-5),
            b -> b.threads(0),
            b -> b.threads(-1),
            b -> b.memoryLimit(0),
            b -> b.memoryLimit(-7));
    List<String> values =
        List.of(
            "0.0", "1.0", "-0.1", "NaN", "1.16", "0.0", "-2.0", "32.5", "NaN", "0", "-5", "0", "-1",
            "0", "-7");
    for (int i = 0; i < bad.size(); i++) {
      Consumer<FrozenBuilder<Long>> set = bad.get(i);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> set.accept(Woodbird.frozen(Keys.longs())))
          .withMessageContaining(values.get(i));
    }
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void nulls_areRefusedAtOnce() {
    FrozenBuilder<Long> builder = Woodbird.frozen(Keys.longs());
    assertThatNullPointerException().isThrownBy(() -> Woodbird.frozen(null));
    assertThatNullPointerException().isThrownBy(() -> builder.tempDir(null));
    assertThatNullPointerException().isThrownBy(() -> builder.onProgress(null));
    assertThatNullPointerException().isThrownBy(() -> builder.buildTo(null, List.of(1L)));
    assertThatNullPointerException().isThrownBy(() -> builder.buildFrom((Iterable<Long>) null));
    assertThatNullPointerException().isThrownBy(() -> builder.buildFrom((Stream<Long>) null));
    assertThatNullPointerException().isThrownBy(() -> builder.buildFrom((Iterator<Long>) null));
  }

  @ParameterizedTest
  @EnumSource
  void tooFewBytes_areRefused_withTheNumbers(Kind kind) throws IOException {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder(kind).maxBytes(400).buildTo(target, longs(100_000)))
        .withMessageContaining("100,000 keys")
        .withMessageContaining("maxBytes 400");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder(kind).maxBytes(1).buildTo(target, longs(0)))
        .withMessageContaining("maxBytes 1,");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder(kind).bitsPerKey(0.001).buildTo(target, longs(100_000)))
        .withMessageContaining("0.001 bits a key");
    assertNothingLeft(false);
  }

  @ParameterizedTest
  @EnumSource
  void aSizeWithoutKeys_isStillAFilter(Kind kind) throws IOException {
    for (FrozenBuilder<Long> builder :
        List.of(builder(kind).bitsPerKey(4), builder(kind).maxBytes(1000))) {
      for (int count : new int[] {0, 1, 2, 10, 30, 100}) {
        builder.buildTo(target, longs(count));
        try (var filter = Woodbird.open(target, Keys.longs())) {
          assertThat(filter.candidates(longs(count).toList())).hasSize(count);
        }
      }
    }
  }
}
