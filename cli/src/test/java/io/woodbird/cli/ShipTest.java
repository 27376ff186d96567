package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A list that is signed and shipped, and brought up to date: sign, verify, delta, patch. */
final class ShipTest {
  @TempDir Path folder;
  private String monday = "";
  private String today = "";
  private String base = "";

  @BeforeEach
  void build() throws IOException {
    monday = lines("monday.txt", 0, 1000);
    today = lines("today.txt", 10, 1020);
    base = path("base.wbird");
    done("build", "--family", "ribbon", "--seed", "1", monday, "-o", base);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private String lines(String name, int from, int to) throws IOException {
    String text =
        IntStream.range(from, to).mapToObj(i -> "bad " + i + "\n").collect(Collectors.joining());
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Command done(String... words) {
    Command command = Command.run(words);
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  @Test
  void aListIsSigned_shippedAsADelta_andPatchedInPlace() throws IOException {
    String key = path("key.pem");
    assertThat(done("sign", "--new-key", key).err()).contains("keep it to yourself");
    Command again = Command.run("sign", "--new-key", key);
    assertThat(again.err()).contains("WB-010").contains("A key is never overwritten");
    assertThat(done("sign", "-k", key, base).err()).contains("base.wbird  signed, ");
    String delta = path("today.wdelta");
    assertThat(done("delta", base, today, monday, "-o", delta).err())
        .contains("added, 10 removed,")
        .contains("of base.wbird");
    String edge = path("edge.wbird");
    Files.copy(Path.of(base), Path.of(edge));
    Command unsigned = Command.run("patch", "-k", key + ".pub", edge, delta);
    assertThat(unsigned.err()).contains("WB-206").contains("the delta: the file is not signed");
    assertThat(Path.of(edge)).hasSameBinaryContentAs(Path.of(base));
    done("sign", "-k", key, delta);
    assertThat(done("patch", "-k", key + ".pub", edge, delta).err()).contains("1,010 keys");
    Command verified = done("verify", "-k", key + ".pub", edge, "--contains", today);
    assertThat(verified.out())
        .contains("whole, ")
        .contains("signed by the key")
        .contains("all 1,010 lines maybe here");
    // The first ten lines of Monday are gone, as far as the fpp of the added ones allows.
    assertThat(Command.run("check", "-c", edge, "--from", monday).out().strip())
        .isIn("990", "991", "992");
    assertThat(done("info", edge).out()).contains("patched: ");
  }

  @Test
  void theOriginalStays_withAnotherOutput_andTheReportsAreJson() throws IOException {
    String delta = path("today.wdelta");
    assertThat(done("delta", "--json", base, today, "-o", delta).out())
        .contains("\"schema\":\"woodbird.delta/1\"")
        .contains("\"removed\":0");
    byte[] before = Files.readAllBytes(Path.of(base));
    String fresh = path("new.wbird");
    assertThat(done("patch", "--json", base, delta, "-o", fresh).out())
        .contains("\"schema\":\"woodbird.patch/1\"");
    assertThat(Path.of(base)).hasBinaryContent(before);
    assertThat(done("verify", fresh, "--contains", today).code()).isZero();
    assertThat(done("verify", fresh, "--contains", monday).code()).isZero(); // None was removed.
    done("sign", "--new-key", path("k"));
    assertThat(done("sign", "--json", "-k", path("k"), fresh, "-o", path("s.wbird")).out())
        .contains("\"schema\":\"woodbird.sign/1\"");
    assertThat(done("verify", "--json", "-k", path("k.pub"), path("s.wbird")).out())
        .contains("\"signed\":true");
  }

  @Test
  void whatDoesNotFit_isSaidSo() throws IOException {
    String delta = path("today.wdelta");
    Command filters = Command.run("delta", base, base, "-o", delta);
    assertThat(filters.err()).contains("WB-221").contains("does not say which keys it has");
    String counting = path("window.wbird");
    done("build", "--family", "bloom-classic", monday, "-o", counting);
    done("delta", counting, today, "-o", delta);
    Command noDelta = Command.run("patch", base, counting);
    assertThat(noDelta.err()).contains("WB-221").contains("and no delta");
    assertThat(Command.run("sign", base).code()).isEqualTo(Problem.MISSING.exitCode());
    Command wrongKey = Command.run("sign", "-k", monday, base);
    assertThat(wrongKey.err()).contains("WB-005").contains("BEGIN PRIVATE KEY");
    assertThat(Command.run("sign", "-k", path("none"), base).err()).contains("WB-120");
    byte[] bytes = Files.readAllBytes(Path.of(delta));
    bytes[300] ^= 1;
    Files.write(Path.of(delta), bytes);
    Command damaged = Command.run("patch", counting, delta);
    assertThat(damaged.err()).contains("WB-201").contains(delta + " is damaged.");
  }
}
