package io.woodbird.redis.sim;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A defect that the simulation must find: of a server that lies, or of one of our scripts.
 *
 * @param name for people
 * @param lie what servers do wrong
 * @param script a part of the first line of the script that is changed, or ""
 * @param from a part of that script
 * @param to what stands in its place
 */
record Mutant(String name, Lie lie, String script, String from, String to) {
  /** What servers do wrong. */
  enum Lie {
    NONE,
    /** The replication id is always the same. */
    SAME_ID,
    /** A replica says that it is a master. */
    ALWAYS_MASTER,
    /** Some BITFIELD is acknowledged and not kept. */
    FORGETS_BITS,
    /** WAIT and WAITAOF confirm what is not so. */
    CONFIRMS_ALL
  }

  static final Mutant NONE = new Mutant("none", Lie.NONE, "", "", "");

  private static final Set<String> APPLIED = new HashSet<>();

  static Mutant lie(Lie lie) {
    return new Mutant(lie.name(), lie, "", "", "");
  }

  static Mutant script(String name, String script, String from, String to) {
    return new Mutant(name, Lie.NONE, script, from, to);
  }

  /** Whether a script was met that it changes; else a control proves nothing. */
  synchronized boolean wasApplied() {
    return lie != Lie.NONE || APPLIED.contains(name);
  }

  boolean confirmsAll() {
    return lie == Lie.CONFIRMS_ALL;
  }

  @Nullable Object run(Node node, byte[][] words) {
    if (lie == Lie.NONE && script.isEmpty()) {
      return node.run(words);
    }
    if (!script.isEmpty() && words[0].length == 4 && words[0][1] == 'V') {
      return node.run(edited(words));
    }
    String name = Reply.text(words[0]);
    Object reply = node.run(forgets(name, words) ? lookOnly(words) : words);
    if (name.equals("INFO") && reply instanceof byte[] info) {
      return Reply.bytes(lied(Reply.text(info)));
    }
    return reply;
  }

  private byte[][] edited(byte[][] words) {
    String text = Reply.text(words[1]);
    int end = text.indexOf('\n');
    if (end < 0 || !text.substring(0, end).contains(script) || !text.contains(from)) {
      return words;
    }
    synchronized (Mutant.class) {
      APPLIED.add(name);
    }
    byte[][] other = words.clone();
    other[1] = Reply.bytes(text.replace(from, to));
    return other;
  }

  private boolean forgets(String command, byte[][] words) {
    return lie == Lie.FORGETS_BITS
        && command.equals("BITFIELD")
        && words.length > 20
        && words[words.length - 2].length % 3 == 0;
  }

  /** The command without its last step, which sets a bit. */
  private static byte[][] lookOnly(byte[][] words) {
    byte[][] other = words.clone();
    other[other.length - 1] = Reply.bytes("0");
    return other;
  }

  private String lied(String info) {
    return switch (lie) {
      case SAME_ID -> info.replaceAll("master_replid:[0-9a-f]*", "master_replid:" + "a".repeat(40));
      case ALWAYS_MASTER -> info.replace("role:slave", "role:master");
      default -> info;
    };
  }
}
