package io.woodbird.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SchemeFormatTest {
  @TempDir Path folder;

  private static ClassicFilter sample(String scheme) {
    boolean powers = scheme.equals("polynomial-seeds");
    ClassicFilter filter = Scheme.of(scheme).filterOf(powers ? 1 << 15 : 40_001, 7);
    for (int i = 0; i < 1000; i++) {
      filter.put("key " + i);
    }
    return filter;
  }

  @Test
  void everyScheme_comesBackBitForBit() throws IOException {
    for (String scheme : Scheme.names()) {
      Path path = folder.resolve(scheme + ".wbird");
      ClassicFilter filter = sample(scheme);
      filter.save(path);
      ClassicFilter back;
      try (var in = Files.newInputStream(path)) {
        back = ClassicFilter.load(in);
        assertThat(in.read()).isEqualTo(-1);
      }
      assertThat(back.scheme()).isSameAs(filter.scheme());
      assertThat(back.bits()).isEqualTo(filter.bits());
      assertThat(back.hashes()).isEqualTo(filter.hashes());
      assertThat(back.toLongArray()).isEqualTo(filter.toLongArray());
    }
  }

  @Test
  void everyFlippedBit_isNoticed() throws IOException {
    Path path = folder.resolve("f.wbird");
    Scheme.of("guava-mitz-64").filterOf(640, 3).save(path);
    byte[] whole = Files.readAllBytes(path);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatExceptionOfType(CorruptFilterException.class)
          .as("bit %d", bit)
          .isThrownBy(() -> ClassicFilter.load(new ByteArrayInputStream(damaged)));
    }
  }

  @Test
  void theTwoKindsOfFiles_refuseEachOther() throws IOException {
    Path scheme = folder.resolve("scheme.wbird");
    Path own = folder.resolve("own.wbird");
    sample("guava-mitz-64").save(scheme);
    Woodbird.bloom(Keys.strings(), 10).build().save(own);
    for (KeyHasher<?> keys : java.util.List.of(Keys.strings(), new SchemeKeys())) {
      assertThatExceptionOfType(IncompatibleFilterException.class)
          .isThrownBy(() -> Woodbird.open(scheme, keys))
          .withMessageContaining("ClassicFilter.load");
    }
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> ClassicFilter.load(new ByteArrayInputStream(Files.readAllBytes(own))))
        .withMessageContaining("Woodbird.open");
  }

  /** Keys that claim to be those of the scheme. */
  private static final class SchemeKeys implements KeyHasher<String> {
    @Override
    public long hash(String key, long seed) {
      return 0;
    }

    @Override
    public String id() {
      return "scheme:guava-mitz-64";
    }
  }
}
