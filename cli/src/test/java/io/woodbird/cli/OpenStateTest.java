package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state that another process has open is in use, and not damaged. */
final class OpenStateTest {
  @TempDir Path folder;

  @Test
  void aStateThatIsOpen_isCalledInUse() throws IOException {
    String state = folder.resolve("seen.wbird").toString();
    String other = folder.resolve("other.wbird").toString();
    List<String[]> commands =
        List.of(
            new String[] {"info", state},
            new String[] {"check", state, "a"},
            new String[] {"verify", state},
            new String[] {"merge", state, state, "-o", other},
            new String[] {"delta", state, state, "-o", other});
    try (DurableFilter<ByteBuffer> open =
        Woodbird.bloom(Keys.buffers(), 100).file(Path.of(state))) {
      open.putHash(1);
      for (String[] words : commands) {
        Command command = Command.run(words);
        assertThat(command.err())
            .as(words[0])
            .contains("x WB-131  " + state + " is in use, or was not closed.")
            .doesNotContain("again from its keys");
        assertThat(command.code()).isEqualTo(3);
        assertThat(command.out()).isEmpty();
      }
    }
    assertThat(Command.run("info", state).code()).isZero();
  }
}
