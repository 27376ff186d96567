package io.woodbird.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Chromium or Chrome of this machine.
 *
 * <p>{@code -Dwoodbird.browser} names the program; without it, it comes from the path.
 *
 * @param program the browser
 */
public record InstalledBrowser(Path program) {
  /** Names the browser. */
  public static final String PROGRAM = "woodbird.browser";

  /**
   * Looks for it.
   *
   * @return the browser, or nothing if none is installed
   * @throws IllegalStateException if the property names what is no program
   */
  public static Optional<InstalledBrowser> find() {
    String given = System.getProperty(PROGRAM, "");
    if (!given.isEmpty()) {
      if (!Files.isExecutable(Path.of(given))) {
        throw new IllegalStateException(PROGRAM + " is no program: " + given);
      }
      return Optional.of(new InstalledBrowser(Path.of(given)));
    }
    List<String> places = List.of(System.getenv("PATH").split(File.pathSeparator, -1));
    return Stream.of("chromium", "google-chrome")
        .flatMap(name -> places.stream().map(place -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(InstalledBrowser::new);
  }
}
