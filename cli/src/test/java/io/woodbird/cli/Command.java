package io.woodbird.cli;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs the command inside the test and keeps what it said. */
final class Command {
  private final int code;
  private final byte[] out;
  private final String err;

  private Command(int code, byte[] out, String err) {
    this.code = code;
    this.out = out;
    this.err = err;
  }

  /** Runs with nothing on stdin. */
  static Command run(String... words) {
    return with(new byte[0], words);
  }

  /** Runs with this text on stdin. */
  static Command reading(String in, String... words) {
    return with(in.getBytes(StandardCharsets.UTF_8), words);
  }

  /** Runs with these bytes on stdin. */
  static Command with(byte[] in, String... words) {
    return with(in, Set.of(), Map.of(), words);
  }

  /** Runs with these bytes on stdin, on these terminals. */
  static Command with(
      byte[] in, Set<String> terminals, Map<String, String> environment, String... words) {
    return with(new ByteArrayInputStream(in), terminals, environment, words);
  }

  private static Command with(
      InputStream in, Set<String> terminals, Map<String, String> environment, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Streams streams =
        new Streams(
            in,
            new DataOut(out),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            terminals,
            environment);
    int code = Main.run(List.of(words), streams);
    return new Command(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  /** Runs with this text on stdin, and does something when all of it was read. */
  static Command onceRead(String in, Runnable then, String... words) {
    byte[] bytes = in.getBytes(StandardCharsets.UTF_8);
    ByteArrayInputStream stdin =
        new ByteArrayInputStream(bytes) {
          @Override
          public synchronized int read(byte[] buffer, int from, int length) {
            int read = super.read(buffer, from, length);
            if (read < 0) {
              then.run();
            }
            return read;
          }
        };
    return with(stdin, Set.of(), Map.of(), words);
  }

  int code() {
    return code;
  }

  byte[] bytes() {
    return out;
  }

  String out() {
    return new String(out, StandardCharsets.UTF_8);
  }

  String err() {
    return err;
  }
}
