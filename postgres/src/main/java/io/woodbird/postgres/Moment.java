package io.woodbird.postgres;

import org.postgresql.replication.LogSequenceNumber;

/**
 * What the server says of one moment.
 *
 * @param position the end of its log; every transaction that ended before has its commit below
 * @param snapshot which transactions had ended; taken before the position
 * @param identity changes if the server, its history, the table, its key column or the publication
 *     is not the same any more
 * @param table the table's number
 * @param reader the server process that uses the slot; 0 if none does
 */
record Moment(long position, Snapshot snapshot, String identity, int table, int reader) {
  /** Reads a position such as {@code 16/B374D848}. */
  static long position(String text) {
    return LogSequenceNumber.valueOf(text).asLong();
  }
}
