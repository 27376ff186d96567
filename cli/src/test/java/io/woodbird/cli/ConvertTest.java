package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.ForeignFilter;
import io.woodbird.classic.Scheme;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters of other programs come and go. */
final class ConvertTest {
  @TempDir Path folder;

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  private static void good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
  }

  @Test
  void guavasFilters_comeAndGoBitForBit() throws IOException {
    BloomFilter<CharSequence> guava =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), 1000, 0.001);
    for (int i = 0; i < 1000; i++) {
      guava.put("" + i);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    guava.writeTo(bytes);
    String original = path("f.guava");
    Files.write(Path.of(original), bytes.toByteArray());
    good(Command.run("convert", original, "-o", path("f.wbird")));
    assertThat(Command.reading(numbers(0, 1000), "check", "-c", path("f.wbird")).out())
        .isEqualTo("1000\n");
    String asked = numbers(0, 3000);
    String answers =
        asked.lines().filter(guava::mightContain).map(s -> s + "\n").collect(Collectors.joining());
    assertThat(Command.reading(asked, "check", path("f.wbird")).out()).isEqualTo(answers);
    assertThat(Command.run("info", path("f.wbird")).out()).contains("guava-mitz-64");
    assertThat(Command.run("verify", path("f.wbird")).code()).isZero();
    good(Command.run("convert", path("f.wbird"), "-o", path("back.guava")));
    Path back = folder.resolve("back.guava");
    assertThat(back).hasSameBinaryContentAs(Path.of(original));
    if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(back, PosixFilePermissions.fromString("rw-r-----"));
      good(Command.run("convert", path("f.wbird"), "-f", "-o", path("back.guava")));
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back)))
          .isEqualTo("rw-r-----");
    }
  }

  @Test
  void filtersOfOtherPrograms_comeAndGoByteForByte() throws IOException {
    List<byte[]> keys =
        IntStream.range(0, 1000).mapToObj(i -> ("" + i).getBytes(StandardCharsets.UTF_8)).toList();
    List<byte[]> numbers =
        IntStream.range(0, 1000).mapToObj(i -> ClassicFilter.longKey(i)).toList();
    for (String form : ForeignFilter.formats()) {
      ForeignFilter filter =
          ForeignFilter.build(form, 1000, 0.01, form.startsWith("fuse") ? numbers : keys);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      filter.writeTo(bytes);
      String original = path("f." + form);
      Files.write(Path.of(original), bytes.toByteArray());
      String wbird = path(form + ".wbird");
      good(Command.run("convert", original, "--from", form, "-o", wbird));
      String asked = numbers(0, 3000);
      String answers =
          asked
              .lines()
              .filter(filter::mightContain)
              .map(s -> s + "\n")
              .collect(Collectors.joining());
      assertThat(Command.reading(asked, "check", wbird).out()).isEqualTo(answers);
      assertThat(answers.lines().limit(1000)).hasSize(1000);
      assertThat(Command.run("info", wbird).out()).contains(form);
      assertThat(Command.run("verify", wbird).code()).isZero();
      // 1 % or less of 2,000 are 20; 5 sigma are 22.
      assertThat(Command.run("verify", wbird, "--probes", "2000", "--json").out())
          .containsPattern("\"wrongMaybe\":([0-9]|[1-3][0-9]|4[0-2]),\"fppPromised\":null");
      String back = path("back." + form);
      good(Command.run("convert", wbird, "-o", back));
      assertThat(Path.of(back)).hasSameBinaryContentAs(Path.of(original));
      assertThat(Command.run("convert", wbird, "--to", "guava", "-o", path("g")).code())
          .isNotZero();
    }
    assertThat(Command.run("check", path("fuse8.wbird"), "owl").err()).contains("a number", "owl");
  }

  @Test
  void aSignedFilterOfAnotherProgram_isNotAskedUnderItsKey() throws IOException {
    Path foreign = folder.resolve("dcso.wbird");
    ForeignFilter.build("dcso", 10, 0.01, List.of(new byte[] {'a'})).save(foreign);
    String key = path("key.pem");
    good(Command.run("sign", "--new-key", key));
    good(Command.run("sign", "-k", key, "" + foreign));
    good(Command.run("verify", "" + foreign, "-k", key + ".pub"));
    String lines = Files.writeString(folder.resolve("lines"), "a\n").toString();
    for (String[] asked : new String[][] {{"--contains", lines}, {"--probes", "10"}}) {
      good(Command.run("verify", "" + foreign, asked[0], asked[1]));
      Command signed = Command.run("verify", "" + foreign, "-k", key + ".pub", asked[0], asked[1]);
      assertThat(signed.err()).contains("is not asked under --key");
      assertThat(signed.out()).isEmpty();
    }
  }

  /** As of "cat *.wbird": the keys of the second would be denied. */
  @Test
  void aFileWithTwoFilters_isTakenForNeither() throws IOException {
    List<byte[]> keys = List.of("1".getBytes(StandardCharsets.UTF_8));
    Path foreign = folder.resolve("dcso.wbird");
    ForeignFilter.build("dcso", 10, 0.01, keys).save(foreign);
    Path scheme = folder.resolve("scheme.wbird");
    Scheme.of("djb2-sdbm").filter(10, 0.01).save(scheme);
    for (Path file : List.of(foreign, scheme)) {
      Files.write(file, Files.readAllBytes(file), StandardOpenOption.APPEND);
      for (String[] words :
          new String[][] {{"check", "" + file, "2"}, {"convert", "" + file, "-o", path("back")}}) {
        Command command = Command.run(words);
        assertThat(command.err()).contains("goes on after the end of the filter");
        assertThat(command.code()).isEqualTo(4);
        assertThat(command.out()).isEmpty();
      }
    }
  }

  @Test
  void bareBits_comeAndGo() throws IOException {
    String bits = path("f.bits");
    byte[] content = new byte[1000];
    new java.util.Random(1).nextBytes(content);
    Files.write(Path.of(bits), content);
    for (String scheme : List.of("djb2-sdbm", "crc32-shift16", "hashcode-shift16")) {
      String filter = path(scheme + ".wbird");
      good(
          Command.run(
              "convert",
              bits,
              "--from",
              "bits",
              "--scheme",
              scheme,
              "--bits",
              "8000",
              "--hashes",
              "3",
              "-o",
              filter));
      good(Command.run("convert", filter, "-o", path("back.bits"), "-f"));
      assertThat(folder.resolve("back.bits")).hasSameBinaryContentAs(Path.of(bits));
    }
    String redis = path("f.redisson");
    good(
        Command.run(
            "convert",
            bits,
            "--from",
            "redisson",
            "--bits",
            "8000",
            "--hashes",
            "3",
            "-o",
            path("r.wbird")));
    good(Command.run("convert", path("r.wbird"), "-o", redis));
    assertThat(Path.of(redis)).hasSameBinaryContentAs(Path.of(bits));
  }

  @Test
  void convert_doesNotCallAFileDamagedThatIsNoFilter() throws IOException {
    Files.writeString(folder.resolve("a.txt"), "crow\n");
    Command guessed = Command.run("convert", path("a.txt"), "-o", path("x.wbird"));
    assertThat(guessed.err())
        .contains("neither a .wbird file nor a whole filter of Guava", "--from");
    assertThat(guessed.code()).isEqualTo(4);
    Command told = Command.run("convert", path("a.txt"), "--from", "guava", "-o", path("x.wbird"));
    assertThat(told.err()).contains("a.txt is damaged.");
  }
}
