package io.woodbird.testkit.museum;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A program that compiles the changed files of one bug of the museum, for {@code stress/run}. */
final class MutantClasses {
  private MutantClasses() {}

  /**
   * Runs.
   *
   * @param args the project, the name of the bug, the folder for the classes, the class path
   */
  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    Path into = Path.of(args[2]);
    List<Mutant> named =
        Mutant.all(root).stream().filter(mutant -> mutant.name().equals(args[1])).toList();
    if (named.isEmpty()) {
      System.err.println("the museum has no bug with the name " + args[1]);
      System.exit(2);
    }
    Files.createDirectories(into);
    for (var file : named.get(0).applyTo(root).entrySet()) {
      if (!MuseumRun.compile(file.getKey(), file.getValue(), into, args[3])) {
        System.exit(1);
      }
    }
  }
}
