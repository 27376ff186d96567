package io.woodbird.console;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What the filters of a family can do, for display; a test compares it with filters really built.
 */
enum Abilities {
  BLOOM(EnumSet.of(Ability.PUT, Ability.MERGE, Ability.DURABLE)),
  BLOOM_CLASSIC(EnumSet.of(Ability.PUT, Ability.MERGE, Ability.DURABLE)),
  RIBBON(EnumSet.of(Ability.FIXED)),
  FUSE(EnumSet.of(Ability.FIXED)),
  DELETABLE(EnumSet.of(Ability.PUT, Ability.DELETE, Ability.MERGE, Ability.COUNT)),
  COUNTING(EnumSet.of(Ability.PUT, Ability.DELETE, Ability.MERGE)),
  GROWING(EnumSet.of(Ability.PUT, Ability.DELETE, Ability.GROW, Ability.MERGE)),
  WINDOW(EnumSet.of(Ability.PUT, Ability.WINDOW));

  /** One thing that some filters can do; the page has a word for each. */
  enum Ability {
    /** Takes keys one by one. */
    PUT,
    /** Gives keys back. */
    DELETE,
    /** Takes any number of keys. */
    GROW,
    /** Forgets keys after a time. */
    WINDOW,
    /** Takes the keys of another filter like it. */
    MERGE,
    /** Knows exactly how many keys it has. */
    COUNT,
    /** Can keep a journal, so that its keys survive a crash. */
    DURABLE,
    /** Is built once, from keys that are all known. */
    FIXED,
    /** Answers from a mapped file. */
    MAP
  }

  private final Set<Ability> all;

  Abilities(EnumSet<Ability> own) {
    own.add(Ability.MAP); // Woodbird.open takes a file of any family.
    all = own;
  }

  /** The name that plans have for it. */
  String family() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Set<Ability> all() {
    return EnumSet.copyOf(all);
  }
}
