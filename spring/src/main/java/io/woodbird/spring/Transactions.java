package io.woodbird.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
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
        && seesOtherRows(
            TransactionSynchronizationManager.isCurrentTransactionReadOnly(),
            TransactionSynchronizationManager.getCurrentTransactionIsolationLevel());
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
