package io.woodbird.cli.model;

/**
 * One verb of the command line. Another jar on the class path adds a verb by naming its class as a
 * service of this type ({@code META-INF/services/io.woodbird.cli.model.Verb}).
 */
public interface Verb {
  /** What it is and takes. */
  Spec spec();

  /**
   * Does the work.
   *
   * @param call the arguments, and where to read and write
   * @return the exit code, see {@link io.woodbird.cli.say.ExitCode}
   * @throws Exception a {@link io.woodbird.cli.say.Failure} for what the user should know; anything
   *     else is translated, or reported as a bug
   */
  int run(Call call) throws Exception;
}
