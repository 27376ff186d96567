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
        && seesOtherRows(
            TransactionSynchronizationManager.isActualTransactionActive(),
            TransactionSynchronizationManager.isCurrentTransactionReadOnly(),
            TransactionSynchronizationManager.getCurrentTransactionIsolationLevel(),
            TransactionSynchronizationManager.getResourceMap().values());
  }

  /**
   * Whether a caller may see rows that a look-up does not see: those that it has written itself,
   * or, with another isolation than "read committed", rows that others have deleted since its
   * transaction began, or have not committed yet.
   *
   * <p>Spring tells only of the transaction that began last, or that there is none because that one
   * is suspended. If the caller holds a connection of another one, the guarded method may read its
   * rows.
   *
   * @param isolation null if the transaction has the default of its database
   * @param resources what Spring holds for the caller
   */
  static boolean seesOtherRows(
      boolean active, boolean readOnly, @Nullable Integer isolation, Collection<?> resources) {
    return active
        ? !readOnly
            || (isolation != null && isolation != TransactionDefinition.ISOLATION_READ_COMMITTED)
            || transactions(resources) > 1
        : transactions(resources) > 0;
  }

  /**
   * In how many transactions a caller is.
   *
   * @param resources what Spring holds for the caller, such as the connection of a transaction; one
   *     for each transaction is marked, as JPA does not mark the connection that it lends to JDBC
   */
  private static long transactions(Collection<?> resources) {
    return resources.stream()
        .filter(
            resource ->
                resource instanceof ResourceHolderSupport held
                    && held.isSynchronizedWithTransaction())
        .count();
  }

  /** Whether this thread is in a transaction, which another thread would not see. */
  static boolean isActive() {
    return PRESENT
        && (TransactionSynchronizationManager.isActualTransactionActive()
            || transactions(TransactionSynchronizationManager.getResourceMap().values()) > 0);
  }
}
