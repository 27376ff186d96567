package io.woodbird.bench;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds one frozen file from a stream and says what it took. {@link BuildToSection} starts it. */
final class BuildToProbe {
  /** On two cores it leaves room for ten million hashes. */
  private static final long MEMORY_LIMIT = 500_000_000;

  private BuildToProbe() {}

  /** The argument is n. */
  public static void main(String[] args) throws IOException {
    long n = Long.parseLong(args[0]);
    Memory.watch();
    Path file = Files.createTempFile("woodbird-bench", ".wbird");
    try {
      long start = System.nanoTime();
      Woodbird.frozen(Keys.strings())
          .fpp(0.01)
          .memoryLimit(MEMORY_LIMIT)
          .buildTo(file, KeyKind.urls(n));
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.print(Forks.line("buildSeconds", seconds));
      System.out.print(Forks.line("buildNanosPerKey", seconds * 1e9 / n));
      System.out.print(Forks.line("fileBytes", Files.size(file)));
      System.out.print(Forks.line("peakHeapBytes", Memory.peakHeapBytes()));
      System.out.print(Forks.line("peakLiveBytes", Memory.peakLiveBytes()));
      System.out.print(Forks.line("peakResidentBytes", Memory.peakResidentBytes()));
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
