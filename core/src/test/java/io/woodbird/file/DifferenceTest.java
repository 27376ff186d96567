package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.DurableFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.SignedFilters;
import io.woodbird.UntrustedFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A delta between two files makes the second of the first, byte for byte, or nothing. */
class DifferenceTest {
  private static final long SEED = 0x5eed;
  private static final int KEYS = 20_000;

  @TempDir private Path folder;
  private Path old;
  private Path now;
  private Path delta;
  private Path target;

  @BeforeEach
  void name() {
    old = folder.resolve("old.wbird");
    now = folder.resolve("now.wbird");
    delta = folder.resolve("today.wdelta");
    target = folder.resolve("target.wbird");
  }

  private static MutableFilter<Long> filter(String family, int keys) {
    return switch (family) {
      case "bloom" -> Woodbird.bloom(Keys.longs(), keys).seed(SEED).build();
      case "deletable" -> Woodbird.deletable(Keys.longs(), keys + 100).seed(SEED).build();
      case "counting" -> Woodbird.deletable(Keys.longs(), keys).counting().seed(SEED).build();
      case "window" -> Woodbird.window(Keys.longs(), 2 * keys).seed(SEED).build();
      default -> Woodbird.growing(Keys.longs()).seed(SEED).build();
    };
  }

  private void make(String family, int keys, int more) throws IOException {
    MutableFilter<Long> filter = filter(family, keys);
    LongStream.range(0, keys).forEach(filter::putLong);
    filter.save(old);
    LongStream.range(keys, keys + more).forEach(filter::putLong);
    filter.save(now);
  }

  private PrivateKey key() throws IOException {
    return SignedFilters.readPrivateKey(
        Files.writeString(folder.resolve("key.pem"), SignatureTest.PRIVATE));
  }

  private SignedFilters trusted() throws IOException {
    return Woodbird.signedBy(
        SignedFilters.readPublicKey(
            Files.writeString(folder.resolve("key.pub"), SignatureTest.PUBLIC)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bloom", "deletable", "counting", "window", "growing"})
  void theNewFileIsMade_byteForByte(String family) throws IOException {
    make(family, KEYS, 20);
    long bytes = Woodbird.delta(old, now, delta);
    // Twenty keys in 20,000: up to 8 bits each, whose bytes have 4 more for each edit, or about
    // 100 slots of a quotient filter; and the checksums of 20 pages.
    assertThat(bytes).isEqualTo(Files.size(delta)).isLessThan(Files.size(now) / 8);
    Woodbird.patch(old, delta, target);
    assertThat(target).hasSameBinaryContentAs(now);
    byte[] made = Files.readAllBytes(delta);
    Woodbird.delta(old, now, delta);
    assertThat(delta).hasBinaryContent(made);
    Woodbird.delta(now, old, delta); // Back again.
    Woodbird.patch(target, delta, target);
    assertThat(target).hasSameBinaryContentAs(old);
  }

  @Test
  void anotherBaseIsRefused_andNothingIsWritten() throws IOException {
    make("bloom", KEYS, 20);
    Woodbird.delta(old, now, delta);
    Files.copy(now, target);
    assertThatThrownBy(() -> Woodbird.patch(target, delta, target)) // It was applied already.
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("another base");
    Woodbird.sign(old, key(), target); // Another length.
    byte[] before = Files.readAllBytes(target);
    assertThatThrownBy(() -> Woodbird.patch(target, delta, target))
        .isInstanceOf(IncompatibleFilterException.class);
    assertThat(target).hasBinaryContent(before);
    assertThatThrownBy(() -> Woodbird.delta(old, delta, target))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("is a delta");
    assertThatThrownBy(() -> Woodbird.open(delta, Keys.longs()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("Woodbird.patch");
    noTemporaryFile();
  }

  /** Somebody builds the list anew while it is patched: the new list must stay. */
  @Test
  void aBaseThatIsReplacedMeanwhile_stays() throws IOException {
    make("bloom", KEYS, 20);
    Woodbird.delta(old, now, delta);
    FileEdit.Replaced replaced = FileEdit.Replaced.of(old, old);
    Files.copy(old, target);
    filter("bloom", KEYS).save(old);
    byte[] newer = Files.readAllBytes(old);
    try (StoredFile edits = FileReader.open(delta, OpenRules.ANY)) {
      assertThatThrownBy(() -> DifferencePatch.apply(target, edits, OpenRules.ANY, replaced))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("replaced meanwhile");
    }
    assertThat(old).hasBinaryContent(newer);
    noTemporaryFile();
  }

  @Test
  void frozenFilters_areRefused_asTheyHaveLittleInCommon() throws IOException {
    Woodbird.frozen(Keys.longs())
        .seed(SEED)
        .buildTo(old, LongStream.range(0, KEYS).boxed().toList());
    Woodbird.frozen(Keys.longs())
        .seed(SEED)
        .buildTo(now, LongStream.range(100, KEYS).boxed().toList());
    assertThatThrownBy(() -> Woodbird.delta(old, now, delta))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("from the keys");
    assertThat(delta).doesNotExist();
    noTemporaryFile();
  }

  @Test
  void damagedFiles_areNotShipped() throws IOException {
    make("bloom", KEYS, 20);
    for (Path path : new Path[] {old, now}) {
      byte[] bytes = Files.readAllBytes(path);
      Files.write(path, Surgery.flipBit(bytes.clone(), 8 * 5000));
      assertThatThrownBy(() -> Woodbird.delta(old, now, delta))
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageStartingWith(path + ": ");
      Files.write(path, bytes);
    }
    assertThat(delta).doesNotExist();
  }

  /** Its newest keys are only in its journal. */
  @Test
  void aDurableFilterInUse_isNoSideOfADelta_andNotPatched() throws IOException {
    make("bloom", KEYS, 20);
    Woodbird.delta(old, now, delta);
    Path used = folder.resolve("used.wbird");
    try (DurableFilter<Long> durable = Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).file(used)) {
      durable.put(1L);
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> Woodbird.delta(used, now, target),
              () -> Woodbird.delta(old, used, target),
              () -> Woodbird.patch(used, delta, target))) {
        assertThatThrownBy(call)
            .isInstanceOf(CorruptFilterException.class)
            .hasMessageStartingWith(used + ": not whole");
      }
    }
    assertThat(target).doesNotExist();
  }

  @Test
  void withAKey_allThreeMustBeSigned_andTheNewFileKeepsItsSignature() throws IOException {
    make("growing", KEYS, 20);
    Woodbird.sign(old, key());
    Woodbird.delta(old, now, delta);
    assertThatThrownBy(() -> trusted().patch(old, delta, target))
        .isInstanceOf(UntrustedFilterException.class)
        .hasMessageContaining("the delta");
    Woodbird.sign(delta, key());
    assertThatThrownBy(() -> trusted().patch(old, delta, target))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("is not signed");
    Woodbird.sign(now, key());
    Woodbird.delta(old, now, delta);
    Woodbird.sign(delta, key());
    trusted().patch(old, delta, target);
    assertThat(target).hasSameBinaryContentAs(now);
    trusted().open(target, Keys.longs()).close();
  }

  @Test
  void aNewFileThatAnotherKeySigned_isRefused_andTheBaseStays() throws IOException {
    make("bloom", KEYS, 20);
    Path privateKey = folder.resolve("other.pem");
    SignedFilters.createKeys(privateKey, folder.resolve("other.pub"));
    Woodbird.sign(old, key());
    Woodbird.sign(now, SignedFilters.readPrivateKey(privateKey));
    Woodbird.delta(old, now, delta);
    Woodbird.sign(delta, key());
    byte[] before = Files.readAllBytes(old);
    assertThatThrownBy(() -> trusted().patch(old, delta, old))
        .isInstanceOf(UntrustedFilterException.class)
        .hasMessageContaining("the file that the delta makes: the file is signed by another key");
    assertThat(old).hasBinaryContent(before);
    noTemporaryFile();
  }

  @Test
  void aNewFileWithADeltaThatAnotherKeySigned_isRefused() throws IOException {
    make("bloom", KEYS, 20);
    Path privateKey = folder.resolve("other.pem");
    SignedFilters.createKeys(privateKey, folder.resolve("other.pub"));
    Woodbird.sign(old, key());
    Woodbird.delta(old, Keys.longs())
        .buildTo(
            delta,
            LongStream.range(0, KEYS + 20).boxed().toList(),
            LongStream.range(0, KEYS).boxed().toList());
    Woodbird.sign(delta, SignedFilters.readPrivateKey(privateKey));
    Woodbird.patch(old, delta, now);
    Woodbird.delta(old, now, delta);
    Woodbird.sign(delta, key());
    assertThatThrownBy(() -> trusted().patch(old, delta, target))
        .isInstanceOf(UntrustedFilterException.class)
        .hasMessageContaining("signed by another key");
    assertThat(target).doesNotExist();
  }

  /** Two files of any lengths that differ in any way: what is patched is the new one. */
  @Test
  void filesThatDifferAnyhow_areMade() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    make("bloom", KEYS, 0);
    Path signed = folder.resolve("signed.wbird");
    Woodbird.sign(old, key(), signed);
    Path[] files = {old, signed};
    for (int round = 0; round < 20; round++) {
      Path from = files[round % 2];
      Path to = files[round / 2 % 2];
      byte[] bytes = Files.readAllBytes(to);
      for (int edits = random.nextInt(60); edits > 0; edits--) {
        int at = 256 + random.nextInt(8000);
        Arrays.fill(bytes, at, at + 1 + random.nextInt(9), (byte) random.nextInt());
      }
      Surgery.seal(bytes, Surgery.view(bytes).getLong(48));
      Files.write(now, bytes);
      Woodbird.delta(from, now, delta);
      Woodbird.patch(from, delta, target);
      if (!Arrays.equals(Files.readAllBytes(target), bytes)) {
        throw new AssertionError("seed " + SEED + ", round " + round);
      }
    }
  }

  @Test
  void everyBitOfADelta_isChecked() throws IOException {
    make("bloom", 300, 1);
    Woodbird.delta(old, now, delta);
    byte[] bytes = Files.readAllBytes(delta);
    assertThat(bytes.length).isLessThan(600);
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      Files.write(delta, Surgery.flipBit(bytes.clone(), bit));
      assertRefused("bit " + bit);
    }
    for (int length = 0; length < bytes.length; length++) {
      Files.write(delta, Arrays.copyOf(bytes, length));
      assertRefused("cut to " + length);
    }
    noTemporaryFile();
  }

  /** Numbers and edits that no writer made, under right checksums. */
  @Test
  void forgedDeltas_areRefused() throws IOException {
    make("bloom", 300, 5);
    Woodbird.delta(old, now, delta);
    byte[] bytes = Files.readAllBytes(delta);
    for (int at : new int[] {48, 64, 72, 80}) {
      for (long edge : HostileBytesTest.EDGES) {
        byte[] forged = bytes.clone();
        if (Surgery.view(forged).getLong(at) != edge) {
          Surgery.view(forged).putLong(at, edge);
          Files.write(delta, Surgery.seal(forged, Surgery.view(forged).getLong(48)));
          assertRefused("byte " + at + ", " + edge);
        }
      }
    }
    SplittableRandom random = new SplittableRandom(SEED);
    int data = 256 + (int) Surgery.view(bytes).getLong(80) + FileDifference.EDITS_AT;
    for (int round = 0; round < 200; round++) { // About two for each byte of the data.
      byte[] forged = bytes.clone();
      forged[256 + random.nextInt(data - 256)] += (byte) (1 + random.nextInt(255));
      Files.write(delta, Surgery.seal(forged, Surgery.view(forged).getLong(48)));
      assertRefused("seed " + SEED + ", round " + round);
    }
    noTemporaryFile();
  }

  private void assertRefused(String what) throws IOException {
    try {
      Woodbird.patch(old, delta, target);
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      if (e.getMessage().length() > 20 && !Files.exists(target)) {
        return;
      }
    }
    throw new AssertionError(what);
  }

  private void noTemporaryFile() throws IOException {
    try (var files = Files.list(folder)) {
      assertThat(files).noneMatch(path -> path.toString().endsWith(".tmp"));
    }
  }
}
