package io.woodbird.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The fuzzers' corpus and a fixed number of mutations of it: the part of fuzzing that takes the
 * same few seconds in every build, and tries the same inputs.
 */
class MutationTest {
  private static final long SEED = 0xf022;
  private static final int MOST_BYTES = 20_000;

  /** A fuzz target and the folder of its corpus. */
  enum Target {
    FILTER("filter", FuzzTargets::filter),
    SEALED_FILTER("sealedFilter", FuzzTargets::sealedFilter),
    SEALED_FOREIGN("sealedForeign", FuzzTargets::sealedForeign),
    JOURNAL("journal", FuzzTargets::journal),
    SEALED_JOURNAL("sealedJournal", FuzzTargets::sealedJournal);

    private final String folder;
    private final Consumer<byte[]> target;

    Target(String folder, Consumer<byte[]> target) {
      this.folder = folder;
      this.target = target;
    }

    List<byte[]> corpus() throws IOException {
      Path path =
          Path.of(System.getProperty("basedir", "."), "src/test/resources/io/woodbird/file")
              .resolve("FileFuzzTestInputs")
              .resolve(folder);
      List<byte[]> corpus = new ArrayList<>();
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : files.sorted().toList()) {
          corpus.add(Files.readAllBytes(file));
        }
      }
      return corpus;
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCorpus_isRefusedOrRead(Target target) throws IOException {
    target.corpus().forEach(target.target);
  }

  @ParameterizedTest
  @EnumSource
  void mutations_areRefusedOrRead(Target target) throws IOException {
    // A fault that one input in 500 shows is missed once in 150 runs (e^-5). One in 50,000, by the
    // slow ones.
    mutate(target, 2500);
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource
  void aMillionMutationsInAll_areRefusedOrRead(Target target) throws IOException {
    mutate(target, 250_000);
  }

  @Test
  void theCorpus_isThere() throws IOException {
    for (Target target : Target.values()) {
      if (target.corpus().size() < 5) {
        throw new AssertionError("too few inputs for " + target.folder);
      }
    }
  }

  private static void mutate(Target target, int runs) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    List<byte[]> corpus = target.corpus();
    for (int run = 0; run < runs; run++) {
      byte[] bytes = corpus.get(random.nextInt(corpus.size()));
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        bytes = mutated(bytes, corpus.get(random.nextInt(corpus.size())), random);
      }
      try {
        target.target.accept(bytes);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + SEED + ", run " + run + ", as " + saved(bytes), e);
      }
    }
  }

  private static byte[] mutated(byte[] bytes, byte[] other, SplittableRandom random) {
    if (bytes.length == 0) {
      return other;
    }
    byte[] copy = bytes.clone();
    int at = random.nextInt(copy.length);
    int end = at + Math.min(copy.length - at, 1 + random.nextInt(64));
    switch (random.nextInt(8)) {
      case 0 -> copy[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> copy[at] = (byte) random.nextInt();
      case 2 -> Arrays.fill(copy, at, end, (byte) (random.nextBoolean() ? 0 : -1));
      case 3 -> copy = Arrays.copyOf(copy, random.nextInt(Math.min(MOST_BYTES, 2 * copy.length)));
      case 4 -> System.arraycopy(other, 0, copy, at, Math.min(other.length, copy.length - at));
      case 5 -> copy = joined(Arrays.copyOf(copy, at), Arrays.copyOfRange(copy, end, copy.length));
      case 6 -> copy = joined(Arrays.copyOf(copy, end), Arrays.copyOfRange(copy, at, copy.length));
      default -> {
        int aligned = at & -8;
        if (aligned + 8 <= copy.length) {
          Surgery.view(copy).putLong(aligned, random.nextLong() >>> random.nextInt(64));
        }
      }
    }
    return copy;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, Math.min(MOST_BYTES, first.length + second.length));
    System.arraycopy(second, 0, both, first.length, both.length - first.length);
    return both;
  }

  /** An input that fails is worth keeping: it belongs into the corpus. */
  private static String saved(byte[] bytes) {
    try {
      Path path = Files.createTempFile("woodbird-failing", ".bin");
      return Files.write(path, bytes)
          + ": "
          + HexFormat.of().formatHex(bytes, 0, Math.min(64, bytes.length));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
