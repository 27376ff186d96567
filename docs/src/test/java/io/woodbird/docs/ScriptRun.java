package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a script of the project did, in a folder with programs that only pretend.
 *
 * @param code its exit code
 * @param lines what it said
 */
record ScriptRun(int code, List<String> lines) {
  /** Writes a program that only pretends. */
  static void program(Path file, String body) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/bash\n" + body + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Runs a script of a folder, with the programs in its folder "bin" before all others. */
  static ScriptRun of(
      Path folder, Path out, Map<String, String> environment, String script, String... options)
      throws Exception {
    ProcessBuilder builder = new ProcessBuilder("bash", script);
    builder.command().addAll(List.of(options));
    builder.environment().putAll(environment);
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    Process process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    return new ScriptRun(process.exitValue(), Files.readAllLines(out));
  }
}
