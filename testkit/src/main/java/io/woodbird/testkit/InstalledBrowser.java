package io.woodbird.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Chromium or Chrome of this machine, and the driver that belongs to it.
 *
 * <p>{@code -Dwoodbird.browser} and {@code -Dwoodbird.browser.driver} name the two programs;
 * without them they come from the path. Browser and driver must be of the same version.
 *
 * @param program the browser
 * @param driver its {@code chromedriver}
 */
public record InstalledBrowser(Path program, Path driver) {
  /** Names the browser. */
  public static final String PROGRAM = "woodbird.browser";

  /** Names the driver. */
  public static final String DRIVER = "woodbird.browser.driver";

  /**
   * Looks for them.
   *
   * @return both, or nothing if one of them is not installed
   * @throws IllegalStateException if a property names what is no program
   */
  public static Optional<InstalledBrowser> find() {
    Optional<Path> program = find(PROGRAM, "chromium", "google-chrome");
    Optional<Path> driver = find(DRIVER, "chromedriver");
    return program.flatMap(one -> driver.map(other -> new InstalledBrowser(one, other)));
  }

  private static Optional<Path> find(String property, String... names) {
    String given = System.getProperty(property, "");
    if (!given.isEmpty()) {
      if (!Files.isExecutable(Path.of(given))) {
        throw new IllegalStateException(property + " is no program: " + given);
      }
      return Optional.of(Path.of(given));
    }
    List<String> places = List.of(System.getenv("PATH").split(File.pathSeparator, -1));
    return Stream.of(names)
        .flatMap(name -> places.stream().map(place -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
