package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Reads the pairs of a quotient filter slot by slot, and looks whether they lie as they should. */
final class QuotientCheck {
  /**
   * A pair.
   *
   * @param quotient where it belongs
   * @param payload what is kept of it
   */
  record Pair(int quotient, long payload) implements Comparable<Pair> {
    @Override
    public int compareTo(Pair other) {
      return quotient != other.quotient
          ? Integer.compare(quotient, other.quotient)
          : Long.compareUnsigned(payload, other.payload);
    }
  }

  private QuotientCheck() {}

  /**
   * Checks a table without any of its own ways to search it.
   *
   * @return its pairs in order
   */
  static List<Pair> pairs(QuotientReader table, long count) {
    List<Pair> pairs = new ArrayList<>();
    int[] behind = new int[table.blocks()]; // per block, the slot behind the runs of earlier ones
    int slot = 0;
    for (int quotient = 0; quotient < table.slots(); quotient++) {
      if (!table.occupied(quotient)) {
        if (slot <= quotient) {
          requireFree(table, quotient);
        }
        continue;
      }
      assertThat(quotient).as("occupied quotient").isLessThan(table.quotients());
      slot = Math.max(slot, quotient);
      int first = slot;
      boolean end;
      do {
        assertThat(slot).as("end of the run of quotient %d", quotient).isLessThan(table.slots());
        pairs.add(new Pair(quotient, table.payload(slot)));
        if (slot > first) {
          assertThat(table.payload(slot))
              .as("order at slot %d", slot)
              .isGreaterThanOrEqualTo(table.payload(slot - 1));
        }
        end = table.runEnd(slot++);
      } while (!end);
      for (int block = (quotient >>> 6) + 1; block < behind.length; block++) {
        behind[block] = slot;
      }
    }
    for (int free = slot; free < table.slots(); free++) {
      requireFree(table, free);
    }
    for (int block = 0; block < behind.length; block++) {
      int offset = Math.max(0, behind[block] - 64 * block);
      assertThat(table.storedOffset(block))
          .as("offset of block %d", block)
          .isEqualTo(Math.min(QuotientReader.FULL_OFFSET, offset));
    }
    assertThat(count).as("count").isEqualTo(pairs.size());
    return pairs;
  }

  /** A slot that no run takes has no run end and no payload. */
  private static void requireFree(QuotientReader table, int slot) {
    assertThat(table.runEnd(slot) || table.payload(slot) != 0).as("free slot %d", slot).isFalse();
  }
}
