package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.MappedFilter;
import io.woodbird.Woodbird;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files in {@code spec/vectors/deletable} mean what they always meant. */
final class DeletableGoldenTest {
  static Stream<DeletableGolden<?>> cases() {
    return DeletableGolden.ALL.stream();
  }

  private static byte[] golden(DeletableGolden<?> golden) throws IOException {
    return Files.readAllBytes(DeletableGolden.folder().resolve(golden.file()));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameKeysAndSeed_giveTheSameBytes(DeletableGolden<?> golden) throws IOException {
    assertThat(golden.bytes()).isEqualTo(golden(golden)).hasSizeLessThan(8192);
  }

  @ParameterizedTest
  @MethodSource("cases")
  <K> void everyWayToRead_givesTheListedAnswers(DeletableGolden<K> golden) throws IOException {
    Path path = DeletableGolden.folder().resolve(golden.file());
    String line =
        Files.readAllLines(DeletableGolden.folder().resolve(DeletableGolden.INDEX)).stream()
            .filter(text -> text.startsWith("{\"file\": \"" + golden.file() + "\""))
            .findFirst()
            .orElseThrow();
    try (MappedFilter<K> opened = Woodbird.open(path, golden.keys());
        InputStream in = Files.newInputStream(path)) {
      opened.verify();
      Filter<K> wrapped = Woodbird.wrap(ByteBuffer.wrap(golden(golden)), golden.keys());
      for (Filter<K> filter : List.of(opened, wrapped, Woodbird.readFrom(in, golden.keys()))) {
        assertThat(golden.line(filter)).isEqualTo(line);
        for (int i = 0; i < golden.count(); i++) {
          assertThat(filter.mightContain(golden.key().apply(2 * i))).isTrue();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        assertThat(out.toByteArray()).isEqualTo(golden(golden));
      }
    }
  }

  @Test
  void theIndex_listsExactlyTheFiles() throws IOException {
    List<String> lines = new ArrayList<>();
    for (DeletableGolden<?> golden : DeletableGolden.ALL) {
      lines.add(golden.line());
    }
    assertThat(Files.readAllLines(DeletableGolden.folder().resolve(DeletableGolden.INDEX)))
        .isEqualTo(lines);
    try (Stream<Path> files = Files.list(DeletableGolden.folder())) {
      assertThat(files.map(path -> path.getFileName().toString()).filter(n -> n.endsWith(".wbird")))
          .containsExactlyInAnyOrderElementsOf(cases().map(DeletableGolden::file).toList());
    }
  }

  /** The corners that a reader may forget are in the files. */
  @Test
  void theFiles_haveOffsetsOf255_spills_andStuckCounters() throws IOException {
    boolean fullOffsets = false;
    boolean spills = false;
    boolean stuck = false;
    for (DeletableGolden<?> golden : DeletableGolden.ALL) {
      ByteBuffer file = ByteBuffer.wrap(golden(golden)).order(ByteOrder.LITTLE_ENDIAN);
      if (golden.file().startsWith("counting")) {
        for (int at = 256; at < 256 + file.getLong(48); at++) {
          stuck |= (file.get(at) & 15) == 0 || (file.get(at) & 0xf0) == 0;
        }
        continue;
      }
      int quotients = (int) file.getLong(72);
      StoredQuotientShard shard =
          new StoredQuotientShard(
              quotients,
              (quotients + 192 + 63) / 64 * 64,
              (int) file.getLong(80),
              word -> ~file.getLong(256 + 8 * (int) word),
              0);
      List<QuotientCheck.Pair> pairs = QuotientCheck.pairs(shard, shard.count());
      for (int block = 0; block < shard.blocks(); block++) {
        fullOffsets |= shard.storedOffset(block) == 255;
      }
      spills |= !pairs.isEmpty() && shard.lastUpTo(quotients - 1) >= quotients;
    }
    assertThat(List.of(fullOffsets, spills, stuck)).containsOnly(true);
  }

  @Test
  void theSecondReader_givesTheListedAnswers() throws Exception {
    Process python;
    try {
      python =
          new ProcessBuilder(
                  "python3",
                  DeletableGolden.folder().resolve("../../reference/woodbird.py").toString(),
                  DeletableGolden.folder().toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("python3 is missing: " + e.getMessage());
      return;
    }
    String said = new String(python.getInputStream().readAllBytes());
    assertThat(python.waitFor()).as(said).isZero();
    assertThat(said)
        .contains(DeletableGolden.ALL.size() + " files")
        .contains("all as they should be");
  }
}
