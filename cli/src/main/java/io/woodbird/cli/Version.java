package io.woodbird.cli;

/** Which version this is. */
final class Version {
  private Version() {}

  static String text() {
    String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "from sources" : version;
  }
}
