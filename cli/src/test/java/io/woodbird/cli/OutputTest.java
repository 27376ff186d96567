package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code -o} writes to, replaces, and refuses. */
final class OutputTest {
  @TempDir Path folder;
  private String lines = "";

  @BeforeEach
  void makeLines() throws IOException {
    lines = Files.writeString(folder.resolve("lines.txt"), "alice\nbob\n").toString();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static void refused(Command command, Problem problem, String what) {
    assertThat(command.err()).contains(problem.code() + "  " + what).doesNotContain(".tmp");
    assertThat(command.code()).isEqualTo(problem.exitCode());
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> "" + file.getFileName()).sorted().toList();
    }
  }

  private Command build(String... more) {
    return Command.run(
        Stream.concat(Stream.of("build", lines, "--seed", "1"), Stream.of(more))
            .toArray(String[]::new));
  }

  private void make(String... command) throws IOException, InterruptedException {
    assumeThat(Path.of("/usr/bin/" + command[0])).exists();
    assumeThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  @Test
  void aLink_isFollowedAndStays() throws IOException {
    Path target = Files.writeString(folder.resolve("real.wbird"), "old");
    Path inner = Files.createSymbolicLink(folder.resolve("inner"), target.getFileName());
    Path link = Files.createSymbolicLink(folder.resolve("link"), inner);
    refused(build("-o", link.toString()), Problem.EXISTS, link + " exists.");
    for (String family : List.of("bloom", "ribbon")) {
      Files.writeString(target, "old");
      Command command = build("-f", "-o", link.toString(), "--family", family);
      assertThat(command.err()).startsWith(link + "  " + family);
      assertThat(Files.isSymbolicLink(link)).isTrue();
      assertThat(Files.isSymbolicLink(inner)).isTrue();
      assertThat(Command.run("check", target.toString(), "alice", "bob").code()).isZero();
    }
    assertThat(Command.run("merge", path("a"), path("b"), "-o", link.toString()).code())
        .isEqualTo(Problem.EXISTS.exitCode());
    assertThat(names()).containsExactly("inner", "lines.txt", "link", "real.wbird");
  }

  @Test
  void aDanglingLink_getsItsTarget() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("new.wbird"));
    assertThat(build("-o", link.toString()).code()).isZero();
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(Command.run("check", path("new.wbird"), "alice").code()).isZero();
    Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere"), Path.of("no/such"));
    refused(build("-o", nowhere.toString()), Problem.CANNOT_WRITE, nowhere + " can't be written.");
    Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
    refused(build("-f", "-o", loop.toString()), Problem.CANNOT_WRITE, loop + " can't be written.");
  }

  @Test
  void convert_followsALink() throws IOException {
    Path bits = Files.write(folder.resolve("f.bits"), new byte[1000]);
    Path target = Files.writeString(folder.resolve("real"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), target);
    String[] how = {"--from", "bits", "--scheme", "djb2-sdbm", "--bits", "8000", "--hashes", "3"};
    for (String form : List.of("wbird", "bits")) {
      Files.writeString(target, "old");
      Command command =
          Command.run(
              Stream.concat(
                      Stream.of("convert", bits + "", "-f", "-o", link + "", "--to", form),
                      Stream.of(how))
                  .toArray(String[]::new));
      assertThat(command.code()).as(command.err()).isZero();
      assertThat(Files.isSymbolicLink(link)).isTrue();
      assertThat(target).isNotEmptyFile();
      assertThat(Files.size(target)).isGreaterThan(3);
    }
    assertThat(names()).containsExactly("f.bits", "lines.txt", "link", "real");
  }

  @Test
  void aPipe_isWrittenToAndStays() throws Exception {
    Path pipe = folder.resolve("pipe");
    make("mkfifo", pipe.toString());
    Path link = Files.createSymbolicLink(folder.resolve("link"), pipe);
    assertThat(build("-o", path("f.wbird")).code()).isZero();
    for (List<String> words :
        List.of(
            List.of("build", lines, "--seed", "1", "-o", pipe.toString()),
            List.of("build", lines, "--seed", "1", "-f", "-o", link.toString()),
            List.of("merge", path("f.wbird"), path("f.wbird"), "-f", "-o", pipe.toString()))) {
      CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> bytes(pipe));
      Command command = Command.run(words.toArray(new String[0]));
      assertThat(command.code()).as(command.err()).isZero();
      staysAPipe(pipe);
      assertThat(read.get()).isEqualTo(bytes(folder.resolve("f.wbird")));
    }
    CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> bytes(pipe));
    assertThat(build("-f", "--family", "ribbon", "-o", pipe.toString()).code()).isZero();
    staysAPipe(pipe);
    assertThat(build("--family", "ribbon", "-o", path("r.wbird")).code()).isZero();
    assertThat(read.get()).isEqualTo(bytes(folder.resolve("r.wbird")));
    assertThat(Files.isSymbolicLink(link)).isTrue();
    for (List<String> words :
        List.of(
            List.of("convert", path("f.wbird"), "-f", "-o", pipe.toString()),
            List.of("delta", path("f.wbird"), lines, "-f", "-o", pipe.toString()),
            List.of("sign", path("f.wbird"), "-k", "no.pem", "-f", "-o", pipe.toString()))) {
      refused(
          Command.run(words.toArray(new String[0])),
          Problem.BAD_VALUE,
          "'" + words.get(0) + "' writes a file, not " + pipe + ".");
    }
    assertThat(names()).containsExactly("f.wbird", "lines.txt", "link", "pipe", "r.wbird");
  }

  /** Before the reader is waited for: it would never see the end of a pipe without a name. */
  private static void staysAPipe(Path pipe) throws IOException {
    assertThat(Files.readAttributes(pipe, "*", LinkOption.NOFOLLOW_LINKS))
        .containsEntry("isOther", true);
  }

  private static Path write(Path path) {
    try {
      return Files.writeString(path, "x\n");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] bytes(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void aDevice_isWrittenToAndNeedsNoForce() {
    assumeThat(Path.of("/dev/null")).exists();
    assumeThat(Path.of("/dev/full")).exists();
    // Never with --force: should this break, it must not break the machine.
    assertThat(build("-o", "/dev/null").code()).isZero();
    refused(build("-o", "/dev/full"), Problem.CANNOT_WRITE, "/dev/full can't be written.");
  }

  @Test
  void whatWouldLoseMore_isRefused() throws Exception {
    refused(build("-f", "-o", folder.toString()), Problem.CANNOT_WRITE, folder + " is a folder.");
    String socket = path("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Command command = build("-f", "-o", socket);
      refused(command, Problem.CANNOT_WRITE, socket + " can't be written.");
      assertThat(command.err()).contains("It is a socket.");
    }
    String disk = path("disk");
    make("mknod", disk, "b", "7", "250");
    Command command = build("-f", "-o", disk);
    refused(command, Problem.CANNOT_WRITE, disk + " can't be written.");
    assertThat(command.err()).contains("block device");
  }

  @Test
  void failures_nameTheOutputAsItWasWritten() throws IOException {
    String tooLong = path("x".repeat(300));
    for (String family : List.of("bloom", "ribbon")) {
      Command command = build("-o", tooLong, "--family", family);
      refused(command, Problem.CANNOT_WRITE, tooLong + " can't be written.");
      assertThat(command.err()).contains("File name too long");
    }
    assertThat(names()).containsExactly("lines.txt");
  }

  @Test
  void anInputWithoutAName_namesNoOutput() throws Exception {
    Path pipe = folder.resolve("pipe");
    make("mkfifo", pipe.toString());
    // So that whoever does open the pipe does not wait for ever.
    CompletableFuture<Path> writer = CompletableFuture.supplyAsync(() -> write(pipe));
    refused(Command.run("build", pipe.toString()), Problem.MISSING, "'build' needs -o FILE.");
    assertThat(bytes(pipe)).hasSize(2);
    assertThat(writer.get()).isEqualTo(pipe);
  }
}
