package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.model.Spec;
import io.woodbird.console.shared.Json;
import io.woodbird.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** What {@code --json} prints is JSON, has its schema, and every member is in docs/cli-json.md. */
final class JsonReportsTest {
  @TempDir Path folder;

  private final Set<String> seen = new TreeSet<>();

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  /** All member names in a text that must be JSON objects, one a line. */
  private static Set<String> members(String text) {
    Set<String> names = new LinkedHashSet<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          names.add(parser.currentName());
        }
      }
    }
    return names;
  }

  private void good(String schema, String text) throws IOException {
    String line = text.lines().filter(said -> said.startsWith("{")).findFirst().orElse("");
    assertThat(line).startsWith("{\"schema\":\"woodbird." + schema + "/1\",");
    String documented =
        Files.readAllLines(Path.of("../docs/cli-json.md")).stream()
            .filter(row -> row.contains("`woodbird." + schema + "/1`"))
            .findFirst()
            .orElse("");
    for (String name : members(line)) {
      if (!name.equals("schema")) {
        assertThat(documented).as(schema).contains("`" + name + "`");
      }
    }
    seen.add(schema);
  }

  @Test
  void everyReport_isDocumented() throws IOException {
    String lines = Files.writeString(folder.resolve("a.txt"), "1\n2\n").toString();
    String filter = path("a.wbird");
    good("plan", Command.run("plan", "-n", "2e9", "--budget", "500MB", "--json").out());
    good("plan", Command.run("plan", lines, "--json").out());
    good("build", Command.run("build", lines, "--json").out());
    good("build", Command.run("build", lines, "--json", "-o", "-").err());
    good("check", Command.run("check", "--json", filter, "1", "\"x\u0001\ud83d\udc26").out());
    good("check", Command.run("check", "--json", filter, "--from", lines).err());
    good("check", Command.run("check", "--json", "--in", filter, "1", "x").out());
    good("check", Command.run("check", "--json", "--in", filter, "--from", lines).err());
    String deletable = path("d.wbird");
    assertThat(Command.run("build", lines, "--family", "deletable", "-n", "9", "-o", deletable))
        .matches(command -> command.code() == 0);
    good("add", Command.run("add", "--json", deletable, "x").out());
    good("remove", Command.run("remove", "--json", deletable, "x").out());
    good("new", Command.run("new", "--json", "-s", path("s"), "-n", "10", lines).err());
    good("diff", Command.run("diff", "--json", lines, lines).err());
    good("common", Command.run("common", "--json", lines, lines).err());
    good("merge", Command.run("merge", "--json", filter, filter, "-o", path("m")).out());
    good("info", Command.run("info", "--json", filter).out());
    good("verify", Command.run("verify", "--json", filter, "--probes", "10").out());
    String delta = path("a.wdelta");
    good("delta", Command.run("delta", "--json", filter, lines, "-o", delta).out());
    good("patch", Command.run("patch", "--json", filter, delta, "-o", path("n.wbird")).out());
    Command.run("sign", "--new-key", path("key"));
    good("sign", Command.run("sign", "--json", "-k", path("key"), delta).out());
    good("bench", Command.run("bench", "--json", "-n", "100").out());
    good("demo", Command.run("demo", "--json", "--products", "100", "--requests", "600").out());
    String bits = Files.write(folder.resolve("b"), new byte[] {1, 2}).toString();
    good(
        "convert",
        Command.run(
                "convert",
                bits,
                "--from",
                "redisson",
                "--bits",
                "64",
                "--hashes",
                "2",
                "-o",
                path("c.wbird"),
                "--json")
            .out());
    good("info", Command.run("info", "--json", path("c.wbird")).out());
    try (RedisServer server = RedisServer.start()) {
      String url = "--url=redis://127.0.0.1:" + server.port();
      good("redis", Command.run("redis", "push", filter, "f", url, "--json").out());
      good("redis", Command.run("redis", "push", filter, "f", url, "--json", "--merge").out());
      good("redis", Command.run("redis", "push", filter, "f", url, "--json").out());
      good("redis", Command.run("redis", "swap", "f", url, "--json").out());
      good("redis", Command.run("redis", "pull", "f", url, "-o", path("p"), "--json").out());
      good("redis", Command.run("redis", "status", "f", url, "--count", "--json").out());
      good("redis", Command.run("redis", "status", url, "--json").out());
    }
    for (Spec spec : ModelAccess.ownSpecs()) {
      if (spec.option("json") != null) {
        assertThat(seen).contains(spec.name());
      }
    }
  }

  @Test
  void whatAPlanNeeds_isNeededWithTheSameAbilities() {
    String out =
        Command.run("plan", "-n", "2e9", "--budget", "500MB", "--needs", "delete", "--json").out();
    String needed = out.substring(out.indexOf("\"needed\""));
    assertThat(needed).contains("\"fpp\":0.01,").doesNotContain("ribbon").doesNotContain("bloom");
  }

  @Test
  void anyText_isQuotedSoThatItComesBack() {
    String text = "<&>\"\\\u0000\n\u007f\u2028\ud83d\udc26\ud800x\udc00";
    String json = new Json().put("a", List.of(text, 1, true)).put("n", null).toString();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      parser.nextToken();
      parser.nextToken();
      parser.nextToken();
      assertThat(parser.nextToken()).isEqualTo(JsonToken.VALUE_STRING);
      assertThat(parser.getString()).isEqualTo(text);
    }
    assertThat(new Json().put("x", Double.NaN).toString()).isEqualTo("{\"x\":null}");
  }
}
