package io.woodbird.testkit;

import java.io.IOException;

/** Signals to a server of several processes. */
public final class ProcessTree {
  private ProcessTree() {}

  /**
   * Sends a signal to a process, and then to all that it has started. After {@code STOP} the
   * process starts no further one, so none is missed. One that has ended meanwhile needs no signal.
   *
   * @param name the signal, such as {@code STOP}
   * @param pid the process
   * @throws IOException if the process is not there
   * @throws InterruptedException if the caller is interrupted
   */
  public static void signal(String name, long pid) throws IOException, InterruptedException {
    if (kill(name, pid) != 0) {
      throw new IOException("no signal " + name + " for process " + pid);
    }
    for (ProcessHandle child :
        ProcessHandle.of(pid).map(all -> all.descendants().toList()).orElseThrow()) {
      kill(name, child.pid());
    }
  }

  /** The shell has the command built in; the program is in a package that not all machines have. */
  private static int kill(String name, long pid) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start().waitFor();
  }
}
