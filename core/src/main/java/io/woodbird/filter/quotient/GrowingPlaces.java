package io.woodbird.filter.quotient;

import io.woodbird.CorruptFilterException;
import io.woodbird.FilterStats;
import io.woodbird.file.Header;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.Growing;
import io.woodbird.words.WordSource;
import java.util.ArrayList;
import java.util.List;

/** The shards of a stored growing filter. */
final class GrowingPlaces implements QuotientPlaces {
  private static final int MAX_SHARDS = 1 << 26;

  private final Growing layout;
  private final long keys;
  private final long[] entries;
  private final int directoryBits;
  private final int[] directory;

  /** Reads the entries of a file, and checks that they match its size and cover all hashes. */
  GrowingPlaces(StoredFile file) throws CorruptFilterException {
    Header header = file.header();
    long shards = header.parameter(0);
    long bits = header.parameter(1);
    Header.require(shards > 0 && shards <= MAX_SHARDS, "shards", shards);
    Header.require(bits > 0 && bits <= 56, "fingerprint", bits);
    Header.require(header.expectedKeys() > 0, "expected keys", header.expectedKeys());
    long entryWords = Growing.ENTRY_WORDS * shards;
    Header.require(8 * entryWords <= header.dataBytes(), "data bytes", header.dataBytes());
    this.layout = new Growing((int) bits);
    this.keys = header.keyCount();
    file.requireGood(entryWords, "shard table");
    this.entries = new long[(int) entryWords];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = ~file.get(i);
    }
    this.directoryBits = checkEntries(header);
    this.directory = new int[1 << directoryBits];
    int at = 0;
    for (int shard = 0; shard < shards; shard++) {
      int end = at + (1 << (directoryBits - shardBits(shard)));
      while (at < end) {
        directory[at++] = shard;
      }
    }
  }

  /** Checks the entries, and returns the most bits that choose a shard. */
  private int checkEntries(Header header) throws CorruptFilterException {
    int most = 0;
    long covered = 0; // in units of 2^-26 of all hashes
    long next = entries.length;
    for (int shard = 0; shard < shardCount(); shard++) {
      Header.require(
          shardBits(shard) <= 26 && quotientBits(shard) > 0 && quotientBits(shard) <= 28,
          "shard",
          shard);
      Header.require(
          slots(shard) > 1 << quotientBits(shard)
              && slots(shard) % 64 == 0
              && (double) slots(shard) * layout.width() < 0x1p36
              && entries[Growing.ENTRY_WORDS * shard + 1] == next,
          "shard",
          shard);
      // A shard must begin at a multiple of its share, or a hash would find another shard.
      long share = 1L << (26 - shardBits(shard));
      Header.require(covered % share == 0, "place of shard", shard);
      Header.require(
          entries[Growing.ENTRY_WORDS * shard + 3] == covered << 38, "lowest hash of shard", shard);
      Header.require(Double.isFinite(passes(shard)), "passes", passes(shard));
      covered += share;
      most = Math.max(most, shardBits(shard));
      next += QuotientTable.storedWords(slots(shard), layout.width());
    }
    Header.require(covered == 1 << 26, "shards", shardCount());
    Header.require(
        1L << most <= (long) GrowingFilter.MAX_SPARSITY * shardCount(), "shard bits", most);
    Header.require(8 * next == header.dataBytes(), "data bytes", header.dataBytes());
    return most;
  }

  private int shardCount() {
    return entries.length / Growing.ENTRY_WORDS;
  }

  private int shardBits(int shard) {
    return (int) entries[Growing.ENTRY_WORDS * shard] & 0xff;
  }

  private int quotientBits(int shard) {
    return (int) (entries[Growing.ENTRY_WORDS * shard] >>> 8) & 0xff;
  }

  private int slots(int shard) {
    return (int) (entries[Growing.ENTRY_WORDS * shard] >>> 32);
  }

  private double passes(int shard) {
    return Double.longBitsToDouble(entries[Growing.ENTRY_WORDS * shard + 2]);
  }

  @Override
  public StoredQuotientShard shard(int number, WordSource words) {
    long start = entries[Growing.ENTRY_WORDS * number + 1];
    return new StoredQuotientShard(
        1 << quotientBits(number), slots(number), layout.width(), words, start);
  }

  @Override
  public int shardOf(long hash) {
    return directory[(int) (hash >>> 1 >>> (63 - directoryBits))];
  }

  @Override
  public int quotientOf(long hash) {
    int shard = shardOf(hash);
    return Growing.quotient(hash, shardBits(shard), quotientBits(shard));
  }

  @Override
  public boolean isIn(QuotientReader shard, long hash) {
    int number = shardOf(hash);
    int placeBits = shardBits(number) + quotientBits(number);
    return GrowingShard.contains(shard, quotientOf(hash), layout.payload(hash, placeBits));
  }

  /** Copies the shards to the heap. */
  <K> GrowingFilter<K> load(FilterSpec<K> spec, WordSource words) throws CorruptFilterException {
    List<GrowingShard> shards = new ArrayList<>();
    for (int i = 0; i < shardCount(); i++) {
      QuotientTable table =
          QuotientTable.load(
              1 << quotientBits(i),
              slots(i),
              layout.width(),
              words,
              entries[Growing.ENTRY_WORDS * i + 1]);
      if (!table.isSound(table.count())
          || hasNoEnd(table)) { // The checksums are right, so the file was written this way.
        throw new CorruptFilterException("the tables of the growing filter contradict themselves");
      }
      shards.add(new GrowingShard(layout, shardBits(i), quotientBits(i), table, passes(i)));
    }
    return new GrowingFilter<>(spec, layout, shards, keys);
  }

  /** Whether a payload lacks the 1 that marks the end of its fingerprint. */
  private static boolean hasNoEnd(QuotientTable table) {
    boolean[] found = {false};
    table.forEach((quotient, payload) -> found[0] |= payload == 0);
    return found[0];
  }

  @Override
  public FilterStats stats(FilterSpec<?> spec, WordSource words, List<String> doubts) {
    double fpp = 0;
    long bits = 0;
    long slots = 0;
    long payloads = 0;
    for (int i = 0; i < shardCount(); i++) {
      fpp += GrowingCodec.fpp(passes(i), shardBits(i), quotientBits(i));
      bits += 64L * (QuotientTable.storedWords(slots(i), layout.width()) + Growing.ENTRY_WORDS);
      slots += slots(i);
      payloads += shard(i, words).count();
    }
    return GrowingCodec.stats(layout, spec, keys, bits, (double) payloads / slots, fpp, doubts);
  }
}
