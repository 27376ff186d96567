package io.woodbird.console;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What the filters of a family can do, for display; a test compares it with filters really built.
 */
enum Abilities {
  BLOOM,
  BLOOM_CLASSIC,
  RIBBON,
  FUSE,
  DELETABLE,
  COUNTING,
  GROWING,
  WINDOW;

  /** One thing that some filters can do; the page has a word for each. */
  enum Ability {
    /** Takes keys one by one. */
    PUT,
    /** Deletes keys. */
    DELETE,
    /** Takes any number of keys. */
    GROW,
    /** Its keys expire. */
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

  /** The name that plans have for it. */
  String family() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** All that it can do. */
  Set<Ability> all() {
    EnumSet<Ability> all = own();
    all.add(Ability.MAP); // Woodbird.open takes a file of any family.
    return all;
  }

  private EnumSet<Ability> own() {
    return switch (this) {
      case BLOOM, BLOOM_CLASSIC -> EnumSet.of(Ability.PUT, Ability.MERGE, Ability.DURABLE);
      case RIBBON, FUSE -> EnumSet.of(Ability.FIXED);
      case DELETABLE -> EnumSet.of(Ability.PUT, Ability.DELETE, Ability.MERGE, Ability.COUNT);
      case COUNTING -> EnumSet.of(Ability.PUT, Ability.DELETE, Ability.MERGE);
      case GROWING -> EnumSet.of(Ability.PUT, Ability.DELETE, Ability.GROW, Ability.MERGE);
      case WINDOW -> EnumSet.of(Ability.PUT, Ability.WINDOW);
    };
  }
}
