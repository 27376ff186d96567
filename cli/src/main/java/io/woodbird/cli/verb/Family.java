package io.woodbird.cli.verb;

import java.util.List;
import java.util.stream.Stream;

/** The families of filters, in words. */
final class Family {
  private static final List<String> BUILDABLE =
      List.of(
          "bloom bloom-classic ribbon fuse map exact deletable counting growing window"
              .split(" ", -1));

  /** What {@code build --family} takes: the families, and "frozen" for the smallest of a list. */
  static final String[] CHOICES =
      Stream.concat(BUILDABLE.stream(), Stream.of("frozen")).toArray(String[]::new);

  private Family() {}

  /** The family of a name that {@code build --family} takes. */
  static String named(String choice) {
    return choice.equals("frozen") ? "ribbon" : choice;
  }

  static boolean buildable(String family) {
    return BUILDABLE.contains(family);
  }

  static List<String> abilityList(String family) {
    return switch (family) {
      case "bloom", "bloom-classic" -> List.of("put", "merge");
      case "deletable", "counting" -> List.of("put", "delete");
      case "growing" -> List.of("put", "delete", "grow");
      case "window" -> List.of("put", "forget");
      default -> List.of();
    };
  }

  static String abilities(String family) {
    return String.join(", ", abilityList(family));
  }

  static String bestFor(String family) {
    return switch (family) {
      case "bloom" -> "guards, streams; the default of build";
      case "bloom-classic" -> "the smallest that takes keys";
      case "ribbon" -> "fixed lists, smallest";
      case "fuse" -> "fixed lists, fast to ask";
      case "deletable" -> "sets that shrink";
      case "counting" -> "deletes as in textbooks";
      case "growing" -> "an unknown number of keys";
      case "window" -> "the last hours, days or keys";
      case "map" -> "which list a key is on";
      case "exact" -> "never wrong about a known world";
      default -> "";
    };
  }
}
