package io.woodbird.cli.verb;

import io.woodbird.cli.lines.ScratchFile;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import io.woodbird.console.shared.FileHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/**
 * What to build.
 *
 * @param family as {@code plan} calls it
 * @param keys how many there will be, or 0 to count them
 * @param fpp if there is no budget
 * @param budget the most bytes of the file, or 0
 * @param seed of the hash function
 * @param memory for hashes
 * @param folder for temporary files
 */
record BuildOrder(
    String family, long keys, double fpp, long budget, long seed, long memory, Path folder) {
  private static final long DEFAULT_MEMORY = 1L << 30;

  /** Reads the options of {@code build}. */
  static BuildOrder of(Call call) throws IOException {
    for (String own : List.of("family", "keys", "fpp", "seed", "budget")) {
      call.exclude("like", own);
    }
    call.exclude("fpp", "budget");
    FileHeader like = null;
    String likeName = call.text("like");
    if (likeName != null) {
      like = Filters.header(Source.pathOf(likeName));
      if (!like.isBloom()) {
        throw Problem.WRONG_FAMILY.failure(
            likeName + " is a " + like.family() + " filter, which can't be merged.",
            "Only bloom and bloom-classic filters can.",
            "--family bloom");
      }
    }
    if (call.text("family", "").equals("growing") && call.has("budget")) {
      throw Problem.CONFLICT.failure(
          "--family growing and --budget exclude each other.",
          "A growing filter has no largest size.",
          "-p P (what 'plan' says for the budget)",
          "--family deletable");
    }
    String seed = call.text("seed");
    return new BuildOrder(
        like == null ? Family.named(call.text("family", "bloom")) : like.family(),
        like == null ? call.count("keys", 0) : like.expectedKeys(),
        like == null ? call.probability("fpp", 0.01) : like.promisedFpp(),
        like == null ? call.size("budget", 0) : Filters.budget(like),
        like != null ? like.seed() : seed == null ? new SecureRandom().nextLong() : seed(seed),
        memory(call),
        ScratchFile.folder(call));
  }

  /** The memory for hashes: {@code --memory}, but not more than half of the heap. */
  static long memory(Call call) {
    return Math.min(call.size("memory", DEFAULT_MEMORY), Runtime.getRuntime().maxMemory() / 2);
  }

  private static long seed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw Problem.BAD_VALUE.failure(
          "--seed \"" + text + "\" is not a number.",
          "It is any whole number of 64 bits.",
          "--seed 42");
    }
  }

  /** Whether all keys must be known, and none can be added later. */
  boolean frozen() {
    return List.of("ribbon", "fuse", "map", "exact").contains(family);
  }

  /** Whether the filter knows how many keys it holds. */
  boolean exact() {
    return frozen() || (counts() && !family.equals("counting"));
  }

  /** Whether it holds a line as often as it was read. */
  boolean counts() {
    return Family.abilityList(family).contains("delete");
  }
}
