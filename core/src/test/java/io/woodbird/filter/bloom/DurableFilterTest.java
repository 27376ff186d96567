package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.BloomBuilder;
import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.DurableFilter.Recovery;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.ChildJvm;
import io.woodbird.file.Surgery;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter whose keys survive: what it promises while all goes well. */
@Tag("jdk")
class DurableFilterTest {
  @TempDir private Path folder;

  private Path path() {
    return folder.resolve("seen.wbird");
  }

  private static BloomBuilder<Long> builder() {
    return Woodbird.bloom(Keys.longs(), 10_000);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.contains(".lock"))
          .sorted()
          .toList();
    }
  }

  @Test
  void journals_areAsSecretAsTheFilter() throws IOException {
    assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"));
    builder().file(path()).close();
    Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-r-----"));
    try (DurableFilter<Long> filter = builder().file(path())) {
      filter.putLong(1);
      filter.checkpoint();
      filter.putLong(2);
      assertThat(files()).hasSizeGreaterThan(1);
      for (String name : files()) {
        assertThat(Files.getPosixFilePermissions(folder.resolve(name)))
            .as(name)
            .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void keysSurviveClose(boolean classic) throws IOException {
    try (DurableFilter<Long> filter = (classic ? builder().classic() : builder()).file(path())) {
      assertThat(filter.recovery()).isEqualTo(new Recovery(true, true, 0, 0, List.of()));
      for (long key = 0; key < 1000; key++) {
        assertThat(filter.putLong(key)).isTrue();
      }
      assertThat(filter.putLong(5L)).isFalse();
      assertThat(filter.putAll(List.of(1L, 2L, -7L))).isEqualTo(1);
    }
    assertThat(files()).containsExactly("seen.wbird");
    try (DurableFilter<Long> filter = (classic ? builder().classic() : builder()).file(path())) {
      assertThat(filter.recovery()).isEqualTo(new Recovery(false, true, 0, 0, List.of()));
      assertThat(filter.recovery()).hasToString("closed cleanly, nothing to recover");
      for (long key = 0; key < 1000; key++) {
        assertThat(filter.mightContainLong(key)).isTrue();
      }
      assertThat(filter.mightContainLong(-7L)).isTrue();
    }
    try (OpenFilter<Long> filter = Woodbird.open(path(), Keys.longs())) {
      assertThat(filter.mightContainLong(999L)).isTrue();
    }
  }

  @Test
  void aFilterThatIsOpen_isNotReadByOthers_whoWouldMissItsJournal() throws IOException {
    try (DurableFilter<Long> filter = builder().file(path())) {
      filter.putLong(1L);
      filter.checkpoint();
      byte[] bytes = Files.readAllBytes(path());
      List<ThrowingCallable> ways =
          List.of(
              () -> Woodbird.open(path(), Keys.longs()),
              () -> Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()),
              () -> Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()));
      for (ThrowingCallable way : ways) {
        assertThatThrownBy(way)
            .isInstanceOf(CorruptFilterException.class)
            .hasMessageContaining("not whole: a durable filter that is in use, or was not closed");
      }
    }
    try (OpenFilter<Long> reader = Woodbird.open(path(), Keys.longs())) {
      assertThat(reader.mightContainLong(1L)).isTrue();
    }
  }

  @Test
  void aFilterThatWasOnlyOpened_isAsItWas() throws IOException {
    try (DurableFilter<Long> filter = builder().file(path())) {
      filter.put(1L);
    }
    byte[] before = Files.readAllBytes(path());
    builder().file(path()).close();
    assertThat(path()).hasBinaryContent(before);
    assertThat(files()).containsExactly("seen.wbird");
  }

  @Test
  void aSecondOpener_isRefused_inThisProcessAndInAnother() throws Exception {
    try (DurableFilter<Long> filter = DurableProgram.builder().file(path())) {
      assertRefusedElsewhere();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> DurableProgram.builder().file(path()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(path() + " is open in another process, or elsewhere in this one");
        // A refusal here must not open the door to others.
        assertRefusedElsewhere();
      }
      filter.putLong(1L);
      filter.checkpoint();
    }
    DurableProgram.builder().file(path()).close();
    assertThat(elsewhere().exit()).isZero();
  }

  private void assertRefusedElsewhere() throws Exception {
    ChildJvm.Result other = elsewhere();
    assertThat(other.output()).contains("is open in another process");
    assertThat(other.exit()).isNotZero();
  }

  private ChildJvm.Result elsewhere() throws Exception {
    return ChildJvm.run(
        ChildJvm.command(ChildJvm.SHORT_LIVED, DurableProgram.class, path(), 1, "every-put"));
  }

  @Test
  void otherParameters_areRefused_showingBoth() throws IOException {
    builder().seed(1).file(path()).close();
    assertThatThrownBy(() -> Woodbird.bloom(Keys.longs(), 20_000).file(path()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("found:   10,000 keys, fpp 0.01, blocked Bloom, 2 words x 3 bits")
        .hasMessageContaining("wanted:  20,000 keys, fpp 0.01, blocked Bloom, 2 words x 3 bits");
    assertThatThrownBy(() -> builder().fpp(1e-5).file(path()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("wanted:  10,000 keys, fpp 1.0E-5, blocked Bloom, 2 blocks of");
    assertThatThrownBy(() -> builder().classic().file(path()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("wanted:  10,000 keys, fpp 0.01, classic Bloom");
    assertThatThrownBy(() -> builder().seed(2).file(path()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("seed 1\n")
        .hasMessageContaining("seed 2");
    assertThatThrownBy(() -> Woodbird.bloom(Keys.strings(), 10_000).file(path()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("bytes:rapidhash3");
    builder().file(path()).close(); // Any seed will do.
  }

  @Test
  void aDamagedFile_isRefused_andLeftAsItIs() throws IOException {
    builder().file(path()).close();
    byte[] damaged = Surgery.flipBit(Files.readAllBytes(path()), 9000);
    Files.write(path(), damaged);
    assertThatThrownBy(() -> builder().file(path())).isInstanceOf(CorruptFilterException.class);
    assertThat(path()).hasBinaryContent(damaged);
    assertThat(files()).containsExactly("seen.wbird");
  }

  @Test
  void aJournalWithoutItsFile_isRefused() throws IOException {
    DurableFilter<Long> filter = builder().file(path());
    filter.putLong(1L);
    filter.checkpoint();
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Files.copy(folder.resolve("seen.wbird.journal-1"), elsewhere.resolve("seen.wbird.journal-1"));
    filter.close();
    assertThatThrownBy(() -> builder().file(elsewhere.resolve("seen.wbird")))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("a journal of it");
  }

  @Test
  void theJournalOfAnotherFilter_isRefused() throws IOException {
    DurableFilter<Long> filter = builder().seed(1).file(path());
    filter.putLong(1L);
    filter.checkpoint();
    Path other = Files.createDirectory(folder.resolve("other")).resolve("seen.wbird");
    builder().seed(2).file(other).close();
    Files.copy(folder.resolve("seen.wbird.journal-1"), Path.of(other + ".journal-7"));
    filter.close();
    assertThatThrownBy(() -> builder().seed(2).file(other))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageContaining("seen.wbird.journal-7: the journal of another filter");
    Files.delete(Path.of(other + ".journal-7"));
    builder().seed(2).file(other).close();
  }

  @Test
  void aFold_emptiesTheJournal() throws IOException {
    try (DurableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100_000).file(path())) {
      int folds = 0;
      List<String> before = files();
      for (long key = 0; key < 2_000_000; key++) {
        filter.putLong(key);
        if (key % 20_000 == 0) {
          filter.checkpoint();
          List<String> now = files();
          assertThat(now).hasSize(2);
          folds += now.equals(before) ? 0 : 1;
          before = now;
        }
      }
      assertThat(folds).isGreaterThan(1);
    }
    assertThat(files()).containsExactly("seen.wbird");
    try (DurableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100_000).file(path())) {
      assertThat(filter.mightContainLong(1_999_999L)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void threadsThatPutWhileOthersCheckpoint_loseNothing(boolean everyPut) throws Exception {
    long keysPerThread = everyPut ? 3000 : 100_000;
    BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), 500_000);
    builder = everyPut ? builder.journalEveryPut() : builder;
    DurableFilter<Long> filter = builder.file(path());
    ExecutorService threads = Executors.newFixedThreadPool(5);
    List<Future<?>> futures = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      long first = thread * keysPerThread / 2; // Half of the keys are put by two threads.
      futures.add(
          threads.submit(
              () -> {
                for (long key = first; key < first + keysPerThread; key++) {
                  filter.putLong(key);
                }
              }));
    }
    AtomicBoolean stop = new AtomicBoolean();
    Future<?> checkpoints =
        threads.submit(
            () -> {
              while (!stop.get()) {
                filter.checkpoint();
              }
              return null;
            });
    for (Future<?> future : futures) {
      future.get(10, TimeUnit.MINUTES);
    }
    stop.set(true);
    checkpoints.get(10, TimeUnit.MINUTES);
    threads.shutdown();
    if (!everyPut) {
      filter.checkpoint();
    }
    // A crash: what is on disk now, without closing.
    Path copies = Files.createDirectory(folder.resolve("copies"));
    for (String name : files()) {
      if (name.startsWith("seen")) {
        Files.copy(folder.resolve(name), copies.resolve(name));
      }
    }
    try (DurableFilter<Long> again = builder.file(copies.resolve("seen.wbird"))) {
      int lost = 0;
      for (long key = 0; key < keysPerThread * 5 / 2; key++) {
        lost += again.mightContainLong(key) ? 0 : 1;
      }
      assertThat(lost).as(again.recovery().toString()).isZero();
    }
    filter.close();
  }

  @Test
  void afterClose_nothingIsTaken() throws IOException {
    DurableFilter<Long> filter = builder().file(path());
    filter.putLong(1L);
    filter.close();
    filter.close();
    assertThatThrownBy(() -> filter.putLong(2L)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> filter.putLong(1L)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(filter::checkpoint).isInstanceOf(IllegalStateException.class);
  }

  /** As when a partition moves to another process, and a thread of the first still asks. */
  @Test
  void afterClose_nothingIsDenied() throws IOException {
    DurableFilter<Long> first = builder().file(path());
    first.put(1L);
    first.close();
    try (DurableFilter<Long> second = builder().file(path())) {
      second.put(2L);
      second.checkpoint();
      long[] hashes = {first.hashOf(2L)};
      for (ThrowingCallable question :
          List.<ThrowingCallable>of(
              () -> first.ask(2L),
              () -> first.mightContain(2L),
              () -> first.candidates(List.of(2L)),
              () -> first.candidates(hashes, 1, new int[1]))) {
        assertThatThrownBy(question).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void save_writesACopy_butNotOverTheFiltersOwnFile() throws IOException {
    try (DurableFilter<Long> filter = builder().file(path())) {
      filter.putLong(1L);
      filter.save(folder.resolve("copy.wbird"));
      assertThatThrownBy(() -> filter.save(path()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("own file");
    }
    assertThat(folder.resolve("copy.wbird")).hasSameBinaryContentAs(path());
  }
}
