package io.woodbird.bench;

import java.io.IOException;

/** A part of the benchmarks that can be run alone, and becomes one {@link Document}. */
interface Section {
  /** For the command line, and the name of the file. */
  String name();

  /** In words. */
  String title();

  /** About how long it takes. */
  int seconds();

  /** Measures, and judges what is promised about it. */
  void measure(Forks forks, Document document) throws IOException, InterruptedException;
}
