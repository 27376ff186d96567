package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FilesApiTest {
  @TempDir private Path folder;

  private Map<String, Object> info(String name) throws IOException, BadRequestException {
    return new FilesApi(folder).info(Map.of("name", name));
  }

  private Object ask(String name, String key) throws IOException, BadRequestException {
    return new FilesApi(folder).ask(Map.of("name", name, "key", key)).get("answer");
  }

  private Path strings(String name, int keys) throws IOException {
    BloomFilter<String> filter = Woodbird.bloom(Keys.strings(), 100_000).seed(3).build();
    IntStream.range(0, keys).forEach(i -> filter.put("key " + i));
    Path path = folder.resolve(name);
    filter.save(path);
    return path;
  }

  @Test
  void info_saysWhatStatsSay() throws IOException, BadRequestException {
    Path path = strings("a.wbird", 50_000);
    Map<String, Object> info = info("a.wbird");
    assertThat(info)
        .containsEntry("state", "whole")
        .containsEntry("verified", true)
        .containsEntry("bytes", Files.size(path))
        .containsEntry("keyKind", "TEXT")
        .containsEntry("seed", "0000000000000003")
        .containsEntry("format", "2.0");
    try (OpenFilter<String> filter = Woodbird.open(path, Keys.strings())) {
      FilterStats stats = filter.stats();
      Map<?, ?> shown = (Map<?, ?>) info.get("stats");
      assertThat(shown.get("layout")).isEqualTo(stats.layout());
      assertThat(shown.get("estimatedKeys")).isEqualTo(stats.estimatedKeys());
      assertThat(shown.get("currentFpp")).isEqualTo(stats.currentFpp());
      assertThat(shown.get("fill")).isEqualTo(stats.fill());
    }
  }

  @Test
  void ask_takesThePropertyOfAFileOfObjects() throws IOException, BadRequestException {
    BloomFilter<Integer> squares =
        Woodbird.bloom(Keys.by("square", (Integer n) -> (long) n * n, Keys.longs()), 100).build();
    squares.put(12);
    squares.save(folder.resolve("squares.wbird"));
    FilesApi api = new FilesApi(folder);
    assertThat(api.ask(Map.of("name", "squares.wbird", "key", "144")))
        .containsEntry("answer", "MAYBE_HERE")
        .containsEntry("problem", "");
    assertThat(api.ask(Map.of("name", "squares.wbird", "key", "12")))
        .containsEntry("answer", "NOT_HERE");
    Woodbird.frozen(
            Keys.by("b", (String s) -> s + "!", Keys.by("a", (String s) -> s, Keys.strings())))
        .buildFrom(List.of("crow"))
        .save(folder.resolve("deep.wbird"));
    assertThat(api.ask(Map.of("name", "deep.wbird", "key", "crow!")))
        .containsEntry("answer", "MAYBE_HERE");
  }

  @Test
  void ask_knowsTheKindOfKeys() throws IOException, BadRequestException {
    strings("text.wbird", 10);
    BloomFilter<Long> longs = Woodbird.bloom(Keys.longs(), 100).build();
    longs.putLong(42L);
    longs.save(folder.resolve("long.wbird"));
    UUID uuid = new UUID(1, 2);
    Woodbird.frozen(Keys.uuids()).buildFrom(List.of(uuid)).save(folder.resolve("uuid.wbird"));
    assertThat(ask("text.wbird", "key 3")).isEqualTo("MAYBE_HERE");
    assertThat(ask("text.wbird", "owl")).isEqualTo("NOT_HERE");
    assertThat(ask("long.wbird", " 42 ")).isEqualTo("MAYBE_HERE");
    assertThat(ask("long.wbird", "43")).isEqualTo("NOT_HERE");
    assertThat(ask("uuid.wbird", uuid.toString())).isEqualTo("MAYBE_HERE");
    assertThatThrownBy(() -> ask("long.wbird", "crow"))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("whole numbers");
    // Java would drop the first digit of the second: another key than was asked for.
    for (String wrong : List.of("crow", "100000000-0000-0001-0000-00000000002")) {
      assertThatThrownBy(() -> ask("uuid.wbird", wrong)).isInstanceOf(BadRequestException.class);
    }
  }

  @Test
  void ask_doesNotKnowWithoutTheSecret() throws IOException, BadRequestException {
    Woodbird.bloom(Keys.keyed(new byte[16]).strings(), 100)
        .build()
        .save(folder.resolve("keyed.wbird"));
    assertThat(ask("keyed.wbird", "crow")).isEqualTo("UNKNOWN");
    assertThat(info("keyed.wbird"))
        .containsEntry("state", "whole")
        .containsEntry("keyKind", "SECRET");
  }

  /** Whatever byte is damaged, no key that was put is ever "not here", and the page says so. */
  @Test
  void damage_isShownAndNeverBecomesNotHere() throws IOException, BadRequestException {
    Path path = strings("a.wbird", 50_000);
    byte[] whole = Files.readAllBytes(path);
    for (int at = 0; at < whole.length; at += 1 + whole.length / 40) {
      byte[] bytes = whole.clone();
      bytes[at] ^= 0x20;
      Files.write(path, bytes);
      assertThat(info("a.wbird").get("state")).as("byte %d", at).isIn("damaged", "refused");
      for (int key = 0; key < 50_000; key += 4999) {
        assertThat(ask("a.wbird", "key " + key)).as("byte %d", at).isNotEqualTo("NOT_HERE");
      }
    }
  }

  @Test
  void damage_namesThePageAndMarksItsTiles() throws IOException, BadRequestException {
    Path path = strings("a.wbird", 50_000);
    byte[] bytes = Files.readAllBytes(path);
    bytes[256 + 3 * 4096 + 17] ^= 1;
    Files.write(path, bytes);
    assertThat(info("a.wbird").get("problem").toString())
        .contains("1 of")
        .contains("12,544")
        .doesNotContain(folder.toString());
    Map<String, Object> heat = new FilesApi(folder).heat(Map.of("name", "a.wbird"));
    assertThat(heat).containsEntry("damagedPages", 1L);
    assertThat((List<?>) heat.get("damagedTiles")).isNotEmpty();
  }

  @Test
  void info_refusesWhatIsNoFilter() throws IOException, BadRequestException {
    Files.write(folder.resolve("text.wbird"), "hello".repeat(1000).getBytes());
    Files.write(folder.resolve("empty.wbird"), new byte[0]);
    Path cut = strings("cut.wbird", 10);
    Files.write(cut, java.util.Arrays.copyOf(Files.readAllBytes(cut), 5000));
    for (String name : List.of("text.wbird", "empty.wbird", "cut.wbird")) {
      assertThat(info(name).get("state")).as(name).isEqualTo("refused");
      assertThat(info(name).get("problem").toString()).isNotEmpty();
      assertThat(ask(name, "key 1")).isEqualTo("UNKNOWN");
      assertThatThrownBy(() -> new FilesApi(folder).heat(Map.of("name", name)))
          .isInstanceOf(BadRequestException.class);
    }
  }

  @Test
  void heat_showsThePagesOfFrozenFilters() throws IOException, BadRequestException {
    List<String> keys = IntStream.range(0, 50_000).mapToObj(i -> "k" + i).toList();
    Path path = folder.resolve("ribbon.wbird");
    Woodbird.frozen(Keys.strings()).smallest().buildFrom(keys).save(path);
    Map<String, Object> heat = new FilesApi(folder).heat(Map.of("name", "ribbon.wbird"));
    assertThat(heat).doesNotContainKey("fill").containsEntry("damagedPages", 0L);
    assertThat(info("ribbon.wbird")).containsEntry("keyCount", 50_000L);
  }

  @Test
  void heat_readsClassicFiltersToo() throws IOException, BadRequestException {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 10_000).classic().seed(1).build();
    for (long key = 0; key < 10_000; key++) {
      filter.putLong(key);
    }
    filter.save(folder.resolve("c.wbird"));
    Map<String, Object> heat = new FilesApi(folder).heat(Map.of("name", "c.wbird"));
    assertThat((Double) heat.get("mean")).isEqualTo(filter.stats().fill());
    assertThat(heat).containsEntry("verdict", "even");
  }

  @Test
  void list_isEmptyWithoutAFolder() throws IOException {
    assertThat(new FilesApi(null).list()).containsEntry("files", List.of());
  }
}
