package io.woodbird.spring;

import io.woodbird.guard.Generation;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health of all guards. They are well if all filters are built and nothing is wrong with them.
 * If not, health is UNKNOWN: a guard that can't tell lets requests through, so the application is
 * not down.
 *
 * @param well whether all guards are well
 * @param details what is known of each, by its name
 */
record GuardHealth(boolean well, Map<String, Object> details) {
  static GuardHealth of(Guards guards) {
    boolean well = true;
    Map<String, Object> all = new LinkedHashMap<>();
    for (NamedGuard guard : guards.all()) {
      Map<String, Object> details = new LinkedHashMap<>();
      Generation generation = guard.generation().orElse(null);
      String failure = guard.lastFailure();
      String state = generation == null ? "not built" : "built";
      details.put("state", guard.isDisabled() ? "disabled" : state);
      if (generation != null) {
        details.put("generation", generation.number());
        details.put("keys", generation.keys());
        details.put("builtAt", generation.builtAt().toString());
      }
      details.put("follows", guard.following() != null);
      if (failure != null) {
        details.put("problem", failure);
      }
      well &= guard.isDisabled() || (generation != null && failure == null);
      all.put(guard.name(), details);
    }
    return new GuardHealth(well, all);
  }
}
