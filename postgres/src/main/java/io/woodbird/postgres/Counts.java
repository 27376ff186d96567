package io.woodbird.postgres;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what leaves a table.
 *
 * @param deleted rows and keys
 * @param truncated how often all rows left
 */
record Counts(LongAdder deleted, LongAdder truncated) {}
