package io.woodbird.example.blocklist;

import io.woodbird.IncompatibleFilterException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The edge as a process of its own: two threads ask for hosts that every list has, without a pause,
 * while new lists arrive. Each line on stdin is a host to ask for; its end is the end.
 */
final class EdgeProcess {
  private static final int ASKERS = 2;
  private static volatile boolean ended;

  private EdgeProcess() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    try (Edge edge = new Edge(Path.of(arguments[0]))) {
      System.out.printf(
          "opened %,d bytes in %.1f ms%n", edge.bytes(), (System.nanoTime() - begun) / 1e6);
      AtomicLong asked = new AtomicLong();
      AtomicLong missed = new AtomicLong();
      Thread[] threads = new Thread[ASKERS + 1];
      for (int t = 0; t < ASKERS; t++) {
        threads[t] = new Thread(() -> ask(edge, asked, missed));
      }
      threads[ASKERS] = new Thread(() -> watch(edge));
      for (Thread thread : threads) {
        thread.start();
      }
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String host = in.readLine(); host != null; host = in.readLine()) {
        System.out.println(host + (edge.blocks(host) ? " is blocked" : " passes"));
      }
      ended = true;
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.printf("asked %,d times meanwhile, missed %,d%n", asked.get(), missed.get());
    }
  }

  private static void ask(Edge edge, AtomicLong asked, AtomicLong missed) {
    for (long i = 0; !ended; i++) {
      if (!edge.blocks(Rollout.host(i % 1000))) {
        missed.incrementAndGet();
      }
      asked.incrementAndGet();
    }
  }

  private static void watch(Edge edge) {
    while (!ended) {
      try {
        if (edge.takeArrived()) {
          System.out.printf("swapped to %,d bytes%n", edge.bytes());
        }
        Thread.sleep(20);
      } catch (IOException | IncompatibleFilterException e) {
        System.out.println("refused: " + e.getMessage());
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
