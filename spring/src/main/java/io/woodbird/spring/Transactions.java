package io.woodbird.spring;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction of this thread, if the application has transactions. */
final class Transactions {
  static final String MANAGER =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  static final boolean PRESENT = ClassUtils.isPresent(MANAGER, Transactions.class.getClassLoader());

  private Transactions() {}

  /** Whether this thread is in a transaction that may see rows which a look-up does not see. */
  static boolean seesOtherRows() {
    return PRESENT
        && TransactionSynchronizationManager.isActualTransactionActive()
        && (seesOtherRows(
                TransactionSynchronizationManager.isCurrentTransactionReadOnly(),
                TransactionSynchronizationManager.getCurrentTransactionIsolationLevel())
            || areSeveral(TransactionSynchronizationManager.getResourceMap().values()));
  }

  /**
   * Whether a caller uses two databases in transactions. Spring tells only of the transaction that
   * began last, and the guarded method may read the rows of the other.
   *
   * @param resources what Spring holds for the caller, such as the connection of a transaction; one
   *     for each transaction is marked, as JPA does not mark the connection that it lends to JDBC
   */
  static boolean areSeveral(Collection<?> resources) {
    return resources.stream()
            .filter(
                resource ->
                    resource instanceof ResourceHolderSupport held
                        && held.isSynchronizedWithTransaction())
            .count()
        > 1;
  }

  /**
   * Whether a transaction may see rows that a look-up does not see: those that it has written
   * itself, or, with another isolation than "read committed", rows that others have deleted since
   * it began, or have not committed yet.
   *
   * @param isolation null if the transaction has the default of its database
   */
  static boolean seesOtherRows(boolean readOnly, @Nullable Integer isolation) {
    return !readOnly
        || (isolation != null && isolation != TransactionDefinition.ISOLATION_READ_COMMITTED);
  }

  /** Whether this thread is in a transaction. */
  static boolean isActive() {
    return PRESENT && TransactionSynchronizationManager.isActualTransactionActive();
  }
}
