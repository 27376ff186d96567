package io.woodbird.jdbc;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower.Proof;
import java.sql.SQLException;
import java.util.Set;

/** Finds out which keys are absent, by one statement or more. */
interface Search<K> {
  /** Keys that are new in the database are put into the filter. */
  Proof<K> run(LookUp<K> lookUp, Set<K> asked, MutableFilter<K> filter) throws SQLException;
}
