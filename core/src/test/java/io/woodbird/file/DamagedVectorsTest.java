package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.SignedFilters;
import io.woodbird.UntrustedFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code spec/vectors/damaged} says of a reader is true of this one and of the second. */
class DamagedVectorsTest {
  @TempDir private Path folder;

  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      DamagedVectors.write();
    }
  }

  static Stream<DamagedVectors> all() throws IOException {
    return DamagedVectors.all().stream();
  }

  @ParameterizedTest
  @MethodSource("all")
  void everyWayToRead_doesWhatItMust(DamagedVectors vector) throws IOException {
    Path path = DamagedVectors.folder().resolve(vector.name());
    byte[] bytes = Files.readAllBytes(path);
    assertThat(bytes).isEqualTo(vector.bytes());
    byte[] good = Files.readAllBytes(GoldenFiles.folder().resolve(vector.golden()));
    Filter<String> golden = Woodbird.wrap(ByteBuffer.wrap(good), Keys.strings());
    if (vector.must().equals("refuse")) {
      // A stream may go on behind the filter.
      List<Way> ways = vector.name().equals("long.wbird") ? WAYS.subList(0, 3) : WAYS;
      for (Way way : vector.isSigned() ? signedWays() : ways) {
        assertThatThrownBy(() -> way.read(path, bytes))
            .isInstanceOfAny(
                CorruptFilterException.class,
                IncompatibleFilterException.class,
                UntrustedFilterException.class);
      }
      return;
    }
    List<Way> ways =
        vector.isSigned()
            ? signedWays().subList(0, 1)
            : vector.must().equals("read") ? WAYS : WAYS.subList(0, 3);
    for (Way way : ways) {
      Filter<String> filter = way.read(path, bytes);
      for (int i = 0; i < 2000; i++) {
        String key = "key " + i;
        boolean wrong = !filter.mightContain(key) && golden.mightContain(key);
        boolean other = filter.mightContain(key) != golden.mightContain(key);
        assertThat(vector.must().equals("read") ? other : wrong).isFalse();
      }
    }
  }

  private interface Way {
    Filter<String> read(Path path, byte[] bytes) throws IOException;
  }

  private static final List<Way> WAYS =
      List.of(
          (path, bytes) -> Woodbird.open(path, Keys.strings()),
          (path, bytes) -> Woodbird.map(path, Keys.strings()),
          (path, bytes) -> Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.strings()),
          (path, bytes) -> Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.strings()));

  private List<Way> signedWays() throws IOException {
    Path key = Files.writeString(folder.resolve("key.pub"), SignatureTest.PUBLIC);
    SignedFilters signed = Woodbird.signedBy(SignedFilters.readPublicKey(key));
    return List.of(
        (path, bytes) -> signed.open(path, Keys.strings()),
        (path, bytes) -> signed.readFrom(new ByteArrayInputStream(bytes), Keys.strings()));
  }

  @Test
  void theIndex_listsThem() throws IOException {
    assertThat(Files.readString(DamagedVectors.folder().resolve(GoldenFiles.INDEX)))
        .isEqualTo(DamagedVectors.index());
  }

  /** The vectors find readers that are wrong: each of them fails at least one. */
  @Test
  void wrongReaders_areFound() throws Exception {
    assumeTrue(ChildJvm.works("python3", "--version"), "python3 is missing: wrong readers");
    Path script = GoldenFiles.folder().resolve("../reference/wrong_readers.py");
    ChildJvm.Result result =
        ChildJvm.run(List.of("python3", script.toString(), GoldenFiles.folder().toString()));
    assertThat(result.exit()).as(result.output()).isZero();
    assertThat(result.output()).contains("the right reader passes").contains("0 not found");
  }
}
