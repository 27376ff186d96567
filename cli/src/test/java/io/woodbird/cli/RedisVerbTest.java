package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.redis.RedisFilter;
import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.RedisClient;

/** The verb {@code redis} against a real server: what it does, says, and ends with. */
final class RedisVerbTest {
  @TempDir Path folder;
  private RedisServer server;
  private String url;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.start();
    url = "redis://127.0.0.1:" + server.port();
    Files.writeString(folder.resolve("a.txt"), lines(0, 2000));
    assertThat(Command.run("build", path("a.txt"), "-p", "0.1%").code()).isZero();
    Files.writeString(folder.resolve("b.txt"), lines(1000, 3000));
    assertThat(
            Command.run("build", "--like", path("a.wbird"), path("b.txt"), "-o", path("b.wbird"))
                .code())
        .isZero();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String lines(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "k" + i + "\n").collect(Collectors.joining());
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private Command redis(String... words) {
    String[] all = new String[words.length + 3];
    all[0] = "redis";
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "--url";
    all[words.length + 2] = url;
    return Command.run(all);
  }

  private static Command good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  /** A refusal in three lines, with its exit code, and what it must say. */
  private static void fails(Command command, int code, String... parts) {
    assertThat(command.err()).contains(parts).doesNotContain("\tat ");
    assertThat(command.err()).startsWith("x WB-").contains("\n  ").contains("  Try:  ");
    assertThat(command.code()).as(command.err()).isEqualTo(code);
  }

  private void same(String one, String other) throws IOException {
    assertThat(Path.of(path(one))).hasSameBinaryContentAs(Path.of(path(other)));
  }

  @Test
  void aFilterThatWasMadeForASize_isRefused_andLeavesNothing() {
    good(Command.run("build", "--budget", "10kB", path("a.txt"), "-o", path("size.wbird")));
    fails(
        redis("push", path("size.wbird"), "sized"),
        2,
        "size.wbird was built for a size, and a filter in Redis is made for an error.");
    assertThat(redis("status").err()).contains("no filter at");
    good(redis("push", path("a.wbird"), "sized"));
    fails(redis("push", path("size.wbird"), "sized", "--merge"), 2, "built for a size");
  }

  @Test
  void pushPullSwapAndStatus_doWhatTheySay() throws IOException {
    assertThat(good(redis("push", path("a.wbird"), "urls")).err())
        .contains("a.wbird -> urls at " + url)
        .contains("is generation 2")
        .doesNotContain("goes back"); // What was there before knows nothing.
    good(redis("pull", "urls", "-o", path("back.wbird")));
    same("back.wbird", "a.wbird");

    good(redis("push", path("b.wbird"), "urls"));
    good(redis("pull", "urls", "-o", path("back.wbird"), "-f"));
    same("back.wbird", "b.wbird");
    assertThat(good(redis("swap", "urls")).err()).contains("generation 2 answers, instead of 3");
    good(redis("pull", "urls", "-o", path("back.wbird"), "-f"));
    same("back.wbird", "a.wbird");
    good(redis("swap", "urls"));

    good(redis("push", path("a.wbird"), "urls", "--merge"));
    good(redis("pull", "urls", "-o", path("back.wbird"), "-f"));
    good(Command.run("merge", path("a.wbird"), path("b.wbird"), "-o", path("both.wbird")));
    same("back.wbird", "both.wbird");
    assertThat(Command.run("check", path("back.wbird"), "k0").out()).contains("maybe");

    assertThat(good(redis("status", "urls", "--count")).out())
        .contains("urls  at " + url)
        .contains("bloom, 2,000 keys planned, error 0.1 %")
        .contains("generation 3 built ")
        .containsPattern("about (2,9|3,0)")
        .contains("state    whole");
    assertThat(good(redis("status")).out()).startsWith("urls  bloom, 2,000 keys planned");
    assertThat(
            good(Command.with(
                    new byte[0],
                    Set.of(),
                    Map.of("WOODBIRD_REDIS_URL", url),
                    "redis",
                    "status",
                    "--json"))
                .out())
        .startsWith("{\"schema\":\"woodbird.redis/1\",\"action\":\"status\",\"url\":\"" + url)
        .contains(
            "\"filters\":[{\"name\":\"urls\",\"kind\":\"bloom\",\"window\":null,\"generation\":3,");
    Command streamed = redis("pull", "urls", "-o", "-", "--json");
    assertThat(streamed.bytes()).isEqualTo(Files.readAllBytes(Path.of(path("both.wbird"))));
    assertThat(streamed.err()).startsWith("{\"schema\":\"woodbird.redis/1\",\"action\":\"pull\"");
  }

  @Test
  void whatIsWrong_isSaidWithItsExitCode() throws IOException {
    fails(
        redis("pull", "nobody", "-o", path("x")),
        6,
        "WB-301  Redis at " + url + " has no filter \"nobody\".",
        "wbird:meta:nobody",
        "woodbird redis push FILE nobody");
    fails(redis("push", path("a.wbird"), "nobody", "--merge"), 6, "has no filter \"nobody\".");
    good(redis("push", path("a.wbird"), "urls"));
    fails(redis("swap", "urls"), 6, "has no generation to swap with.", "Nothing was changed.");

    good(Command.run("build", path("a.txt"), "-o", path("other.wbird"), "-p", "1%"));
    fails(
        redis("push", path("other.wbird"), "urls"),
        2,
        "WB-205",
        "does not fit the filter \"urls\" in Redis",
        "in Redis:",
        "--like");
    good(Command.run("build", path("a.txt"), "--family", "ribbon", "-o", path("r.wbird")));
    fails(redis("push", path("r.wbird"), "urls"), 2, "WB-221", "ribbon");
    Files.writeString(folder.resolve("bad.wbird"), "no filter");
    fails(redis("push", path("bad.wbird"), "urls"), 4, "WB-202", "is not a filter file");
    byte[] bytes = Files.readAllBytes(Path.of(path("a.wbird")));
    bytes[bytes.length - 100] ^= 1;
    Files.write(Path.of(path("bad.wbird")), bytes);
    fails(redis("push", path("bad.wbird"), "urls"), 4, "WB-201", "is damaged");
    fails(redis("pull", "urls", "-o", path("a.wbird")), 2, "WB-010", "exists.");

    fails(redis("pusch"), 2, "WB-005", "no action 'pusch'", "push, pull, status, swap");
    fails(redis("push", "urls"), 2, "WB-006", "takes FILE NAME");
    fails(redis("swap", "a", "b"), 2, "WB-007", "takes NAME");
    fails(redis("swap", "urls", "--merge"), 2, "WB-008", "--merge belongs to 'redis push'");
    for (String address :
        new String[] {
          "http://u:s3cret@host", "redis://:s3cret@host/abc", "redis://s3cret@host", "redis:s3cret"
        }) {
      Command secret = Command.run("redis", "status", "--url", address);
      fails(secret, 2, "WB-005", "can't be read");
      assertThat(secret.err()).doesNotContain("s3cret");
    }

    int port = server.port();
    server.kill();
    Command away = Command.run("redis", "status", "--url", "redis://:s3cret@127.0.0.1:" + port);
    fails(away, 6, "WB-301  Redis at " + url + " can't be used.", "refused", "redis-cli -u " + url);
    assertThat(away.err()).doesNotContain("s3cret");
  }

  @Test
  void lostData_isInDoubtAndPulledByNobody() {
    good(redis("push", path("a.wbird"), "urls"));
    Object shard = ((List<?>) server.ask("KEYS", "wbird:{*}:urls:2:1")).get(0);
    server.ask("DEL", shard.toString());
    Command status = redis("status", "urls");
    assertThat(status.code()).isEqualTo(6);
    assertThat(status.out()).contains("state    in doubt").contains("doubt    DELETED");
    Command pull = redis("pull", "urls", "-o", path("x.wbird"));
    assertThat(pull.code()).isNotZero();
    assertThat(Path.of(path("x.wbird"))).doesNotExist();
  }

  @Test
  void aFilterThatWaitsForItsFirstBuild_isNoFile() {
    try (RedisClient client = RedisClient.create("127.0.0.1", server.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client)) {
      redis.bloom("urls", Keys.strings(), 1000).createUnbuilt().close();
    }
    fails(redis("pull", "urls", "-o", path("x")), 6, "waits for its first build");
    assertThat(redis("status", "urls").code()).isEqualTo(6);
    assertThat(redis("status", "urls").out()).contains("nothing is \"not here\"");
  }

  @Test
  void everyKindOfFilter_isNamedAndLookedAt() {
    try (RedisClient client = RedisClient.create("127.0.0.1", server.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client)) {
      KeyHasher<String> keys = Keys.strings();
      List<RedisFilter<String>> filters =
          List.of(
              redis.deletable("counts", keys, 1000).create(),
              redis.window("hour", keys, 1000, Duration.ofHours(1)).create(),
              redis.growing("grows", keys, 100).create());
      for (RedisFilter<String> filter : filters) {
        IntStream.range(0, 300).forEach(i -> filter.put("k" + i));
        filter.close();
      }
    }
    assertThat(good(redis("status")).out())
        .contains("counts  counting, 1,000 keys planned, error 1 %, generation 1\n")
        .contains("hour  window of PT1H, 1,000 keys planned, error 1 %, generation 1\n")
        .containsPattern("grows  growing, 1\\d\\d keys at first, error 1 %, generation 1\n");
    for (String name : List.of("counts", "hour", "grows")) {
      assertThat(good(redis("status", name, "--count")).out())
          .contains("state    whole")
          .containsPattern("keys     about (29|30)\\d,");
      fails(redis("pull", name, "-o", path("x")), 2, "WB-221", "is not a bloom filter");
    }
    assertThat(good(redis("status", "hour", "--json")).out())
        .contains("\"kind\":\"window\",\"window\":\"PT1H\"");
    Object shard = ((List<?>) server.ask("KEYS", "wbird:{*}:counts:1:0")).get(0);
    server.ask("DEL", shard.toString());
    assertThat(redis("status", "counts").out()).contains("state    in doubt");
  }

  @Test
  void aPasswordIsUsed() {
    server.ask("CONFIG", "SET", "requirepass", "s3cret");
    fails(redis("status"), 6, "WB-301", "NOAUTH");
    Command known = Command.run("redis", "status", "--url", url.replace("//", "//:s3cret@"));
    assertThat(good(known).err()).contains("no filter at " + url);
  }

  @Test
  void aClusterIsNoticed() throws IOException {
    try (RedisCluster cluster = RedisCluster.start(3, 0)) {
      url = "redis://127.0.0.1:" + cluster.masters().get(0).port();
      good(redis("push", path("a.wbird"), "urls"));
      good(redis("pull", "urls", "-o", path("back.wbird")));
      same("back.wbird", "a.wbird");
      assertThat(good(redis("status")).out()).startsWith("urls  ");
      assertThat(good(redis("status", "urls")).out()).contains("state    whole");
    }
  }
}
