package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.filter.quotient.QuotientCheck.Pair;
import io.woodbird.words.WordSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of a quotient filter does what a sorted multiset of pairs does. */
final class QuotientTableTest {
  private static final int CHECKED_EVERY = 1000;

  /** How the quotients of a history are drawn. */
  private enum Skew {
    EVEN,
    LOW,
    NARROW,
    SPARSE,
    FEW;

    int quotient(SplittableRandom random, int quotients) {
      return switch (this) {
        case EVEN -> random.nextInt(quotients);
        case LOW -> (int) (quotients * Math.pow(random.nextDouble(), 3));
        case NARROW ->
            Math.min(quotients - 1, quotients * 3 / 4 + random.nextInt(quotients / 10 + 1));
        case SPARSE -> random.nextInt(quotients) / 7 * 7;
        case FEW -> quotients / 3 + random.nextInt(Math.min(3, quotients - quotients / 3));
      };
    }
  }

  /** A table and what should be in it. */
  private static final class History {
    private final SplittableRandom random;
    private final QuotientTable table;
    private final Skew skew;
    private final TreeMap<Pair, Integer> model = new TreeMap<>();
    private final List<Pair> seen = new ArrayList<>();
    private long count;
    private int refused;
    private int fullOffsets;

    History(long seed, int quotients, int slots, int width, Skew skew) {
      this.random = new SplittableRandom(seed);
      this.table = new QuotientTable(quotients, slots, width);
      this.skew = skew;
    }

    /** As chance has it: dimensions, skew, and how often something is removed. */
    static History random(long seed) {
      SplittableRandom random = new SplittableRandom(~seed);
      int quotients = 1 + random.nextInt(seed % 3 == 0 ? 3000 : 200);
      int slots = (quotients + random.nextInt(200) + 63) / 64 * 64;
      Skew skew = Skew.values()[random.nextInt(Skew.values().length)];
      return new History(seed, quotients, slots, 1 + random.nextInt(57), skew);
    }

    Pair draw() {
      if (!seen.isEmpty() && random.nextInt(3) == 0) {
        return seen.get(random.nextInt(seen.size()));
      }
      long payload = random.nextLong() & table.widthMask();
      payload &= random.nextInt(5) == 0 ? 3 : -1;
      return new Pair(skew.quotient(random, table.quotients()), payload);
    }

    void run(int operations, double removing) {
      for (int i = 1; i <= operations; i++) {
        Pair pair = draw();
        if (random.nextDouble() < removing) {
          remove(pair);
        } else {
          add(pair);
        }
        ask(draw());
        ask(pair);
        if (i % CHECKED_EVERY == 0) {
          check();
        }
      }
      check();
    }

    void add(Pair pair) {
      if (table.add(pair.quotient(), pair.payload())) {
        model.merge(pair, 1, Integer::sum);
        seen.add(pair);
        count++;
      } else {
        refused++;
      }
      assertThat(table.count()).isEqualTo(count);
    }

    void remove(Pair pair) {
      boolean in = model.containsKey(pair);
      assertThat(table.remove(pair.quotient(), pair.payload()))
          .as("remove of %s", pair)
          .isEqualTo(in);
      if (in) {
        model.merge(pair, -1, (a, b) -> a + b == 0 ? null : a + b);
        count--;
      }
      assertThat(table.count()).isEqualTo(count);
    }

    void ask(Pair pair) {
      boolean in = model.containsKey(pair);
      if (table.contains(pair.quotient(), pair.payload()) != in
          || table.find(pair.quotient(), pair.payload()) >= 0 != in) {
        throw new AssertionError(pair + " should be in: " + in);
      }
    }

    void check() {
      List<Pair> wanted = new ArrayList<>();
      model.forEach((pair, times) -> wanted.addAll(Collections.nCopies(times, pair)));
      assertThat(QuotientCheck.pairs(table, table.count())).isEqualTo(wanted);
      assertThat(table.isSound(count) && !table.isSound(count + 1)).isTrue();
      List<Pair> walked = new ArrayList<>();
      table.forEach((quotient, payload) -> walked.add(new Pair(quotient, payload)));
      assertThat(walked).isEqualTo(wanted);
      for (int block = 0; block < table.blocks(); block++) {
        fullOffsets += table.storedOffset(block) == QuotientReader.FULL_OFFSET ? 1 : 0;
      }
    }

    void drain() {
      for (Pair pair : List.copyOf(seen)) {
        remove(pair);
      }
      check();
      assertThat(words(table)).as("an empty table").containsOnly(0L);
    }
  }

  private static long[] words(QuotientTable table) {
    long[] words = new long[QuotientTable.storedWords(table.slots(), table.width())];
    for (int i = 0; i < words.length; i++) {
      words[i] = table.storedWord(i);
    }
    return words;
  }

  private static void runSeeds(int from, int to, int operations) {
    int refused = 0;
    int fullOffsets = 0;
    for (int seed = from; seed < to; seed++) {
      try {
        History history = History.random(seed);
        history.run(operations, new SplittableRandom(seed).nextDouble() * 0.6);
        refused += history.refused;
        fullOffsets += history.fullOffsets;
        history.drain();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(refused).as("refused, as there was no room").isPositive();
    assertThat(fullOffsets).as("offsets of 255 and more").isPositive();
  }

  @Test
  void everyHistory_agreesWithAMultiset() {
    runSeeds(0, 120, 4000); // A fault of one table in 24 is missed once in 150 runs (e^-5).
  }

  @Tag("slow")
  @Test
  void everyHistory_agreesWithAMultiset_inManyTables() {
    runSeeds(300, 15_000, 8000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 8, 13, 16, 21, 31, 32, 33, 40, 57})
  void aFullTable_refusesAndChangesNothing_andTakesAgainWhatWasRemoved(int width) {
    History history = new History(width, 500, 640, width, Skew.EVEN);
    while (history.refused == 0) {
      history.add(history.draw());
    }
    history.check();
    long[] full = words(history.table);
    Pair last = null;
    for (int i = 0; i < 2000; i++) {
      Pair pair = history.draw();
      boolean taken = history.table.add(pair.quotient(), pair.payload());
      if (taken) { // There is room elsewhere, before the place that is full.
        assertThat(history.table.remove(pair.quotient(), pair.payload())).isTrue();
      } else {
        last = pair;
      }
      assertThat(words(history.table)).isEqualTo(full);
    }
    history.model.keySet().forEach(history::ask);
    assertThat(last).isNotNull();
    Pair gone = history.model.lastKey();
    history.remove(gone);
    history.add(gone);
    assertThat(words(history.table)).isEqualTo(full);
    history.drain();
  }

  /** The first block's runs lie over all blocks behind it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 6, 17, 40})
  void offsetsOf255AndMore_areCountedRight(int width) {
    History history = new History(width, 640, 2560, width, Skew.EVEN);
    SplittableRandom random = new SplittableRandom(width);
    for (int i = 0; i < 1500; i++) {
      int among = random.nextInt(50) == 0 ? 640 : 64;
      history.add(new Pair(random.nextInt(among), random.nextLong() & history.table.widthMask()));
      if (i % 100 == 0) {
        history.check();
      }
    }
    assertThat(history.fullOffsets).isPositive();
    history.run(3000, 0.5);
    Collections.shuffle(history.seen, new Random(width));
    for (int i = 0; i < history.seen.size(); i++) {
      history.remove(history.seen.get(i));
      history.ask(history.seen.get(history.seen.size() - 1 - i));
      if (i % 100 == 0) {
        history.check();
      }
    }
    history.drain();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 9, 33})
  void longRuns_areSearchedRight(int width) {
    History history = new History(width, 100, 4096, width, Skew.FEW);
    history.run(9000, 0.4);
    history.drain();
    Pair same = new Pair(99, history.table.widthMask());
    while (history.refused == 0) {
      history.add(same);
    }
    history.check();
    history.ask(same);
    history.ask(new Pair(99, 0));
    history.ask(new Pair(98, same.payload()));
    history.drain();
  }

  @Test
  void whatLiesWhere_dependsOnThePairsAlone() {
    for (int seed = 0; seed < 40; seed++) {
      History one = History.random(seed);
      one.run(1500, 0.3);
      List<Pair> pairs = QuotientCheck.pairs(one.table, one.table.count());
      Collections.shuffle(pairs, new Random(seed));
      QuotientTable other =
          new QuotientTable(one.table.quotients(), one.table.slots(), one.table.width());
      for (Pair pair : pairs) {
        assertThat(other.add(pair.quotient(), pair.payload())).isTrue();
      }
      assertThat(words(other)).as("seed %d", seed).isEqualTo(words(one.table));
      assertThat(words(one.table.copy())).isEqualTo(words(one.table));
    }
  }

  @Test
  void pairsAppendedInTheOrderOfQuotients_lieWhereAddedOnesDo() {
    for (int seed = 0; seed < 200; seed++) {
      History one = History.random(seed);
      one.run(seed % 2 == 0 ? 1500 : 100, 0.2);
      List<Pair> pairs = QuotientCheck.pairs(one.table, one.table.count());
      Collections.shuffle(pairs, new Random(seed));
      pairs.sort(Comparator.comparingInt(Pair::quotient)); // The payloads stay shuffled.
      QuotientTable other =
          new QuotientTable(one.table.quotients(), one.table.slots(), one.table.width());
      for (Pair pair : pairs) {
        assertThat(other.append(pair.quotient(), pair.payload())).as("seed %d", seed).isTrue();
      }
      assertThat(words(other)).as("seed %d", seed).isEqualTo(words(one.table));
    }
  }

  @Test
  void whatCantBeAppended_isRefused_andChangesNothing() {
    QuotientTable table = new QuotientTable(100, 128, 5);
    while (table.append(99, 7)) {
      assertThat(table.isSound(table.count())).isTrue();
    }
    assertThat(table.count()).isEqualTo(29);
    long[] full = words(table);
    assertThat(table.append(98, 7)).as("a lower quotient").isFalse();
    assertThat(words(table)).isEqualTo(full);
    assertThat(table.copy().append(99, 7)).as("to a copy").isFalse();
    assertThat(table.remove(99, 7)).isTrue();
    assertThat(table.append(99, 7)).as("behind what was not appended").isFalse();
    assertThat(table.add(3, 1)).isTrue();
    assertThat(table.append(99, 7)).isFalse();
    assertThat(table.count()).isEqualTo(29);
  }

  @Test
  void storedWords_giveTheSameTableAndTheSameAnswers() {
    for (int seed = 0; seed < 60; seed++) {
      History history = History.random(seed);
      history.run(1500, 0.2);
      QuotientTable table = history.table;
      int before = 5; // words of another shard
      long[] words = new long[before + words(table).length + 1];
      java.util.Arrays.fill(words, -1);
      System.arraycopy(words(table), 0, words, before, words(table).length);
      StoredQuotientShard stored =
          new StoredQuotientShard(
              table.quotients(), table.slots(), table.width(), i -> words[(int) i], before);
      assertThat(QuotientCheck.pairs(stored, stored.count()))
          .isEqualTo(QuotientCheck.pairs(table, table.count()));
      QuotientTable loaded =
          QuotientTable.load(
              table.quotients(), table.slots(), table.width(), i -> words[(int) i], before);
      assertThat(words(loaded)).isEqualTo(words(table));
      for (int i = 0; i < 500; i++) {
        Pair pair = history.draw();
        boolean in = history.model.containsKey(pair);
        assertThat(stored.contains(pair.quotient(), pair.payload())).isEqualTo(in);
        assertThat(loaded.contains(pair.quotient(), pair.payload())).isEqualTo(in);
      }
    }
  }

  /** After a wipe every block asks to count from the first one on: that needs a proof before. */
  @Test
  void countingAnOffset_needsAProof_beforeManyWordsAreRead() {
    long[] reads = {0};
    WordSource wiped =
        new WordSource() {
          @Override
          public long get(long word) {
            assertThat(++reads[0]).isLessThan(20);
            return -1;
          }

          @Override
          public void prove(long word) {
            throw new IllegalStateException("wiped");
          }
        };
    StoredQuotientShard stored = new StoredQuotientShard(1 << 20, (1 << 20) + 64, 8, wiped, 0);
    assertThatThrownBy(() -> stored.contains(1 << 19, 7)).hasMessage("wiped");
  }
}
