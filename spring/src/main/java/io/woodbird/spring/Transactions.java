package io.woodbird.spring;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction of this thread, if the application has transactions. */
final class Transactions {
  static final String MANAGER =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  static final boolean PRESENT = ClassUtils.isPresent(MANAGER, Transactions.class.getClassLoader());

  private Transactions() {}

  /** Whether this thread may see rows that it has written, and that are not committed yet. */
  static boolean mayHaveWritten() {
    return PRESENT
        && TransactionSynchronizationManager.isActualTransactionActive()
        && !TransactionSynchronizationManager.isCurrentTransactionReadOnly();
  }

  /** Whether this thread is in a transaction. */
  static boolean isActive() {
    return PRESENT && TransactionSynchronizationManager.isActualTransactionActive();
  }
}
