package io.woodbird.filter.quotient;

import io.woodbird.layout.Growing;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/** One shard of a growing filter: the keys whose hashes have the same first bits. */
final class GrowingShard {
  private final Growing layout;
  private final StampedLock lock = new StampedLock();
  private final int shardBits;

  // Written under the lock. Read under the lock or optimistically.
  private int quotientBits;
  private QuotientTable table;
  private double passes;

  /** Payloads without bits. Doubling would double their number, so they do not make it full. */
  private long empties;

  private boolean split;

  GrowingShard(Growing layout, int shardBits, int quotientBits) {
    this(layout, shardBits, quotientBits, emptyTable(layout, quotientBits), 0);
  }

  GrowingShard(
      Growing layout, int shardBits, int quotientBits, QuotientTable table, double passes) {
    this.layout = layout;
    this.shardBits = shardBits;
    this.quotientBits = quotientBits;
    this.table = table;
    this.passes = passes;
    table.forEach((quotient, payload) -> empties += layout.isEmpty(payload) ? 1 : 0);
  }

  private static QuotientTable emptyTable(Growing layout, int quotientBits) {
    return new QuotientTable(1 << quotientBits, Growing.slots(quotientBits), layout.width());
  }

  StampedLock lock() {
    return lock;
  }

  int shardBits() {
    return shardBits;
  }

  int quotientBits() {
    return quotientBits;
  }

  int placeBits() {
    return shardBits + quotientBits;
  }

  /** Whether a change of the table was broken off, or goes on. */
  boolean isChanging() {
    return table.isChanging();
  }

  /** Throws if a change was broken off by an Error. Call it under the lock. */
  void requireSound() {
    table.requireSound();
  }

  QuotientTable table() {
    return table;
  }

  /** Whether two other shards have replaced it. */
  boolean isSplit() {
    return split;
  }

  void setSplit() {
    split = true;
  }

  /** Returns this shard as it is now. The table may still change in place, under the lock. */
  GrowingImage.Piece piece(long prefix) {
    long stamp = lock.readLock();
    try {
      requireSound();
      return new GrowingImage.Piece(
          this, prefix, shardBits, quotientBits, table, passes, table.count());
    } finally {
      lock.unlockRead(stamp);
    }
  }

  boolean mightContain(long hash) {
    int quotient = Growing.quotient(hash, shardBits, quotientBits);
    return contains(table, quotient, layout.payload(hash, placeBits()));
  }

  /** Whether one of the payloads of a quotient may be that of a key. */
  static boolean contains(QuotientReader table, int quotient, long asNew) {
    return match(table, quotient, asNew, false) != 0;
  }

  /**
   * Returns a payload of a quotient that may be that of a key, the one with the most bits if {@code
   * best}, or 0.
   */
  private static long match(QuotientReader table, int quotient, long asNew, boolean best) {
    if (!table.occupied(quotient)) {
      return 0;
    }
    long found = 0;
    int last = table.lastUpTo(quotient);
    int slot = last;
    while (slot >= quotient && (slot == last || !table.runEnd(slot))) {
      long stored = table.payload(slot);
      if (Growing.matches(stored, asNew)
          && (found == 0 || Long.lowestOneBit(stored) < Long.lowestOneBit(found))) {
        found = stored;
        if (!best || (stored & 1) != 0) {
          return found;
        }
      }
      int next = table.lastNotAbove(quotient, slot, stored - 1); // Skips equal payloads.
      if (next >= slot) { // A put moved the run meanwhile, or the file contradicts itself.
        throw new IndexOutOfBoundsException("the run of quotient " + quotient + " has no end");
      }
      slot = next;
    }
    return found;
  }

  /** Whether it must grow before another key is added. */
  boolean isFull() {
    return table.count() - empties >= Growing.MAX_LOAD * (1 << quotientBits);
  }

  void add(long hash) {
    long payload = layout.payload(hash, placeBits());
    add(Growing.quotient(hash, shardBits, quotientBits), payload);
  }

  /** Adds a key of whose hash {@code bits} leading bits are known, at least those of its place. */
  void addKnown(long hash, int bits) {
    long payload = layout.shortened(layout.payload(hash, placeBits()), bits - placeBits());
    add(Growing.quotient(hash, shardBits, quotientBits), payload);
  }

  private void add(int quotient, long payload) {
    while (!table.add(quotient, payload)) {
      makeRoomAtTheEnd(); // A key was put very often, or there are many keys without bits.
    }
    noteAdded(payload);
  }

  private void noteAdded(long payload) {
    passes += layout.passes(payload);
    empties += layout.isEmpty(payload) ? 1 : 0;
  }

  private void makeRoomAtTheEnd() {
    QuotientTable longer = new QuotientTable(1 << quotientBits, 2 * table.slots(), layout.width());
    table.forEach(
        (quotient, payload) -> {
          if (!longer.append(quotient, payload)) {
            throw new AssertionError("no room in twice the slots");
          }
        });
    table = longer;
  }

  /**
   * Removes a key once. If several payloads match, it removes the one with the most bits. If that
   * was the payload of another key, the shorter one that stays matches that key too.
   */
  boolean remove(long hash) {
    int quotient = Growing.quotient(hash, shardBits, quotientBits);
    long payload = match(table, quotient, layout.payload(hash, placeBits()), true);
    if (payload == 0 || !table.remove(quotient, payload)) {
      return false;
    }
    passes -= layout.passes(payload);
    empties -= layout.isEmpty(payload) ? 1 : 0;
    return true;
  }

  /** Doubles the number of quotients. */
  void grow() {
    GrowingShard grown = new GrowingShard(layout, shardBits, quotientBits + 1);
    moveTo(grown, null);
    quotientBits = grown.quotientBits;
    table = grown.table;
    passes = grown.passes;
    empties = grown.empties;
  }

  /** Returns two shards with one more shard bit, which together have the keys of this one. */
  GrowingShard[] split() {
    GrowingShard[] halves = {
      new GrowingShard(layout, shardBits + 1, quotientBits),
      new GrowingShard(layout, shardBits + 1, quotientBits)
    };
    moveTo(halves[0], halves[1]);
    return halves;
  }

  /** Whether each half of a split would have at least a quarter of the keys that have bits. */
  boolean isEven() {
    long[] low = {0};
    table.forEach(
        (quotient, payload) ->
            low[0] += quotient < 1 << (quotientBits - 1) && !layout.isEmpty(payload) ? 1 : 0);
    long keys = table.count() - empties;
    return Math.min(low[0], keys - low[0]) > keys / 4;
  }

  /** Moves every key, with one bit less of its fingerprint, to a larger shard or to two halves. */
  private void moveTo(GrowingShard low, @Nullable GrowingShard high) {
    Move move = new Move(low, high);
    table.forEach(move);
    move.secondPlaces();
  }

  /** Moves keys in the order of their new places. */
  private final class Move implements QuotientReader.PairConsumer {
    private final GrowingShard low;
    private final @Nullable GrowingShard high;

    /** Keys without bits that were added to the first place of a quotient but not the second. */
    private int waiting;

    private int waitingFor;

    Move(GrowingShard low, @Nullable GrowingShard high) {
      this.low = low;
      this.high = high;
    }

    @Override
    public void accept(int quotient, long payload) {
      boolean empty = layout.isEmpty(payload);
      if (waiting > 0 && (!empty || waitingFor != 2 * quotient + 1)) {
        secondPlaces();
      }
      if (empty) { // Comes after all payloads of the first place and before those of the second.
        to(2 * quotient, payload);
        waiting++;
        waitingFor = 2 * quotient + 1;
        return;
      }
      to(2 * quotient + layout.givenBit(payload), layout.rest(payload));
    }

    void secondPlaces() {
      for (; waiting > 0; waiting--) {
        to(waitingFor, 1L << layout.fingerprintBits());
      }
    }

    private void to(int place, long payload) {
      GrowingShard shard = high == null || place < 1 << quotientBits ? low : high;
      int quotient = place & (1 << shard.quotientBits) - 1;
      if (!shard.table.append(quotient, payload)) {
        shard.makeRoomAtTheEnd();
        if (!shard.table.append(quotient, payload)) {
          throw new AssertionError("no room in twice the slots");
        }
      }
      shard.noteAdded(payload);
    }
  }
}
