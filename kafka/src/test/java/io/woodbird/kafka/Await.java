package io.woodbird.kafka;

import java.util.function.BooleanSupplier;

/** Waits for what must come. A test that waits for ever is ended by the build. */
final class Await {
  private Await() {}

  static void until(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }
}
