package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.DeltaBuilder;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.UntrustedFilterException;
import io.woodbird.Woodbird;
import io.woodbird.filter.frozen.BuildSettings;
import io.woodbird.filter.frozen.DeltaBuild;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deltas: a patched file answers for the new list, and denies none of its keys. */
class DeltaTest {
  private static final long SEED = 11;

  /** The old list are the keys from 0 on, the new one those from CHANGED on. */
  private static final int KEYS = 20_000;

  private static final int CHANGED = 100;

  @TempDir private Path folder;
  private Path base;
  private Path delta;
  private Path patched;

  @BeforeEach
  void name() {
    base = folder.resolve("base.wbird");
    delta = folder.resolve("today.wdelta");
    patched = folder.resolve("patched.wbird");
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private void build(String family, long keys) throws IOException {
    switch (family) {
      case "bloom" -> {
        BloomFilter<Long> bloom = Woodbird.bloom(Keys.longs(), keys).seed(SEED).build();
        LongStream.range(0, keys).forEach(bloom::putLong);
        bloom.save(base);
      }
      case "fuse" ->
          Woodbird.frozen(Keys.longs()).fastToAsk().seed(SEED).buildTo(base, range(0, keys));
      default -> Woodbird.frozen(Keys.longs()).seed(SEED).buildTo(base, range(0, keys));
    }
  }

  private DeltaBuilder.Summary make() throws IOException {
    return Woodbird.delta(base, Keys.longs())
        .buildTo(delta, range(CHANGED, KEYS + CHANGED), range(0, KEYS));
  }

  private static long denied(Filter<Long> filter, long from, long to) {
    long denied = LongStream.range(from, to).filter(key -> !filter.mightContain(key)).count();
    long[] hashes = LongStream.range(from, to).map(filter::hashOfLong).toArray();
    int[] selected = new int[hashes.length];
    int kept = filter.candidates(hashes, hashes.length, selected);
    assertThat(hashes.length - kept).as("a batch").isEqualTo((int) denied);
    long asked =
        LongStream.range(from, to).filter(key -> filter.ask(key) == Answer.NOT_HERE).count();
    assertThat(asked).as("ask").isEqualTo(denied);
    return denied;
  }

  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "fuse", "bloom"})
  void aPatchedFile_hasTheKeysOfTheNewList_andLacksThoseThatWereRemoved(String family)
      throws IOException {
    build(family, KEYS);
    DeltaBuilder.Summary summary = make();
    assertThat(summary.keys()).isEqualTo(KEYS);
    assertThat(summary.removed()).isEqualTo(CHANGED);
    assertThat(summary.added()).isBetween(CHANGED - 10L, (long) CHANGED); // Some were "maybe".
    assertThat(summary.bytes()).isEqualTo(Files.size(delta)).isLessThan(2300);
    Woodbird.patch(base, delta, patched);
    try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
      opened.verify();
      byte[] bytes = Files.readAllBytes(patched);
      for (Filter<Long> filter :
          List.of(
              opened,
              Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()),
              Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))) {
        assertThat(denied(filter, CHANGED, KEYS + CHANGED)).isZero();
        // A removed key passes only with the fpp of the added ones, 1 / 6400.
        assertThat(denied(filter, 0, CHANGED)).isGreaterThan(CHANGED - 3);
        long wrong = 100_000 - denied(filter, 1_000_000, 1_100_000);
        double fpp = filter.stats().promisedFpp();
        assertThat(fpp).isEqualTo(summary.fpp()).isBetween(0.0, 0.0103);
        assertThat(wrong).isLessThan((long) (100_000 * fpp + 5 * Math.sqrt(100_000 * fpp)));
        assertThat(filter.stats().layout()).contains("100 removed");
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        filter.writeTo(again);
        assertThat(again.toByteArray()).isEqualTo(bytes);
        assertThat(filter.sizeInBytes()).isEqualTo(bytes.length);
        filter.save(folder.resolve("again.wbird"));
        assertThat(folder.resolve("again.wbird")).hasBinaryContent(bytes);
      }
    }
  }

  @Test
  void theSameLists_giveTheSameBytes_inAnyOrder_andPatchingAgainReplacesTheOverlay()
      throws IOException {
    build("ribbon", KEYS);
    make();
    byte[] first = Files.readAllBytes(delta);
    List<Long> backwards = new ArrayList<>(range(CHANGED, KEYS + CHANGED));
    Collections.reverse(backwards);
    Woodbird.delta(base, Keys.longs()).buildTo(delta, backwards, range(0, CHANGED));
    assertThat(delta).as("only the removed ones were given").hasBinaryContent(first);
    Woodbird.patch(base, delta, patched);
    byte[] once = Files.readAllBytes(patched);
    // A client keeps one file, and patches it day after day.
    Path next = folder.resolve("next.wdelta");
    Woodbird.delta(patched, Keys.longs()).buildTo(next, range(50, KEYS + 500), range(0, KEYS));
    Woodbird.patch(patched, next, patched);
    try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
      assertThat(denied(opened, 50, KEYS + 500)).isZero();
      assertThat(denied(opened, 0, 50)).isGreaterThan(47);
    }
    Woodbird.patch(patched, delta, patched);
    assertThat(patched).hasBinaryContent(once);
  }

  /** Lists get mixed up. Then old keys may stay "maybe here", but no new one is denied. */
  @Test
  void aWrongOldList_deniesNoKeyOfTheNewOne() throws IOException {
    build("ribbon", KEYS);
    for (List<Long> before :
        List.of(range(5000, 30_000), range(0, 0), range(CHANGED, KEYS + CHANGED))) {
      Woodbird.delta(base, Keys.longs()).buildTo(delta, range(CHANGED, KEYS + CHANGED), before);
      Woodbird.patch(base, delta, patched);
      try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
        assertThat(denied(opened, CHANGED, KEYS + CHANGED)).isZero();
      }
    }
  }

  @Test
  void noChange_andAnEmptyNewList_areDeltasToo() throws IOException {
    build("ribbon", KEYS);
    assertThat(Woodbird.delta(base, Keys.longs()).buildTo(delta, range(0, KEYS), range(0, KEYS)))
        .matches(summary -> summary.added() == 0 && summary.removed() == 0);
    Woodbird.patch(base, delta, patched);
    try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
      assertThat(denied(opened, 0, KEYS)).isZero();
    }
    Woodbird.delta(base, Keys.longs()).buildTo(delta, range(0, 0), range(0, KEYS));
    Woodbird.patch(base, delta, patched);
    try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
      assertThat(denied(opened, 0, KEYS)).isEqualTo(KEYS);
    }
  }

  @Test
  void anotherBase_isRefused_andTheTargetStays() throws IOException {
    build("ribbon", KEYS);
    make();
    Woodbird.frozen(Keys.longs()).seed(SEED).buildTo(base, range(1, KEYS + 1));
    Files.writeString(patched, "as it was");
    assertThatThrownBy(() -> Woodbird.patch(base, delta, patched))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("another base");
    assertThat(patched).hasContent("as it was");
    assertThatThrownBy(() -> Woodbird.patch(delta, delta, patched))
        .isInstanceOf(IncompatibleFilterException.class);
    assertThatThrownBy(() -> Woodbird.patch(base, base, patched))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("no delta");
    assertThatThrownBy(() -> Woodbird.open(delta, Keys.longs()))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("woodbird patch");
    assertThatThrownBy(
            () -> Woodbird.delta(base, Keys.strings()).buildTo(delta, List.of(), List.of()))
        .isInstanceOf(IncompatibleFilterException.class);
  }

  @Test
  void basesThatAge_orHaveValues_areRefused() throws IOException {
    Woodbird.frozenMap(Keys.longs())
        .seed(SEED)
        .buildTo(base, range(0, 50).stream().map(key -> Map.entry(key, key)).toList());
    assertThatThrownBy(this::make)
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("RIBBON_MAP");
    Woodbird.window(Keys.longs(), 100).build().save(base);
    assertThatThrownBy(this::make).isInstanceOf(IncompatibleFilterException.class);
  }

  /** A page that is damaged would say "maybe" for keys that have to be added. */
  @Test
  void aDamagedBase_isRefused() throws IOException {
    build("ribbon", KEYS);
    byte[] bytes = Files.readAllBytes(base);
    bytes[bytes.length / 2] ^= 4;
    Files.write(base, bytes);
    assertThatThrownBy(this::make).isInstanceOf(CorruptFilterException.class);
    assertThat(delta).doesNotExist();
  }

  /** A mapped base may be cut while it is asked, and then says "maybe" for every key. */
  @Test
  void aBaseThatIsDamagedWhileItIsAsked_givesNoDelta() {
    DeltaBuild.Base cut =
        new DeltaBuild.Base() {
          @Override
          public boolean denies(long hash) {
            return false;
          }

          @Override
          public void requireSound() throws CorruptFilterException {
            throw new CorruptFilterException("the base was cut short");
          }
        };
    BuildSettings<Long> settings =
        new BuildSettings<>(Keys.longs(), SEED, 1, 1 << 20, null, true, null, 0);
    DeltaBuild<Long> build = new DeltaBuild<>(settings, cut, 0.01);
    Iterator<Long> now = range(0, 10).iterator();
    assertThatThrownBy(() -> build.toFile(now, range(0, 5).iterator(), new byte[32], delta))
        .isInstanceOf(CorruptFilterException.class);
    assertThat(delta).doesNotExist();
  }

  @Test
  void whatTakesKeys_refusesAPatchedFile() throws IOException {
    build("bloom", KEYS);
    make();
    Woodbird.patch(base, delta, base);
    assertThatThrownBy(() -> Woodbird.bloom(Keys.longs(), KEYS).seed(SEED).file(base))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("patched");
  }

  @Test
  void everySingleBitFlip_isRefused_orDeniesNoKeyOfTheNewList() throws IOException {
    Woodbird.frozen(Keys.longs()).seed(SEED).buildTo(base, range(0, 200));
    Woodbird.delta(base, Keys.longs()).buildTo(delta, range(20, 220), range(0, 200));
    Woodbird.patch(base, delta, patched);
    byte[] bytes = Files.readAllBytes(patched);
    for (long bit = 0; bit < 8L * bytes.length; bit++) {
      byte[] damaged = Surgery.flipBit(bytes, bit);
      try {
        Filter<Long> filter = Woodbird.wrap(ByteBuffer.wrap(damaged), Keys.longs());
        for (long key = 20; key < 220; key++) {
          if (!filter.mightContain(key)) {
            throw new AssertionError("bit " + bit + ": key " + key + " is lost");
          }
        }
      } catch (CorruptFilterException | IncompatibleFilterException e) {
        requireMessage(e, bit);
      }
      try {
        Woodbird.readFrom(new ByteArrayInputStream(damaged), Keys.longs());
        throw new AssertionError("not found: bit " + bit);
      } catch (CorruptFilterException | IncompatibleFilterException e) {
        requireMessage(e, bit);
      }
    }
    byte[] cut = Files.readAllBytes(delta);
    for (int length = 0; length < cut.length; length += 7) {
      Files.write(delta, Arrays.copyOf(cut, length));
      assertThatThrownBy(() -> Woodbird.patch(base, delta, patched))
          .isInstanceOf(CorruptFilterException.class);
    }
  }

  /** AssertJ would take longer than the file. */
  private static void requireMessage(Exception e, long bit) {
    if (e.getMessage().isBlank()) {
      throw new AssertionError("bit " + bit, e);
    }
  }

  @Test
  void aSignedBaseWithASignedDelta_isTrusted_andNothingElse() throws IOException {
    Files.writeString(folder.resolve("key.pem"), SignatureTest.PRIVATE);
    Files.writeString(folder.resolve("key.pub"), SignatureTest.PUBLIC);
    PrivateKey key = SignedFilters.readPrivateKey(folder.resolve("key.pem"));
    SignedFilters signed =
        Woodbird.signedBy(SignedFilters.readPublicKey(folder.resolve("key.pub")));
    build("ribbon", KEYS);
    Woodbird.sign(base, key);
    make();
    assertThatThrownBy(() -> signed.patch(base, delta, patched))
        .isInstanceOf(UntrustedFilterException.class)
        .hasMessageContaining("the delta");
    Woodbird.patch(base, delta, patched);
    assertThatThrownBy(() -> signed.open(patched, Keys.longs()))
        .isInstanceOf(UntrustedFilterException.class);
    Woodbird.sign(patched, key); // Signs the base and the delta in it.
    signed.open(patched, Keys.longs()).close();
    byte[] both = Files.readAllBytes(patched);
    Woodbird.sign(delta, key);
    signed.patch(base, delta, patched);
    assertThat(patched).hasBinaryContent(both);
    try (OpenFilter<Long> opened = signed.open(patched, Keys.longs())) {
      assertThat(denied(opened, CHANGED, KEYS + CHANGED)).isZero();
      assertThat(denied(opened, 0, CHANGED)).isGreaterThan(CHANGED - 3);
    }
  }

  @Tag("slow")
  @Test
  void aDeltaOfTwentyMillionKeys_withOneOfAThousandChanged_isBelowTwoPercent() throws IOException {
    long keys = 20_000_000;
    long changed = 10_000;
    Woodbird.frozen(Keys.longs()).seed(SEED).buildTo(base, LongStream.range(0, keys).iterator());
    DeltaBuilder.Summary summary =
        Woodbird.delta(base, Keys.longs())
            .buildTo(
                delta,
                () -> LongStream.range(changed, keys + changed).iterator(),
                () -> LongStream.range(0, keys).iterator());
    System.out.println(summary + ", base of " + Files.size(base) + " bytes");
    assertThat(summary.bytes()).isLessThan(Files.size(base) / 50);
    Woodbird.patch(base, delta, patched);
    try (OpenFilter<Long> opened = Woodbird.open(patched, Keys.longs())) {
      assertThat(
              LongStream.range(changed, keys + changed)
                  .filter(key -> !opened.mightContainLong(key))
                  .count())
          .isZero();
      assertThat(LongStream.range(0, changed).filter(opened::mightContainLong).count())
          .isLessThan(20);
    }
  }
}
