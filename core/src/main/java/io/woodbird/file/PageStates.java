package io.woodbird.file;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Which pages of a file were checked, and whether they are good. */
final class PageStates {
  static final byte UNKNOWN = 0;
  static final byte GOOD = 1;
  static final byte BAD = 2;

  /**
   * The states of 2^16 pages (256 MiB of data) share an array, which is allocated when the first of
   * them is checked.
   */
  private static final int ROW_SHIFT = 16;

  private static final int IN_ROW = (1 << ROW_SHIFT) - 1;

  private static final VarHandle STATES = MethodHandles.arrayElementVarHandle(byte[].class);

  private final int pages;
  private final byte[][] rows;

  PageStates(int pages) {
    this.pages = pages;
    this.rows = new byte[(pages >>> ROW_SHIFT) + 1][];
  }

  /** Returns the state of a page; what was written before it was set is visible. */
  int get(int page) {
    byte[] row = rows[page >>> ROW_SHIFT];
    return row == null ? UNKNOWN : (byte) STATES.getAcquire(row, page & IN_ROW);
  }

  void set(int page, byte state) {
    byte[] row = rows[page >>> ROW_SHIFT];
    if (row == null) {
      synchronized (rows) {
        row = rows[page >>> ROW_SHIFT];
        if (row == null) {
          int first = page >>> ROW_SHIFT << ROW_SHIFT;
          row = new byte[Math.min(1 << ROW_SHIFT, pages - first)];
          rows[page >>> ROW_SHIFT] = row;
        }
      }
    }
    STATES.setRelease(row, page & IN_ROW, state);
  }

  /** Returns the first page that is bad, or -1. */
  int firstBad() {
    for (int row = 0; row < rows.length; row++) {
      for (int i = 0; rows[row] != null && i < rows[row].length; i++) {
        if (rows[row][i] == BAD) {
          return (row << ROW_SHIFT) + i;
        }
      }
    }
    return -1;
  }

  long countBad() {
    long bad = 0;
    for (byte[] row : rows) {
      for (int i = 0; row != null && i < row.length; i++) {
        bad += row[i] == BAD ? 1 : 0;
      }
    }
    return bad;
  }
}
