package io.woodbird.redis.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Keeps the threads of a simulation on one processor. */
final class OneProcessor {
  /*
   * Only one of these threads runs at a time. To wake the next one on another processor, which may
   * be asleep, takes longer than its turn: on two processors the histories take one and a half times
   * as long. A new thread stays on the processor of the thread that starts it, so the first one
   * decides for all.
   */
  private static final AtomicInteger NEXT = new AtomicInteger();

  private OneProcessor() {}

  /** Keeps this thread, and those that it will start, on one processor, where the system can. */
  static void keepThisThread() {
    Path self = Path.of("/proc/thread-self");
    if (!Files.isSymbolicLink(self)) {
      return; // Not Linux.
    }
    try {
      int[] allowed = allowed(self);
      if (allowed.length == 0) {
        return; // A system like Linux that does not say it.
      }
      int chosen = allowed[NEXT.getAndIncrement() % allowed.length];
      String thread = String.valueOf(Files.readSymbolicLink(self).getFileName());
      new ProcessBuilder("taskset", "-cp", String.valueOf(chosen), thread)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      return; // There is no taskset: the histories only take longer.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the processors that a thread may use, which the system lists such as "0-3,8". */
  private static int[] allowed(Path thread) throws IOException {
    return Files.readAllLines(thread.resolve("status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .flatMap(line -> Stream.of(line.split("\\s+")[1].split(",")))
        .flatMapToInt(
            range -> {
              String[] ends = range.split("-");
              return IntStream.rangeClosed(
                  Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
            })
        .toArray();
  }
}
