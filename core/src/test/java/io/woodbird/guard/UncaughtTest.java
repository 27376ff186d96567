package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failures of the application's own code, which may fail once more when somebody looks at them. */
final class UncaughtTest {
  private static final class Speechless extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw new OutOfMemoryError("no room for a text");
    }
  }

  @Test
  void aFailure_isNamed_evenIfItCanNotSayWhatItIs() {
    assertThat(Uncaught.textOf(new IllegalStateException("away")))
        .isEqualTo("java.lang.IllegalStateException: away");
    assertThat(Uncaught.textOf(new Speechless())).isEqualTo(Speechless.class.getName());
  }

  @Test
  void aFailure_isHandedToTheHandlerOfItsThread_whatThatThrows() {
    Thread thread = Thread.currentThread();
    Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
    List<Throwable> told = new ArrayList<>();
    thread.setUncaughtExceptionHandler(
        (same, failure) -> {
          told.add(failure);
          throw new IllegalStateException("the handler's fault");
        });
    try {
      RuntimeException failure = new IllegalStateException("away");
      Uncaught.report(failure);
      assertThat(told).containsExactly(failure);
    } finally {
      thread.setUncaughtExceptionHandler(before);
    }
  }
}
