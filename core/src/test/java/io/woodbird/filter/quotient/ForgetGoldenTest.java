package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.StoredFile;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files of filters that forget or grow mean what they always meant. */
@Tag("jdk")
final class ForgetGoldenTest {
  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      ForgetGolden.main(
          new String[] {
            Path.of(System.getProperty("basedir", "."), "..", "spec", "vectors").toString()
          });
    }
  }

  static Stream<ForgetGolden<?>> cases() {
    return ForgetGolden.ALL.stream();
  }

  private static byte[] golden(ForgetGolden<?> golden) throws IOException {
    return Files.readAllBytes(golden.path());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameKeysAndSeed_giveTheSameBytes(ForgetGolden<?> golden) throws IOException {
    assertThat(golden.bytes()).isEqualTo(golden(golden)).hasSizeLessThan(8192);
  }

  @ParameterizedTest
  @MethodSource("cases")
  <K> void everyWayToRead_givesTheListedAnswers(ForgetGolden<K> golden) throws IOException {
    Path path = golden.path();
    String line =
        Files.readAllLines(path.resolveSibling(ForgetGolden.INDEX)).stream()
            .filter(text -> text.startsWith("{\"file\": \"" + golden.file() + "\""))
            .findFirst()
            .orElseThrow();
    try (OpenFilter<K> opened = Woodbird.open(path, golden.keys());
        InputStream in = Files.newInputStream(path)) {
      opened.verify();
      Filter<K> wrapped = Woodbird.wrap(ByteBuffer.wrap(golden(golden)), golden.keys());
      for (Filter<K> filter : List.of(opened, wrapped, Woodbird.readFrom(in, golden.keys()))) {
        assertThat(golden.line(filter)).isEqualTo(line);
        for (int i = golden.forgotten(); i < golden.count(); i++) {
          assertThat(filter.mightContain(golden.key().apply(2 * i))).isTrue();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        if (golden.forgotten() == 0 || filter instanceof OpenFilter) { // On the heap time goes on.
          assertThat(out.toByteArray()).isEqualTo(golden(golden));
        }
      }
    }
  }

  static List<String> folders() {
    return ForgetGolden.FOLDERS;
  }

  @ParameterizedTest
  @MethodSource("folders")
  void theIndex_listsExactlyTheFiles(String name) throws IOException {
    List<String> lines = new ArrayList<>();
    for (ForgetGolden<?> golden : ForgetGolden.in(name)) {
      lines.add(golden.line());
    }
    Path folder = ForgetGolden.folder(name);
    assertThat(Files.readAllLines(folder.resolve(ForgetGolden.INDEX))).isEqualTo(lines);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(path -> path.getFileName().toString()).filter(n -> n.endsWith(".wbird")))
          .containsExactlyInAnyOrderElementsOf(
              ForgetGolden.in(name).stream().map(ForgetGolden::file).toList());
    }
  }

  /** The corners that a reader may forget are in the files. */
  @Test
  void theFiles_haveOffsetsOf255_spills_andStuckCounters() throws IOException {
    boolean fullOffsets = false;
    boolean spills = false;
    boolean stuck = false;
    for (ForgetGolden<?> golden : ForgetGolden.in("deletable")) {
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

  /** The same for filters that grow: keys in two places, shards of two depths, offsets of 255. */
  @Test
  void theGrowingFiles_haveShardsOfAllKinds() throws IOException {
    int mostShards = 0;
    int empties = 0;
    boolean fullOffsets = false;
    for (ForgetGolden<?> golden : ForgetGolden.in("growing")) {
      StoredFile file = FileReader.of(ByteBuffer.wrap(golden(golden)));
      long[] found = {0};
      long empty = 1L << file.header().parameter(1);
      GrowingPlaces places = new GrowingPlaces(file);
      int shards = (int) file.header().parameter(0);
      for (int number = 0; number < shards; number++) {
        StoredQuotientShard shard = places.shard(number, word -> ~file.get(word));
        QuotientCheck.pairs(shard, shard.count());
        shard.forEach((quotient, payload) -> found[0] += payload == empty ? 1 : 0);
        for (int block = 0; block < shard.blocks(); block++) {
          fullOffsets |= shard.storedOffset(block) == 255;
        }
      }
      mostShards = Math.max(mostShards, shards);
      empties += (int) found[0];
    }
    assertThat(mostShards).isGreaterThan(2);
    assertThat(empties).isPositive();
    assertThat(fullOffsets).isTrue();
  }

  /** Of some windows, what has left them is still in their bits: only its age says so. */
  @Test
  void theWindowFiles_haveGenerationsThatHaveLeft() throws IOException {
    int left = 0;
    for (ForgetGolden<?> golden : ForgetGolden.in("window")) {
      StoredFile file = FileReader.of(ByteBuffer.wrap(golden(golden)));
      long state = 64 * file.header().parameter(0);
      for (int slot = 0; slot < 8; slot++) {
        left += ~file.get(state + 1 + slot) >= file.header().parameter(2) ? 1 : 0;
      }
      assertThat(golden.forgotten() == 0 || left > 0).as(golden.file()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("folders")
  void theSecondReader_givesTheListedAnswers(String name) throws Exception {
    Path folder = ForgetGolden.folder(name);
    Process python;
    try {
      python =
          new ProcessBuilder(
                  "python3",
                  folder.resolve("../../reference/woodbird.py").toString(),
                  folder.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("python3 is missing: " + e.getMessage());
      return;
    }
    String said = new String(python.getInputStream().readAllBytes());
    assertThat(python.waitFor()).as(said).isZero();
    assertThat(said)
        .contains(ForgetGolden.in(name).size() + " files")
        .contains("all as they should be");
  }
}
