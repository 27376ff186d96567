package io.woodbird.cli;

import io.woodbird.cli.model.Spec;
import java.util.List;

/** The specs of the verbs of this module, without those that a test or another part adds. */
public final class ModelAccess {
  private ModelAccess() {}

  /** All of them, in the order of help. */
  public static List<Spec> ownSpecs() {
    return Verbs.specs().stream().filter(spec -> Verbs.NAMES.contains(spec.name())).toList();
  }
}
