package io.woodbird.redis.layout;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.link.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Keys of one shard whose bits one command sets. */
public final class PutGroup {
  private static final byte[] GET = Command.bytes("GET");
  private static final byte[] SET = Command.bytes("SET");
  private static final byte[] I64 = Command.bytes("i64");
  private static final byte[] U1 = Command.bytes("u1");
  private static final byte[] ONE = Command.bytes("1");

  /** Reads identity, life, link and flags of the header, and counts the put: see ShardHeader. */
  private static final List<byte[]> HEAD =
      Stream.of("GET i64 64 INCRBY i64 128 1 GET i64 192 GET i64 256 GET i64 320".split(" ", -1))
          .map(Command::bytes)
          .toList();

  /** Keys per command: the server stands still for some 100 us. */
  public static final int MOST_KEYS = 64;

  /** Which of the two blocks of a pair; all keys of a single block have a first one only. */
  public enum Part {
    FIRST,
    SECOND
  }

  public final int shard;
  public final Part part;
  public final int[] indexes = new int[MOST_KEYS];
  public final int[] bits = new int[MOST_KEYS];
  public int count;

  /** Whether a script is sent with its text: a server has said that it does not know it. */
  public boolean withText;

  public PutGroup(int shard, Part part) {
    this.shard = shard;
    this.part = part;
  }

  /**
   * Whether the two blocks of a pair are one. They may share bits, and then the first would
   * complete the second; so the bits of both are set as those of the first, which decides.
   */
  public static boolean inOneBlock(Generation generation, long hash) {
    long blocks = generation.layout().blockCount();
    return generation.pair()
        && BlockedBloom.block(hash, blocks) == BlockedBloom.block(BlockedBloom.other(hash), blocks);
  }

  public Command command(GenerationView live, long[] hashes) {
    if (live.generation.cellBits() == Generation.WINDOW_BITS) {
      return script(Script.WINDOW, live, intoWindow(live, hashes));
    }
    if (live.generation.grows()) {
      return script(Script.GROW, live, intoLevels(live, hashes));
    }
    List<byte[]> arguments = new ArrayList<>(17 + 32 * count);
    arguments.add(live.keys[shard]);
    arguments.addAll(HEAD);
    long[] words = new long[BlockedBloom.WORDS];
    for (int i = 0; i < count; i++) {
      long hash = part == Part.FIRST ? hashes[indexes[i]] : BlockedBloom.other(hashes[indexes[i]]);
      BlockedBloom layout = live.generation.layout();
      Arrays.fill(words, 0);
      layout.addTo(words, hash);
      if (part == Part.FIRST && inOneBlock(live.generation, hash)) {
        layout.addTo(words, BlockedBloom.other(hash));
      }
      long offset = live.generation.offsetOf(BlockedBloom.block(hash, layout.blockCount()));
      if (live.generation.cellBits() == 1) {
        bits[i] = addBits(arguments, offset, words);
      } else {
        if (i == 0) {
          arguments.add(Counters.OVERFLOW);
          arguments.add(Counters.SATURATE);
        }
        bits[i] = Counters.addIncrements(arguments, offset, words);
      }
    }
    return Command.of(Command.Name.BITFIELD, arguments.toArray(byte[][]::new));
  }

  private Command script(Script script, GenerationView live, byte[][] arguments) {
    Arrays.fill(bits, 0, count, 1); // It answers with one number for each key.
    Command command = live.script(script, shard, arguments);
    return withText ? command : script.bySha(command);
  }

  /** What window.lua takes. */
  private byte[][] intoWindow(GenerationView live, long[] hashes) {
    BlockedBloom layout = live.generation.layout();
    int most = bitsOf(layout);
    byte[][] arguments = new byte[3 + most * count][];
    arguments[0] = Command.bytes(live.generation.spanMillis());
    arguments[1] = Command.bytes(live.generation.partKeys(shard));
    arguments[2] = Command.bytes(most);
    int at = 3;
    for (int i = 0; i < count; i++) {
      long hash = hashes[indexes[i]];
      long offset = live.generation.offsetOf(BlockedBloom.block(hash, layout.blockCount()));
      at = addPositions(arguments, at, live.generation, hash, offset);
    }
    return arguments;
  }

  /** What grow.lua takes: of as many levels as are known, and further ones with room for all. */
  private byte[][] intoLevels(GenerationView live, long[] hashes) {
    Generation generation = live.generation;
    int most = generation.mostLevels();
    int levels = Math.min(live.levels(), most);
    for (long room = 0; levels < most && room < count; levels++) {
      room += generation.levelKeys(levels);
    }
    byte[][] arguments =
        new byte[3 + 2 * levels + count * (levels + bitsOf(generation.layout()))][];
    arguments[0] = Command.bytes(bitsOf(generation.layout()));
    arguments[1] = Command.bytes(levels);
    arguments[2] = Command.bytes(most);
    int at = 3;
    for (int level = 0; level < levels; level++) {
      arguments[at++] = Command.bytes(generation.bytesIn(shard, level + 1));
      arguments[at++] = Command.bytes(generation.levelKeys(level));
    }
    for (int i = 0; i < count; i++) {
      long hash = hashes[indexes[i]];
      for (int level = 0; level < levels; level++) {
        long place = generation.place(hash, level);
        arguments[at++] = Command.bytes(8 * (ShardHeader.BYTES + place * generation.blockBytes()));
      }
      at = addPositions(arguments, at, generation, hash, 0);
    }
    return arguments;
  }

  private static int bitsOf(BlockedBloom layout) {
    return layout.shape().words() * layout.shape().bits();
  }

  /**
   * Adds the positions of the bits of a key whose block is at an offset; returns where it ended.
   */
  private static int addPositions(
      byte[][] arguments, int from, Generation generation, long hash, long offset) {
    int at = from;
    int end = from + bitsOf(generation.layout());
    long[] words = wordsOf(generation, hash);
    for (int word = 0; word < words.length; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        arguments[at++] = Command.bytes(position(offset, word, Long.numberOfTrailingZeros(rest)));
      }
    }
    // Bits of a key may be the same: then the last is said again.
    Arrays.fill(arguments, at, end, arguments[at - 1]);
    return end;
  }

  /** The command that looks at the words of the second blocks of the keys of this group. */
  public Command look(GenerationView live, long[] hashes) {
    List<byte[]> arguments = new ArrayList<>(1 + 12 * count);
    arguments.add(live.keys[shard]);
    for (int i = 0; i < count; i++) {
      long hash = BlockedBloom.other(hashes[indexes[i]]);
      long[] words = wordsOf(live.generation, hash);
      long offset = live.generation.offsetOf(blockOf(live.generation, hash));
      bits[i] = 0;
      for (int word = 0; word < words.length; word++) {
        if (words[word] != 0) {
          arguments.add(GET);
          arguments.add(I64);
          arguments.add(Command.bytes((offset + 8L * word) * 8));
          bits[i]++;
        }
      }
    }
    return Command.of(Command.Name.BITFIELD_RO, arguments.toArray(byte[][]::new));
  }

  /** Whether the words of a second block, as {@link #look} saw them, have all bits of a hash. */
  public static boolean complete(Generation generation, long hash, List<?> seen) {
    int at = 0;
    for (long wanted : wordsOf(generation, BlockedBloom.other(hash))) {
      if (wanted != 0) {
        // BITFIELD reads the highest byte first.
        boolean has =
            seen.get(at++) instanceof Long word && (wanted & ~Long.reverseBytes(word)) == 0;
        if (!has) {
          return false;
        }
      }
    }
    return true;
  }

  private static long[] wordsOf(Generation generation, long hash) {
    long[] words = new long[BlockedBloom.WORDS];
    generation.layout().addTo(words, hash);
    return words;
  }

  private static long blockOf(Generation generation, long hash) {
    return BlockedBloom.block(hash, generation.layout().blockCount());
  }

  /** Words lie with their lowest byte first; Redis counts a byte's bits from the highest. */
  private static long position(long offset, int word, int bit) {
    return (offset + 8L * word) * 8 + (bit & ~7) + (7 - (bit & 7));
  }

  private static int addBits(List<byte[]> arguments, long offset, long[] words) {
    int bits = 0;
    for (int word = 0; word < words.length; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        arguments.add(SET);
        arguments.add(U1);
        arguments.add(Command.bytes(position(offset, word, Long.numberOfTrailingZeros(rest))));
        arguments.add(ONE);
        bits++;
      }
    }
    return bits;
  }
}
