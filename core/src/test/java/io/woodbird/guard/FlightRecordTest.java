package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of the Java Flight Recorder has of a filter. */
@Tag("jdk")
final class FlightRecordTest {
  @TempDir Path folder;

  private interface Steps {
    void run() throws Exception;
  }

  private List<RecordedEvent> recorded(Steps steps) throws Exception {
    Path file = folder.resolve("woodbird.jfr");
    try (Recording recording = new Recording()) {
      List.of("Build", "Swap", "Doubt").forEach(name -> recording.enable("woodbird." + name));
      recording.start();
      steps.run();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
    events.sort((one, two) -> one.getEndTime().compareTo(two.getEndTime()));
    return events;
  }

  private static String text(RecordedEvent event) {
    String name = event.getEventType().getName() + " " + event.getString("filter");
    return switch (event.getEventType().getName()) {
      case "woodbird.Build" ->
          name
              + " "
              + event.getLong("generation")
              + " keys "
              + event.getLong("keys")
              + " failure "
              + event.getString("failure");
      case "woodbird.Swap" ->
          name + " " + event.getLong("generation") + " back " + event.getBoolean("isRollBack");
      default -> name + " " + event.getString("reason") + " over " + event.getBoolean("isOver");
    };
  }

  @Test
  void aRecordingHasBuildsTheirFailuresAndSwaps() throws Exception {
    TestSource source = TestSource.of(0, 1000);
    List<RecordedEvent> events =
        recorded(
            () -> {
              try (RebuildingFilter<Long> filter =
                  RebuildingFilter.of(Keys.longs(), source).name("ids").build()) {
                filter.rebuildNow().get(5, TimeUnit.MINUTES);
                filter.rebuildNow().get(5, TimeUnit.MINUTES);
                source.throwAtOnce = true;
                assertThatThrownBy(() -> filter.rebuildNow().get(5, TimeUnit.MINUTES))
                    .isInstanceOf(ExecutionException.class);
                assertThat(filter.rollBack()).isPresent();
              }
            });
    assertThat(events)
        .extracting(FlightRecordTest::text)
        .containsExactly(
            "woodbird.Build ids 1 keys 1000 failure null",
            "woodbird.Swap ids 1 back false",
            "woodbird.Build ids 2 keys 1000 failure null",
            "woodbird.Swap ids 2 back false",
            "woodbird.Build ids 3 keys 0 failure java.lang.IllegalStateException: the database is"
                + " away",
            "woodbird.Swap ids 1 back true");
    assertThat(events.get(0).getDuration()).isGreaterThan(Duration.ZERO);
  }

  @Test
  void aRecordingHasTheDoubtsOfAFollower() throws Exception {
    AtomicBoolean isBroken = new AtomicBoolean(true);
    CountDownLatch failing = new CountDownLatch(1);
    CountDownLatch well = new CountDownLatch(1);
    Follower<Long> follower =
        asked -> {
          if (isBroken.get()) {
            throw new IllegalStateException("the server does not answer");
          }
          return Follower.Proof.complete();
        };
    List<RecordedEvent> events =
        recorded(
            () -> {
              try (FollowingFilter<Long> filter =
                  FollowingFilter.over(Woodbird.bloom(Keys.longs(), 10).build(), follower)
                      .name("followed")
                      .freshness(Duration.ofSeconds(1))
                      .onDoubt(doubt -> (doubt.isPresent() ? failing : well).countDown())
                      .start()) {
                assertThat(failing.await(5, TimeUnit.MINUTES)).isTrue();
                assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
                isBroken.set(false);
                assertThat(well.await(5, TimeUnit.MINUTES)).isTrue();
              }
            });
    assertThat(events)
        .extracting(FlightRecordTest::text)
        .containsExactly(
            "woodbird.Doubt followed the follower fails: java.lang.IllegalStateException: the"
                + " server does not answer over false",
            "woodbird.Doubt followed null over true");
  }

  @Test
  void aRecordingHasTheDoubtAfterAWrongAnswer() throws Exception {
    List<RecordedEvent> events =
        recorded(
            () -> {
              Guard<Long, String> guard =
                  Guard.over(Woodbird.bloom(Keys.longs(), 10).build())
                      .audit(1)
                      .loader(key -> Optional.of("row"));
              assertThat(guard.get(1L)).isPresent();
              assertThat(guard.stats().wrong()).isEqualTo(1);
              guard.admission().trust();
              guard.admission().trust(); // There was no doubt any more.
            });
    assertThat(events)
        .extracting(FlightRecordTest::text)
        .containsExactly(
            "woodbird.Doubt filter an audit found a wrong answer over false",
            "woodbird.Doubt filter null over true");
  }
}
