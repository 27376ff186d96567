package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.LayoutId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files in {@code spec/vectors/frozen} mean what they always meant. */
@Tag("jdk")
final class FrozenGoldenTest {
  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      FrozenGolden.main(new String[] {FrozenGolden.folder().toString()});
    }
  }

  static Stream<FrozenGolden<?>> cases() {
    return FrozenGolden.ALL.stream();
  }

  private static byte[] golden(FrozenGolden<?> golden) throws IOException {
    return Files.readAllBytes(FrozenGolden.folder().resolve(golden.file()));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameKeysAndSeed_giveTheSameBytes(FrozenGolden<?> golden) throws IOException {
    assertThat(golden.bytes()).isEqualTo(golden(golden)).hasSizeLessThan(8192);
    if (golden.shardBits() == 0) {
      assertThat(golden.built()).isEqualTo(golden(golden));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  <K> void everyWayToRead_givesTheListedAnswers(FrozenGolden<K> golden) throws IOException {
    Path path = FrozenGolden.folder().resolve(golden.file());
    String line =
        Files.readAllLines(FrozenGolden.folder().resolve(FrozenGolden.INDEX)).stream()
            .filter(text -> text.startsWith("{\"file\": \"" + golden.file() + "\""))
            .findFirst()
            .orElseThrow();
    try (OpenFilter<K> opened = Woodbird.open(path, golden.keys());
        InputStream in = Files.newInputStream(path)) {
      opened.verify();
      Filter<K> wrapped = Woodbird.wrap(ByteBuffer.wrap(golden(golden)), golden.keys());
      for (Filter<K> filter : List.of(opened, wrapped, Woodbird.readFrom(in, golden.keys()))) {
        assertThat(golden.line(filter)).isEqualTo(line);
        for (int i = 0; i < golden.count(); i++) {
          assertThat(filter.mightContain(golden.key().apply(2 * i))).isTrue();
        }
      }
    }
  }

  @Test
  void theIndex_listsExactlyTheFiles() throws IOException {
    assertThat(Files.readString(FrozenGolden.folder().resolve(FrozenGolden.INDEX)))
        .isEqualTo(FrozenGolden.index());
    try (Stream<Path> files = Files.list(FrozenGolden.folder())) {
      assertThat(files.map(path -> path.getFileName().toString()).filter(n -> n.endsWith(".wbird")))
          .containsExactlyInAnyOrderElementsOf(cases().map(FrozenGolden::file).toList());
    }
  }

  /** The corners that a reader may forget are in the files. */
  @Test
  void theFiles_haveShards_layers_firstSegments_ternarySlots_andSalts() throws IOException {
    boolean first = false;
    boolean ternary = false;
    boolean layers = false;
    boolean salt = false;
    for (FrozenGolden<?> golden : FrozenGolden.ALL) {
      ByteBuffer data =
          ByteBuffer.wrap(golden(golden)).order(java.nio.ByteOrder.LITTLE_ENDIAN).position(256);
      for (int shard = 0; shard < 1 << golden.shardBits(); shard++) {
        int entry = 256 + 64 * shard;
        if (golden.layout() == LayoutId.RIBBON) {
          first |= data.getInt(entry + 8 + 4) > 0;
          ternary |= data.getInt(entry + 60) == 1;
          layers |= data.getInt(entry + 8) > 0 && data.getInt(entry + 32) > 0;
        } else {
          salt |= data.getInt(entry + 44) >= 4;
        }
      }
    }
    assertThat(List.of(first, ternary, layers, salt)).containsOnly(true);
  }

  @Test
  void theSecondReader_givesTheListedAnswers() throws Exception {
    Process python;
    try {
      python =
          new ProcessBuilder(
                  "python3",
                  FrozenGolden.folder().resolve("../../reference/woodbird.py").toString(),
                  FrozenGolden.folder().toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("python3 is missing: " + e.getMessage());
      return;
    }
    String said = new String(python.getInputStream().readAllBytes());
    assertThat(python.waitFor()).as(said).isZero();
    assertThat(said).contains(FrozenGolden.ALL.size() + " files").contains("all as they should be");
  }
}
