package io.woodbird.console;

import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A shop to attack: products in a database, a filter of their ids, and a guard that has both.
 *
 * @param database holds the products
 * @param ids the filter; empty until it is told to {@linkplain RebuildingFilter#rebuildNow build}
 * @param guard asks the filter before the database
 */
record Shop(ShopDatabase database, RebuildingFilter<Long> ids, Guard<Long, String> guard)
    implements AutoCloseable {
  static final double FPP = 0.001;

  static Shop open(int products, long seed, Consumer<RebuildEvent> listener) throws SQLException {
    ShopDatabase database = new ShopDatabase(products);
    RebuildingFilter<Long> ids =
        RebuildingFilter.of(Keys.longs(), () -> Arrays.stream(database.ids()).boxed())
            .name("woodbird-console-shop")
            .fpp(FPP)
            .seed(seed)
            .onEvent(listener)
            .build();
    return new Shop(database, ids, Guard.of(ids, id -> Optional.ofNullable(database.look(id))));
  }

  /** Finds a product, through the guard or past it; null if there is none. */
  @Nullable String find(long id, boolean guarded) {
    return guarded ? guard.get(id).orElse(null) : database.look(id);
  }

  /** The id of a product, counted from 0. */
  static long product(long number) {
    return ShopDatabase.STEP * (number + 1);
  }

  /** An id between two products, where nothing is: there are six for each product. */
  static long missing(long number) {
    return product(number / (ShopDatabase.STEP - 1)) + 1 + number % (ShopDatabase.STEP - 1);
  }

  /** How many ids are missing between the products. */
  static long missingIds(int products) {
    return (ShopDatabase.STEP - 1L) * products;
  }

  @Override
  public void close() throws SQLException {
    ids.close();
    database.close();
  }
}
