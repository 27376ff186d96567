package io.woodbird.redis.layout;

import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.Generational;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Slots;
import io.woodbird.redis.link.Time;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a filter: all that decides which bit of which Redis key belongs to a hash.
 *
 * @param number from 1 on; part of the names of the keys
 * @param birth random: two generations are never the same, even if all else is
 * @param expectedKeys how many keys the promise holds for
 * @param fpp the promise
 * @param layout how many blocks, and of which shape
 * @param seed of the hash function
 * @param keyId the id of the key encoding
 * @param shardBlocks how many blocks a shard has; the last may have fewer
 * @param cellBits 1 where a bit of the layout is a bit in Redis, 4 where it is a counter, 8 where
 *     it is a bit in each of the eight parts of a window
 * @param hollow whether it only stands for a filter that was never built: it denies nothing
 * @param spanMillis how long a window keeps its keys; 0 for all other filters
 * @param grows whether a shard gets further levels when it is full
 */
public record GenerationSpec(
    long number,
    long birth,
    long expectedKeys,
    double fpp,
    BlockedBloom layout,
    long seed,
    String keyId,
    long shardBlocks,
    int cellBits,
    boolean hollow,
    long spanMillis,
    boolean grows) {
  /*
   * 4 MB a shard: the server stands still for 4 to 9 ms when it ORs one, and no longer. At least 48
   * shards, or 1 KB each: so a small filter too is spread over the masters of a cluster, evenly for
   * 2, 3, 4, 6, 8, 12 or 16 of them.
   */
  private static final long MAX_SHARD_BYTES = 4 << 20;
  private static final int LEAST_SHARDS = 48;
  private static final int LEAST_BLOCKS = 16;

  /** Those of the largest window, which has the fewest blocks in a shard. */
  private static final long MOST_SHARDS = 1 << 15;

  /** The cells of a window: one bit for each of its parts. */
  public static final int WINDOW_BITS = Generational.COUNT;

  /**
   * What stands behind the blocks of a shard of a window, eight bytes each, highest first: the
   * place of the newest part, when it began, how many keys it has taken, and when something was
   * last put into the part of each place (0 if there is none).
   */
  public static final int WINDOW_STATE_BYTES = 8 * (3 + WINDOW_BITS);

  /*
   * In a filter that grows, shards are equal, so a hash stays in its shard on all levels:
   * floor(floor(h * shards * blocks) / blocks) = floor(h * shards), h from 0 to 1.
   */

  /**
   * The levels of a filter that grows, at most. As many as a window has parts: see RedisGrowing.
   */
  public static final int MOST_LEVELS = Generational.COUNT;

  private static final int LEVEL_SHIFT = 2;

  /** The longest string of Redis. */
  private static final long MOST_GROWN_BYTES = 512L << 20;

  private static final Set<Integer> CELLS = Set.of(1, 4, WINDOW_BITS);

  /** Fewer would leave most of a block empty, in each level. */
  private static final long LEAST_GROWING = 100;

  /**
   * The first generation of a filter that grows.
   *
   * @param expectedKeys how many keys the first level takes, at least
   */
  public static GenerationSpec growing(Time time, long expectedKeys, double fpp, String keyId) {
    double each = fpp / MOST_LEVELS;
    long least = Math.max(LEAST_GROWING, expectedKeys);
    long rough = BlockedBloomSize.forFpp(least, each, BlockShape.FOUR_2).blockCount();
    long most = MAX_SHARD_BYTES / (BlockedBloom.BITS / 8);
    long shards = Math.max(Math.min(LEAST_SHARDS, rough), (rough + most - 1) / most);
    // Few blocks are filled more evenly than many: so both the first and the last level count.
    long keys = (least + shards - 1) / shards * shards;
    long last = 1L << (LEVEL_SHIFT * (MOST_LEVELS - 1));
    long first = BlockedBloomSize.forFpp(keys, each, BlockShape.FOUR_2).blockCount();
    long large = BlockedBloomSize.forFpp(keys * last, each, BlockShape.FOUR_2).blockCount();
    long blocks = Math.max(first, (large + last - 1) / last);
    long shardBlocks = (blocks + shards - 1) / shards;
    BlockedBloom layout = new BlockedBloom(shards * shardBlocks, BlockShape.FOUR_2);
    return new GenerationSpec(
        1,
        time.random(),
        keys * shardBlocks / blocks * shards, // Shards have whole blocks, and all of them are used.
        fpp,
        checked(layout, expectedKeys, fpp),
        time.random(),
        keyId,
        shardBlocks,
        1,
        false,
        0,
        true);
  }

  private static BlockedBloom checked(BlockedBloom layout, long expectedKeys, double fpp) {
    if (layout.blockCount() > BlockedBloom.MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "no filter can hold " + expectedKeys + " keys with a fpp of " + fpp);
    }
    return layout;
  }

  /** The first generation of a Bloom filter; its seed is random if none is given. */
  public static GenerationSpec bloom(
      Time time, long expectedKeys, double fpp, @Nullable Long seed, String keyId, boolean hollow) {
    BlockedBloom layout = BlockedBloomSize.forFpp(expectedKeys, fpp);
    return first(time, expectedKeys, fpp, layout, seed, keyId, 1, hollow, 0);
  }

  /** The first generation of a filter with counters. */
  public static GenerationSpec counting(Time time, long expectedKeys, double fpp, String keyId) {
    BlockedBloom layout = BlockedBloomSize.forFpp(expectedKeys, fpp, oneBlock(fpp));
    return first(time, expectedKeys, fpp, layout, null, keyId, 4, false, 0);
  }

  /** The first generation of a window. */
  public static GenerationSpec window(
      Time time, long expectedKeys, double fpp, String keyId, long spanMillis) {
    double each = fpp / Generational.COUNT;
    BlockedBloom layout =
        BlockedBloomSize.forFpp(Generational.generationKeys(expectedKeys), each, oneBlock(each));
    return first(time, expectedKeys, fpp, layout, null, keyId, WINDOW_BITS, false, spanMillis);
  }

  /** The shape for a fpp, or the best of those with one block for a key. */
  private static BlockShape oneBlock(double fpp) {
    BlockShape shape = BlockShape.forFpp(fpp);
    return shape.blocks() == 1 ? shape : BlockShape.FOUR_2;
  }

  private static GenerationSpec first(
      Time time,
      long expectedKeys,
      double fpp,
      BlockedBloom layout,
      @Nullable Long seed,
      String keyId,
      int cellBits,
      boolean hollow,
      long spanMillis) {
    return new GenerationSpec(
        1,
        time.random(),
        expectedKeys,
        fpp,
        checked(layout, expectedKeys, fpp),
        seed != null ? seed : time.random(),
        keyId,
        shardBlocksFor(layout.blockCount(), cellBits),
        cellBits,
        hollow,
        spanMillis,
        false);
  }

  /** Returns the blocks per shard for a filter of this many blocks. */
  public static long shardBlocksFor(long blocks, int cellBits) {
    long even = Math.max(LEAST_BLOCKS, (blocks + LEAST_SHARDS - 1) / LEAST_SHARDS);
    return Math.min(MAX_SHARD_BYTES / (BlockedBloom.BITS / 8L * cellBits), even);
  }

  public int blockBytes() {
    return BlockedBloom.BITS / 8 * cellBits;
  }

  public int shards() {
    return Math.toIntExact((layout.blockCount() + shardBlocks - 1) / shardBlocks);
  }

  public int shardOf(long hash) {
    return (int) (BlockedBloom.block(hash, layout.blockCount()) / shardBlocks);
  }

  /** How many blocks a shard has. */
  public long blocksIn(int shard) {
    return Math.min(shardBlocks, layout.blockCount() - shard * shardBlocks);
  }

  /** The length of a shard's value. */
  public long bytesIn(int shard) {
    int state = cellBits == WINDOW_BITS ? WINDOW_STATE_BYTES : 0;
    return ShardHeader.BYTES + blocksIn(shard) * blockBytes() + state;
  }

  /** How many levels a shard may have. */
  public int mostLevels() {
    int levels = 1;
    while (grows && levels < MOST_LEVELS && bytesIn(0, levels + 1) <= MOST_GROWN_BYTES) {
      levels++;
    }
    return levels;
  }

  /** The blocks of a level in all shards, from level 0 on. */
  public BlockedBloom level(int level) {
    return new BlockedBloom(layout.blockCount() << (LEVEL_SHIFT * level), layout.shape());
  }

  /** How many blocks a level has in one shard. */
  public long levelBlocks(int level) {
    return shardBlocks << (LEVEL_SHIFT * level);
  }

  /** How many keys a level takes in one shard. */
  public long levelKeys(int level) {
    return (expectedKeys / shards()) << (LEVEL_SHIFT * level);
  }

  /** The blocks of a shard before those of a level: (4^level - 1) / 3 times those of the first. */
  public long blocksBefore(int level) {
    return shardBlocks * ((1L << (LEVEL_SHIFT * level)) - 1) / ((1 << LEVEL_SHIFT) - 1);
  }

  /** The place of the block of a hash in its shard, counted from 0 over all levels. */
  public int place(long hash, int level) {
    long block = BlockedBloom.block(hash, layout.blockCount() << (LEVEL_SHIFT * level));
    return Math.toIntExact(blocksBefore(level) + block % levelBlocks(level));
  }

  /** Where the block of a hash begins in its shard. */
  public long offset(long hash, int level) {
    return ShardHeader.BYTES + (long) place(hash, level) * blockBytes();
  }

  /** The length of a shard's value with this many levels. */
  public long bytesIn(int shard, int levels) {
    return bytesIn(shard) + (blocksBefore(levels) - shardBlocks) * blockBytes();
  }

  /** How many keys a part of a window is sized for, in one shard. */
  public long partKeys(int shard) {
    double share = (double) blocksIn(shard) / layout.blockCount();
    return (long) Math.ceil(Generational.generationKeys(expectedKeys) * share);
  }

  public boolean pair() {
    return layout.shape().blocks() == 2;
  }

  public BloomShape shape() {
    return new BloomShape.Blocked(layout);
  }

  /** The name of a shard. */
  public byte[] key(String filter, int shard) {
    String tag = Slots.tag(shard, shards());
    return Command.bytes("wbird:{" + tag + "}:" + filter + ":" + number + ":" + shard);
  }

  /** The name of the log, in the slot of the first shard. */
  public byte[] log(String filter) {
    String tag = Slots.tag(0, shards());
    return Command.bytes("wbird:{" + tag + "}:" + filter + ":" + number + ":log");
  }

  /**
   * The number that stands in the header of each shard: of this filter, generation and shard alone.
   */
  public long[] identities(String filter) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      String encoded = encode();
      long[] identities = new long[shards()];
      for (int shard = 0; shard < identities.length; shard++) {
        byte[] hash =
            digest.digest(Command.bytes(encoded + "|" + number + "|" + shard + "|" + filter));
        identities[shard] =
            ByteBuffer.wrap(hash).getLong() | 1; // Never 0, which is what lost bytes read as.
      }
      return identities;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }

  /** The parameters as they stand in the filter's record. */
  public String encode() {
    BlockShape shape = layout.shape();
    return ("birth=" + Script.hex(birth) + " keys=" + expectedKeys + " fpp=" + fpp)
        + (" blocks=" + layout.blockCount() + " shape=" + shape.id() + " seed=" + Script.hex(seed))
        + (" shardBlocks=" + shardBlocks + " cellBits=" + cellBits + (hollow ? " hollow=1" : ""))
        + ((spanMillis > 0 ? " span=" + spanMillis : "") + (grows ? " grows=1" : ""))
        + (" hasher=" + keyId);
  }

  /** Reads what {@link #encode} wrote. */
  public static GenerationSpec decode(long number, String text) {
    int last = Math.max(0, text.indexOf("hasher="));
    Map<String, String> fields = new HashMap<>(Map.of("span", "0", "hollow", "0", "grows", "0"));
    for (String field : text.substring(0, last).trim().split(" ", -1)) {
      String[] pair = field.split("=", 2);
      fields.put(pair[0], pair[pair.length - 1]);
    }
    Function<String, String> take = name -> Objects.requireNonNullElse(fields.remove(name), "");
    try {
      int shape = Integer.parseInt(take.apply("shape"));
      GenerationSpec read =
          new GenerationSpec(
              number,
              HexFormat.fromHexDigitsToLong(take.apply("birth")),
              Long.parseLong(take.apply("keys")),
              Double.parseDouble(take.apply("fpp")),
              new BlockedBloom(
                  Long.parseLong(take.apply("blocks")),
                  Arrays.stream(BlockShape.values())
                      .filter(one -> one.id() == shape)
                      .findFirst()
                      .orElseThrow(IllegalArgumentException::new)),
              HexFormat.fromHexDigitsToLong(take.apply("seed")),
              text.substring(last + "hasher=".length()),
              Long.parseLong(take.apply("shardBlocks")),
              Integer.parseInt(take.apply("cellBits")),
              take.apply("hollow").equals("1"),
              Long.parseLong(take.apply("span")),
              take.apply("grows").equals("1"));
      if (fields.isEmpty() && read.isPossible()) { // Else it came later, or is damaged.
        return read;
      }
    } catch (IllegalArgumentException e) {
      throw unreadable(text);
    }
    throw unreadable(text);
  }

  /**
   * Whether there can be such a filter: shards of a size and number that can be reckoned with. One
   * that grows may begin with some blocks more than the largest shard of others has.
   */
  private boolean isPossible() {
    long blocks = layout.blockCount();
    return CELLS.contains(cellBits)
        && shardBlocks > 0
        && shardBlocks <= 2 * MAX_SHARD_BYTES / blockBytes()
        && blocks > 0
        && blocks <= Math.min(BlockedBloom.MAX_BLOCKS, shardBlocks * MOST_SHARDS);
  }

  private static RedisFilterException unreadable(String text) {
    return new RedisFilterException(
        RedisEvent.Cause.OVERWRITTEN, "the record of the filter can't be read: " + text);
  }

  /** Says the parameters for people. */
  public String describe() {
    String kind =
        grows
            ? "growing, "
            : cellBits == 4
                ? "counting "
                : spanMillis > 0 ? "window of " + spanMillis + " ms, " : "";
    return describe(expectedKeys, fpp, kind, shape(), seed, keyId);
  }

  /** Says the parameters of a Bloom filter for people. */
  public static String describe(long keys, double fpp, BloomShape shape, long seed, String keyId) {
    return describe(keys, fpp, "", shape, seed, keyId);
  }

  private static String describe(
      long keys, double fpp, String kind, BloomShape shape, long seed, String keyId) {
    return String.format(
        Locale.ROOT,
        "%,d keys, fpp %s, %s%s, %,d bits, seed %s, keys %s",
        keys,
        fpp,
        kind,
        shape.describe(),
        shape.wordCount() * 64,
        Script.hex(seed),
        keyId);
  }
}
