package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
  void aDamagedDelta_isNotShownAsWhole() throws IOException {
    Path delta = folder.resolve("today.wdelta");
    done("delta", base, today, monday, "-o", "" + delta);
    assertThat(done("info", "" + delta).out()).contains("and no filter");
    byte[] good = Files.readAllBytes(delta);
    byte[] negative = good.clone();
    negative[55] = (byte) 0x80; // The length of the data.
    byte[] flipped = good.clone();
    flipped[300] ^= 1;
    for (byte[] bad : List.of(flipped, negative, Arrays.copyOf(good, good.length - 1))) {
      Files.write(delta, bad);
      for (String form : List.of("--color=never", "--json")) {
        Command command = Command.run("info", "" + delta, form);
        assertThat(command.err()).contains("x WB-201  " + delta + " is damaged.");
        assertThat(command.out()).isEmpty();
        assertThat(command.code()).isEqualTo(4);
      }
    }
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
  void aListThatIsAddedTo_isShippedAsADeltaBetweenTwoFiles() throws IOException {
    String key = path("key.pem");
    done("sign", "--new-key", key);
    String old = path("old.wbird");
    String now = path("now.wbird");
    done("build", "--family", "growing", "--seed", "1", lines("many.txt", 0, 20_000), "-o", old);
    Files.copy(Path.of(old), Path.of(now));
    done("add", now, "worse 1", "worse 2");
    done("remove", now, "bad 7");
    done("sign", "-k", key, old);
    done("sign", "-k", key, now);
    String delta = path("today.wdelta");
    assertThat(done("delta", old, now, "-o", delta).err()).contains("of now.wbird");
    assertThat(Files.size(Path.of(delta))).isLessThan(Files.size(Path.of(now)) / 10);
    done("sign", "-k", key, delta);
    assertThat(done("info", delta).out()).contains("delta");
    done("patch", "-k", key + ".pub", old, delta);
    assertThat(Path.of(old)).hasSameBinaryContentAs(Path.of(now));
    done("verify", "-k", key + ".pub", old);
    Command again = Command.run("patch", "-k", key + ".pub", old, delta);
    assertThat(again.err()).contains("another base");
    assertThat(Path.of(old)).hasSameBinaryContentAs(Path.of(now));
    assertThat(Command.run("check", "-q", old, "worse 2").code()).isZero();
    assertThat(done("delta", "--json", "-f", now, old, "-o", delta).out()).contains("\"bytes\":");
  }

  /** A key is replaced by another: for some time files of either are taken. */
  @Test
  void oneOfSeveralKeys_isEnough_alsoToAsk() {
    done("sign", "--new-key", path("old.pem"));
    done("sign", "--new-key", path("new.pem"));
    String oldKey = path("old.pem.pub");
    String newKey = path("new.pem.pub");
    for (String signer : new String[] {"old.pem", "new.pem"}) {
      done("sign", "-k", path(signer), base);
      done("verify", "-k", oldKey, "-k", newKey, base);
      done("verify", "-k", newKey, "-k", oldKey, base);
      done("check", "-k", newKey, "-k", oldKey, base, "bad 1");
      done("check", "-k", newKey, "-k", oldKey, "--in", base, "bad 1");
    }
    assertThat(Command.run("check", "-k", oldKey, base, "bad 1").err()).contains("WB-207");
    assertThat(Command.run("check", "-k", oldKey, "--in", base, "bad 1").err()).contains("WB-207");
    assertThat(done("info", base).out()).contains("signed   by ");
  }

  @Test
  void convertedFiles_andDeltas_areVerified_andNeverCalledSignedWithoutALook() throws IOException {
    String key = path("key.pem");
    done("sign", "--new-key", key);
    String bits = Files.write(folder.resolve("f.bin"), new byte[1200]).toString();
    String scheme = path("scheme.wbird");
    List<String> convert =
        List.of("--from", "bits", "--scheme", "djb2-sdbm", "--bits", "9600", "--hashes", "4");
    done(
        Stream.of(List.of("convert", bits, "-o", scheme), convert)
            .flatMap(List::stream)
            .toArray(String[]::new));
    assertThat(Command.run("verify", "--key", key + ".pub", scheme).err()).contains("WB-206");
    done("sign", "-k", key, scheme);
    assertThat(done("verify", "--key", key + ".pub", scheme).out()).contains("signed by the key");
    assertThat(Command.run("check", "-k", key + ".pub", scheme, "bad 1").err()).contains("WB-221");
    String delta = path("today.wdelta");
    done("delta", base, today, monday, "-o", delta);
    assertThat(done("verify", delta).out()).contains("whole");
    assertThat(Command.run("verify", "--key", key + ".pub", delta).err()).contains("WB-206");
    assertThat(done("info", delta).out()).contains("for 1,010 keys");
    assertThat(Command.run("verify", delta, "--contains", today).err()).contains("WB-221");
    byte[] bytes = Files.readAllBytes(Path.of(delta));
    bytes[400] ^= 1;
    Files.write(Path.of(delta), bytes);
    assertThat(Command.run("verify", delta).code()).isEqualTo(Problem.DAMAGED.exitCode());
  }

  @Test
  void aKeyThatIsAdded_endsTheSignature_andThatIsSaid() {
    String key = path("key.pem");
    done("sign", "--new-key", key);
    String growing = path("growing.wbird");
    done("build", "--family", "growing", monday, "-o", growing);
    assertThat(done("add", growing, "one").err()).doesNotContain("no longer signed");
    done("sign", "-k", key, growing);
    assertThat(done("add", growing, "two").err()).contains("growing.wbird is no longer signed");
  }

  @Test
  void noInputIsLost_andStdinIsOneList() throws IOException {
    String delta = path("today.wdelta");
    done("delta", base, today, monday, "-o", delta);
    byte[] before = Files.readAllBytes(Path.of(delta));
    Command lost = Command.run("patch", base, delta, "-f", "-o", delta);
    assertThat(lost.err()).contains("WB-011").contains("also an input");
    assertThat(Path.of(delta)).hasBinaryContent(before);
    assertThat(Command.run("delta", base, "-", "-", "-f", "-o", delta).err()).contains("stdin");
    assertThat(Path.of(delta)).hasBinaryContent(before);
  }

  @Test
  void whatDoesNotFit_isSaidSo() throws IOException {
    String delta = path("today.wdelta");
    Command filters = Command.run("delta", base, base, monday, "-o", delta);
    assertThat(filters.err()).contains("WB-221").contains("does not say which keys it has");
    String other = path("other.wbird");
    done("build", "--family", "ribbon", "--seed", "1", lines("more.txt", 0, 9000), "-o", other);
    Command frozen = Command.run("delta", base, other, "-o", delta);
    assertThat(frozen.err()).contains("WB-221").contains("no small delta").contains("NEW-LINES");
    assertThat(Path.of(delta)).doesNotExist();
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
