package io.woodbird.cli;

import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.verb.BenchVerb;
import io.woodbird.cli.verb.BuildVerb;
import io.woodbird.cli.verb.ChangeVerb;
import io.woodbird.cli.verb.CheckVerb;
import io.woodbird.cli.verb.CompletionVerb;
import io.woodbird.cli.verb.ConsoleVerb;
import io.woodbird.cli.verb.ConvertVerb;
import io.woodbird.cli.verb.DeltaVerb;
import io.woodbird.cli.verb.DemoVerb;
import io.woodbird.cli.verb.DiffVerb;
import io.woodbird.cli.verb.HelpVerb;
import io.woodbird.cli.verb.InfoVerb;
import io.woodbird.cli.verb.MergeVerb;
import io.woodbird.cli.verb.NewVerb;
import io.woodbird.cli.verb.PatchVerb;
import io.woodbird.cli.verb.PlanVerb;
import io.woodbird.cli.verb.RedisVerb;
import io.woodbird.cli.verb.SignVerb;
import io.woodbird.cli.verb.VerifyVerb;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** All verbs. Only the one that is called is created, so that a start loads few classes. */
final class Verbs {
  static final List<String> NAMES =
      List.of(
          ("plan build check add remove new diff common merge info verify sign delta patch convert"
                  + " redis console bench demo completion help")
              .split(" ", -1));

  private Verbs() {}

  /** Says which version this is. */
  static String version() {
    String version = Verbs.class.getPackage().getImplementationVersion();
    return version == null ? "from sources" : version;
  }

  /** Returns the verb of a name, or null. */
  static @Nullable Verb find(String name) {
    return switch (name) {
      case "plan" -> new PlanVerb();
      case "build" -> new BuildVerb();
      case "check" -> new CheckVerb();
      case "add" -> new ChangeVerb(false);
      case "remove" -> new ChangeVerb(true);
      case "new" -> new NewVerb();
      case "diff" -> new DiffVerb(false);
      case "common" -> new DiffVerb(true);
      case "merge" -> new MergeVerb();
      case "info" -> new InfoVerb();
      case "verify" -> new VerifyVerb();
      case "sign" -> new SignVerb();
      case "delta" -> new DeltaVerb();
      case "patch" -> new PatchVerb();
      case "convert" -> new ConvertVerb();
      case "redis" -> new RedisVerb();
      case "console" -> new ConsoleVerb();
      case "bench" -> new BenchVerb();
      case "demo" -> new DemoVerb();
      case "completion" -> new CompletionVerb(Verbs::specs);
      case "help" -> new HelpVerb(Verbs::specs, version());
      default -> joined(name);
    };
  }

  /** Returns the verb of another jar on the class path, or null. */
  private static @Nullable Verb joined(String name) {
    for (Verb verb : ServiceLoader.load(Verb.class)) {
      if (verb.spec().name().equals(name)) {
        return verb;
      }
    }
    return null;
  }

  /** The specs of all verbs, those of other jars too. */
  static List<Spec> specs() {
    List<Spec> specs = new ArrayList<>();
    for (String name : NAMES) {
      Verb verb = find(name);
      if (verb != null) {
        specs.add(verb.spec());
      }
    }
    for (Verb verb : ServiceLoader.load(Verb.class)) {
      if (!NAMES.contains(verb.spec().name())) {
        specs.add(verb.spec());
      }
    }
    return specs;
  }
}
