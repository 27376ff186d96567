package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.shyiko.mysql.binlog.GtidSet;
import com.github.shyiko.mysql.binlog.event.MySqlGtid;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** What a stream has brought, and what a server counts. */
final class StreamProgressTest {
  private static final UUID OWN = new UUID(1, 1);
  private static final UUID OTHER = new UUID(2, 2);

  private final StreamProgress progress = new StreamProgress();

  private void begin() {
    String before = OWN + ":1-5";
    progress.begin(new Position("mysql x", "", 0, true, before, "", before), null);
    progress.flows(true);
  }

  private void pass(long number) {
    progress.passed(new MySqlGtid(OWN, number), "mark " + number);
  }

  @Test
  void aStreamThatBringsLaterTransactions_andNotAllThatTheServerCounted_hasPassedThem() {
    begin();
    GtidSet counted = new GtidSet(OWN + ":1-7," + OTHER + ":1-5");
    pass(6);
    pass(7);
    assertThat(progress.hasPassed(counted)).as("it may still bring them").isFalse();
    pass(8);
    assertThat(progress.hasPassed(counted)).isTrue();
    assertThatThrownBy(() -> progress.await(progress.check(), counted, 0))
        .isInstanceOf(TimeoutException.class);
    progress.flows(false);
    assertThat(progress.hasPassed(counted)).as("it connects again").isFalse();
  }

  /** The gap came first, and is not what somebody must mend. */
  @Test
  void afterAGap_itIsToldWhyNothingIsReadAnew() {
    begin();
    progress.distrust("there is a gap: the log is that of another server");
    progress.flows(false);
    progress.streamFailure("that server needs log_slave_updates=ON");
    assertThatThrownBy(progress::check)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("there is a gap: the log is that of another server")
        .hasMessageContaining("needs log_slave_updates=ON");
    progress.flows(true);
    assertThatThrownBy(progress::check)
        .hasMessage("there is a gap: the log is that of another server");
  }
}
