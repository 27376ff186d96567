package io.woodbird.bench;

import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.util.List;
import org.openjdk.jol.info.GraphLayout;

/**
 * Fills one rival for each fpp, and measures its size and its fpp. {@link SpaceSection} starts it.
 */
final class SpaceProbe {
  private SpaceProbe() {}

  /** The arguments are n and the rival. */
  public static void main(String[] args) {
    long n = Long.parseLong(args[0]);
    RivalKind who = RivalKind.of(args[1]);
    List<Double> fpps = who.takesFpp() ? SpaceSection.FPPS : List.of(RivalKind.FPP);
    for (double fpp : fpps) {
      if (who.takesLongs()) {
        measure(who.longs(n, fpp), KeyKind.LONGS, n, fpp);
      } else {
        measure(who.strings(n, fpp), KeyKind.STRINGS, n, fpp);
      }
    }
  }

  private static <A> void measure(Rival<A> rival, KeyKind<A> kind, long n, double fpp) {
    Filling.fill(rival, kind, n);
    Filling.requireAllKeys(rival, kind, n);
    int trials = kind.equals(KeyKind.LONGS) ? trials(fpp) : trials(fpp) >> 3;
    String at = "/" + fpp;
    System.out.print(Forks.line("bitsPerKey" + at, (double) rival.bits() / n));
    System.out.print(Forks.line("fpp" + at, Filling.fpp(rival, kind, n, trials)));
    // The whole object with all it holds: nobody's own word for it.
    double heapBits = 8.0 * GraphLayout.parseInstance(rival).totalSize() / n;
    System.out.print(Forks.line("heapBitsPerKey" + at, heapBits));
    rival.close();
  }

  /** So many questions that some hundreds find a false positive. */
  static int trials(double fpp) {
    return fpp > 0.005 ? 1 << 21 : 1 << 23;
  }
}
