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
  private static final byte[] INCRBY = Command.bytes("INCRBY");
  private static final byte[] U4 = Command.bytes("u4");
  private static final List<byte[]> SATURATED =
      List.of(Command.bytes("OVERFLOW"), Command.bytes("SAT"));

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

  /** The levels that a shard was known to have, at most, when the command was made. */
  public int knownLevels = Integer.MAX_VALUE;

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
  public static boolean inOneBlock(GenerationSpec generation, long hash) {
    long blocks = generation.layout().blockCount();
    return generation.pair()
        && BlockedBloom.block(hash, blocks) == BlockedBloom.block(BlockedBloom.other(hash), blocks);
  }

  public Command command(GenerationView live, long[] hashes) {
    if (live.generation.cellBits() == GenerationSpec.WINDOW_BITS) {
      return script(Script.WINDOW, live, intoWindow(live, hashes));
    }
    if (live.generation.grows()) {
      return script(Script.GROW, live, intoLevels(live, hashes));
    }
    boolean counts = live.generation.cellBits() == 4;
    byte[] write = counts ? INCRBY : SET;
    byte[] type = counts ? U4 : U1;
    List<byte[]> arguments = new ArrayList<>(19 + 32 * count);
    arguments.add(live.keys[shard]);
    arguments.addAll(HEAD);
    if (counts) {
      arguments.addAll(SATURATED);
    }
    List<byte[]> places = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long hash = part == Part.FIRST ? hashes[indexes[i]] : BlockedBloom.other(hashes[indexes[i]]);
      long[] words = wordsOf(live.generation, hash);
      if (part == Part.FIRST && inOneBlock(live.generation, hash)) {
        live.generation.layout().addTo(words, BlockedBloom.other(hash));
      }
      places.clear();
      addPlaces(places, live.generation, words, live.generation.offset(hash, 0));
      for (byte[] place : places) {
        arguments.add(write);
        arguments.add(type);
        arguments.add(place);
        arguments.add(ONE);
      }
      bits[i] = places.size();
    }
    return Command.of(Command.Name.BITFIELD, arguments.toArray(byte[][]::new));
  }

  private Command script(Script script, GenerationView live, List<byte[]> arguments) {
    Arrays.fill(bits, 0, count, 1); // It answers with one number for each key.
    Command command = live.script(script, shard, arguments.toArray());
    return withText ? command : script.bySha(command);
  }

  /** What window.lua takes. */
  private List<byte[]> intoWindow(GenerationView live, long[] hashes) {
    GenerationSpec generation = live.generation;
    List<byte[]> arguments =
        bytes(generation.spanMillis(), generation.partKeys(shard), bitsOf(generation.layout()));
    for (int i = 0; i < count; i++) {
      long hash = hashes[indexes[i]];
      addAllPlaces(arguments, generation, hash, generation.offset(hash, 0));
    }
    return arguments;
  }

  /** What grow.lua takes: of as many levels as are known, and further ones with room for all. */
  private List<byte[]> intoLevels(GenerationView live, long[] hashes) {
    GenerationSpec generation = live.generation;
    int most = generation.mostLevels();
    int levels = Math.min(live.levels(), most);
    knownLevels = levels;
    for (long room = 0; levels < most && room < count; levels++) {
      room += generation.levelKeys(levels);
    }
    List<byte[]> arguments = bytes(bitsOf(generation.layout()), levels, most);
    for (int level = 0; level < levels; level++) {
      arguments.addAll(bytes(generation.bytesIn(shard, level + 1), generation.levelKeys(level)));
    }
    for (int i = 0; i < count; i++) {
      long hash = hashes[indexes[i]];
      for (int level = 0; level < levels; level++) {
        arguments.add(Command.bytes(8 * generation.offset(hash, level)));
      }
      addAllPlaces(arguments, generation, hash, 0);
    }
    return arguments;
  }

  private static List<byte[]> bytes(long... numbers) {
    List<byte[]> bytes = new ArrayList<>();
    for (long number : numbers) {
      bytes.add(Command.bytes(number));
    }
    return bytes;
  }

  private static int bitsOf(BlockedBloom layout) {
    return layout.shape().words() * layout.shape().bits();
  }

  /** Adds the place of each bit of a key; some may be the same: then the last is said again. */
  private static void addAllPlaces(
      List<byte[]> to, GenerationSpec generation, long hash, long offset) {
    int end = to.size() + bitsOf(generation.layout());
    addPlaces(to, generation, wordsOf(generation, hash), offset);
    while (to.size() < end) {
      to.add(to.get(to.size() - 1));
    }
  }

  /**
   * Adds the places of the bits of some words, or of their counters, in a shard.
   *
   * @param offset where their block begins
   */
  public static void addPlaces(
      List<byte[]> to, GenerationSpec generation, long[] words, long offset) {
    for (int word = 0; word < words.length; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        int bit = Long.numberOfTrailingZeros(rest);
        // Words are stored with their lowest byte first; Redis counts a byte's bits from the
        // highest.
        to.add(
            Command.bytes(
                generation.cellBits() == 4
                    ? 8 * offset + 4L * (64L * word + bit)
                    : (offset + 8L * word) * 8 + (bit & ~7) + (7 - (bit & 7))));
      }
    }
  }

  /** The command that looks at the words of the second blocks of the keys of this group. */
  public Command look(GenerationView live, long[] hashes) {
    List<byte[]> arguments = new ArrayList<>(1 + 12 * count);
    arguments.add(live.keys[shard]);
    for (int i = 0; i < count; i++) {
      long hash = BlockedBloom.other(hashes[indexes[i]]);
      long[] words = wordsOf(live.generation, hash);
      long offset = live.generation.offset(hash, 0);
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
  public static boolean complete(GenerationSpec generation, long hash, List<?> seen) {
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

  /**
   * Returns the bits of a word whose counters are above 0. The counter of bit b of word w is number
   * 64 w + b of the block's 512, and two are in a byte, the first in its upper half.
   */
  public static long positive(byte[] block, int word) {
    long bits = 0;
    for (int pair = 0; pair < 32; pair++) {
      int two = block[32 * word + pair];
      bits |= (two & 0xf0) != 0 ? 1L << (2 * pair) : 0;
      bits |= (two & 0x0f) != 0 ? 2L << (2 * pair) : 0;
    }
    return bits;
  }

  /** The bits of a hash in its block. */
  public static long[] wordsOf(GenerationSpec generation, long hash) {
    long[] words = new long[BlockedBloom.WORDS];
    generation.layout().addTo(words, hash);
    return words;
  }
}
