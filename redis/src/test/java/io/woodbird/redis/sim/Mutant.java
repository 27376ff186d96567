package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A defect that the simulation must find: of a server that lies, or of one of our scripts.
 *
 * @param name for people
 * @param lie what servers do wrong
 * @param script a part of the first line of the script that is changed, or ""
 * @param from a part of that script
 * @param to what stands in its place
 * @param edited what came of the scripts that were met: each is the same array each time, and so is
 *     what it becomes
 */
record Mutant(
    String name, Lie lie, String script, String from, String to, Map<byte[], byte[]> edited) {
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
    CONFIRMS_ALL,
    /** Nothing is deleted. */
    KEEPS_ALL,
    /** Nobody can list the names of keys, and every opening may make the filter. */
    LISTS_NOTHING,
    /** The header of a shard always says that it has one level. */
    HIDES_LEVELS,
    /** Of the writes of one call, all but the first do not see that somebody follows. */
    FEEDS_BY_FIRST
  }

  static final Mutant NONE = new Mutant("none", Lie.NONE, "", "", "", Map.of());

  /** Where the flags stand in the reply to a put. */
  private static final int FLAGS = 4;

  /** The length of a header, and where it has the low byte of the number of levels. */
  private static final int HEADER = 64;

  private static final int LEVELS = 57;

  static Mutant lie(Lie lie) {
    return new Mutant(lie.name(), lie, "", "", "", Map.of());
  }

  static Mutant script(String name, String script, String from, String to) {
    return new Mutant(name, Lie.NONE, script, from, to, new IdentityHashMap<>());
  }

  /** Whether a script was met that it changes; else a control proves nothing. */
  boolean wasApplied() {
    return script.isEmpty()
        || edited.entrySet().stream().anyMatch(entry -> entry.getKey() != entry.getValue());
  }

  /** Whether the one defect and the other come together. */
  Mutant and(Lie other) {
    return new Mutant(name, other, script, from, to, edited);
  }

  /** Whether every opening makes the filter, as it once did. */
  boolean makes() {
    return lie == Lie.LISTS_NOTHING;
  }

  /** Changes what a client sees of its writes. */
  void hide(List<byte[][]> commands, Object[] replies) {
    boolean first = true;
    for (int i = 0; lie == Lie.FEEDS_BY_FIRST && i < replies.length; i++) {
      if (Reply.text(commands.get(i)[0]).equals("BITFIELD")
          && replies[i] instanceof List<?> numbers
          && numbers.size() > FLAGS
          && numbers.get(FLAGS) instanceof Long flags) {
        if (!first) {
          List<Object> other = new ArrayList<>(numbers);
          other.set(FLAGS, flags & Long.MAX_VALUE);
          replies[i] = other;
        }
        first = false;
      }
    }
  }

  boolean confirmsAll() {
    return lie == Lie.CONFIRMS_ALL;
  }

  @Nullable Object run(Node node, byte[][] words) {
    if (lie == Lie.NONE && script.isEmpty()) {
      return node.run(words);
    }
    if (lie == Lie.KEEPS_ALL && Reply.text(words[1]).startsWith("-- Removes a shard,")) {
      return 0L;
    }
    if (!script.isEmpty() && words[0].length == 4 && words[0][1] == 'V') {
      return node.run(edited(words));
    }
    String name = Reply.text(words[0]);
    if (lie == Lie.KEEPS_ALL && name.equals("UNLINK")) {
      return 0L;
    }
    if (lie == Lie.LISTS_NOTHING && name.equals("SCAN")) {
      return List.<Object>of(Reply.bytes("0"), List.of());
    }
    Object reply = node.run(forgets(name, words) ? lookOnly(words) : words);
    if (lie == Lie.HIDES_LEVELS
        && name.equals("GETRANGE")
        && reply instanceof byte[] header
        && header.length == HEADER
        && Reply.text(words[2]).equals("0")) {
      byte[] other = header.clone();
      other[LEVELS] = 0;
      return other;
    }
    if (name.equals("INFO") && reply instanceof byte[] info) {
      return Reply.bytes(lied(Reply.text(info)));
    }
    return reply;
  }

  private byte[][] edited(byte[][] words) {
    byte[][] other = words.clone();
    other[1] = edited.computeIfAbsent(words[1], this::edit);
    return other;
  }

  private byte[] edit(byte[] source) {
    String text = Reply.text(source);
    int end = text.indexOf('\n');
    return end >= 0 && text.substring(0, end).contains(script) && text.contains(from)
        ? Reply.bytes(text.replace(from, to))
        : source;
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
