package io.woodbird.cli.lines;

import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import java.io.IOException;
import java.util.Arrays;

/** Finds the keys of A that are also in B, compared byte by byte in bounded memory. */
final class ExactMatches {
  /*
   * Both sides are split into parts by hash. For each part, as many keys of A as memory allows are put
   * into a hash table, and each key of B is looked up in it. If the part of A has more keys, the part of
   * B is read again for the next of them. Equal keys of A share one entry.
   */
  private static final int NONE = -1;

  private final int arenaLimit;
  private byte[] arena = new byte[1 << 16];
  private int arenaUsed;
  private long[] hashes = new long[1 << 10];
  private long[] numbers = new long[1 << 10];
  private int[] starts = new int[1 << 10];
  private int[] lengths = new int[1 << 10];
  private int[] firsts = new int[1 << 10];
  private boolean[] matched = new boolean[1 << 10];
  private int[] table = new int[0];
  private int count;

  /** Marks by number; bits past the end are not set. */
  private long[] marks = new long[16];

  /** Makes one that takes about {@code memory} bytes. */
  ExactMatches(long memory) {
    // An entry takes about 30 bytes besides its own, and the arena doubles as it grows.
    this.arenaLimit = (int) Math.max(1 << 16, Math.min(memory / 4, 1 << 28));
  }

  /** Marks the numbers of all keys of {@code a} that are in {@code b}. */
  void settle(LineSpill a, LineSpill b, Progress progress) throws IOException {
    progress.phase("comparing", "part");
    for (int part = 0; part < a.parts(); part++) {
      Stop.check();
      progress.at(part, part, a.parts());
      LineSpill.Reader mine = a.read(part);
      boolean more = mine.next();
      while (more) {
        clear();
        while (more && (count == 0 || fits(mine.length()))) {
          add(mine);
          more = mine.next();
        }
        match(b.read(part));
        for (int i = 0; i < count; i++) {
          if (matched[firsts[i]]) {
            mark(numbers[i]);
          }
        }
      }
    }
  }

  boolean isMarked(long number) {
    int word = (int) (number >>> 6);
    return word < marks.length && (marks[word] >>> number & 1) != 0;
  }

  private void mark(long number) {
    int word = (int) (number >>> 6);
    if (word >= marks.length) {
      marks = Arrays.copyOf(marks, Math.max(word + 1, marks.length * 3 / 2));
    }
    marks[word] |= 1L << number;
  }

  private boolean fits(int length) {
    return arenaUsed + 32L * count + length <= arenaLimit;
  }

  private void clear() {
    count = 0;
    arenaUsed = 0;
    Arrays.fill(table, NONE);
  }

  private void add(LineSpill.Reader key) {
    if (count == hashes.length) {
      int room = 2 * count;
      hashes = Arrays.copyOf(hashes, room);
      numbers = Arrays.copyOf(numbers, room);
      starts = Arrays.copyOf(starts, room);
      lengths = Arrays.copyOf(lengths, room);
      firsts = Arrays.copyOf(firsts, room);
      matched = Arrays.copyOf(matched, room);
    }
    if (2 * (count + 1) > table.length) {
      grow();
    }
    int slot = slot(key);
    int first = table[slot];
    hashes[count] = key.hash();
    numbers[count] = key.number();
    matched[count] = false;
    if (first == NONE) {
      table[slot] = count;
      firsts[count] = count;
      starts[count] = arenaUsed;
      lengths[count] = key.length();
      if (arena.length - arenaUsed < key.length()) {
        long room = Math.max(2L * arena.length, (long) arenaUsed + key.length());
        arena = Arrays.copyOf(arena, (int) Math.min(room, Integer.MAX_VALUE - 8));
      }
      System.arraycopy(key.bytes(), key.from(), arena, arenaUsed, key.length());
      arenaUsed += key.length();
    } else {
      firsts[count] = first;
    }
    count++;
  }

  private void grow() {
    table = new int[Math.max(1 << 11, 2 * table.length)];
    Arrays.fill(table, NONE);
    int mask = table.length - 1;
    for (int i = 0; i < count; i++) {
      if (firsts[i] == i) {
        int at = (int) hashes[i] & mask;
        while (table[at] != NONE) {
          at = at + 1 & mask;
        }
        table[at] = i;
      }
    }
  }

  /** Where a key is in the table, or would be. */
  private int slot(LineSpill.Reader key) {
    int mask = table.length - 1;
    int at = (int) key.hash() & mask;
    while (table[at] != NONE && !same(table[at], key)) {
      at = at + 1 & mask;
    }
    return at;
  }

  private boolean same(int entry, LineSpill.Reader key) {
    return hashes[entry] == key.hash()
        && lengths[entry] == key.length()
        && Arrays.equals(
            arena,
            starts[entry],
            starts[entry] + key.length(),
            key.bytes(),
            key.from(),
            key.from() + key.length());
  }

  private void match(LineSpill.Reader theirs) throws IOException {
    while (theirs.next()) {
      int entry = table[slot(theirs)];
      if (entry != NONE) {
        matched[entry] = true;
      }
    }
  }
}
