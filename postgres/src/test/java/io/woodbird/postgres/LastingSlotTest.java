package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a lasting slot a filter goes on where it was, and with nothing less than a proof. */
final class LastingSlotTest extends OnePostgres {
  /** Takes nothing: "No space left on device". */
  private static final Path FULL = Path.of("/dev/full");

  @TempDir private Path folder;
  private final AtomicInteger refills = new AtomicInteger();

  @BeforeAll
  static void boundSlots() throws Exception {
    server.execute("alter system set max_slot_wal_keep_size = '1GB'", "select pg_reload_conf()");
  }

  @AfterAll
  static void freeSlots() throws Exception {
    server.execute("alter system reset max_slot_wal_keep_size", "select pg_reload_conf()");
  }

  private static MutableFilter<Long> empty() {
    return Woodbird.bloom(Keys.longs(), 10_000).fpp(1e-6).seed(7).build();
  }

  private PostgresFollower<Long> follower(
      String table, MutableFilter<Long> filter, UnaryOperator<PostgresFollowerBuilder<Long>> more) {
    return more.apply(
            PostgresFollower.of(server.url(), Long::valueOf)
                .login("postgres", "postgres")
                .table("public", table)
                .column("id")
                .lastingSlot("slot_" + table)
                .refill(
                    () -> {
                      refills.incrementAndGet();
                      return CompletableFuture.runAsync(() -> fill(table, filter));
                    }))
        .build();
  }

  private static void fill(String table, MutableFilter<Long> filter) {
    try {
      server.column("select id from " + table).forEach(id -> filter.put(Long.valueOf(id)));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static FollowingFilter<Long> start(
      MutableFilter<Long> filter, PostgresFollower<Long> follower) throws InterruptedException {
    FollowingFilter<Long> following =
        FollowingFilter.over(filter, follower).patience(Duration.ofMinutes(10)).start();
    while (following.ask(-1L) != Answer.NOT_HERE) {
      Thread.sleep(20);
    }
    return following;
  }

  @Test
  void aLostConnection_isResumed_withoutReadingTheTable() throws Exception {
    server.execute("create table lost (id bigint primary key)", "insert into lost values (1)");
    MutableFilter<Long> filter = empty();
    PostgresFollower<Long> follower = follower("lost", filter, builder -> builder);
    try (FollowingFilter<Long> following = start(filter, follower)) {
      for (long id = 2; id < 5; id++) {
        server.execute(
            "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name ="
                + " 'slot_lost'",
            "insert into lost values (" + id + ")");
        while (following.ask(-1L) != Answer.NOT_HERE || follower.streams() < id) {
          Thread.sleep(20);
        }
        assertThat(following.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
      assertThat(refills).hasValue(1);
    }
    follower.drop();
    assertThat(server.column("select slot_name from pg_replication_slots"))
        .doesNotContain("slot_lost");
  }

  /** A disk may fill up while a position is written to it. */
  @Test
  void aPositionThatIsCutOff_isRefused_orLiesBefore() {
    Held held = new Held("7300:16384:1:a@b", 0x16b_3748_90abL);
    String text = held.toString();
    int parsed = 0;
    for (int length = 0; length < text.length(); length++) {
      Held cut;
      try {
        cut = Held.parse(text.substring(0, length));
      } catch (IllegalArgumentException e) {
        continue;
      }
      parsed++;
      boolean isBefore = Long.compareUnsigned(cut.position(), held.position()) < 0;
      assertThat(isBefore || !cut.identity().equals(held.identity())).as(cut.toString()).isTrue();
    }
    assertThat(parsed).isBetween(1, text.length() - 1);
  }

  @Test
  void aSavedFile_andTheStreamFromItsPosition_haveAllRows() throws Exception {
    server.execute("create table saved (id bigint primary key)", "insert into saved values (1)");
    MutableFilter<Long> filter = empty();
    PostgresFollower<Long> follower = follower("saved", filter, builder -> builder);
    Path file = folder.resolve("ids.wbird");
    String position;
    try (FollowingFilter<Long> following = start(filter, follower)) {
      server.execute("insert into saved values (2)");
      assertThat(following.ask(2L)).isEqualTo(Answer.MAYBE_HERE);
      position = follower.position();
      following.save(file);
      follower.saved(position);
      server.execute("insert into saved values (3)");
      assertThat(following.ask(3L)).isEqualTo(Answer.MAYBE_HERE);
      // The disk is full when the next file, or the position after it, is saved.
      String next = follower.position();
      following.save(file);
      assertThatThrownBy(() -> following.save(FULL)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> Files.writeString(FULL, next)).hasMessageContaining("No space left");
    }
    server.execute("insert into saved values (4)");
    MutableFilter<Long> read;
    try (InputStream in = Files.newInputStream(file)) {
      read = (MutableFilter<Long>) Woodbird.readFrom(in, Keys.longs());
    }
    PostgresFollower<Long> second = follower("saved", read, builder -> builder.resume(position));
    try (FollowingFilter<Long> following = start(read, second)) {
      for (long id = 1; id <= 4; id++) {
        assertThat(following.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
      assertThat(refills).hasValue(1);
    }
    second.drop();
  }

  @Test
  void aFileThatIsOlderThanTheSlot_isFilledFromTheTable() throws Exception {
    server.execute("create table old (id bigint primary key)");
    MutableFilter<Long> filter = empty();
    PostgresFollower<Long> follower = follower("old", filter, builder -> builder);
    String position;
    try (FollowingFilter<Long> following = start(filter, follower)) {
      position = follower.position();
      server.execute("insert into old values (1)");
      assertThat(following.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      follower.saved(follower.position());
      String flushed =
          "select confirmed_flush_lsn from pg_replication_slots where slot_name = 'slot_old'";
      long wanted = Held.parse(follower.position()).position();
      long before = Held.parse(position).position();
      assertThat(wanted).isGreaterThan(before);
      while (Moment.position(server.ask(flushed)) <= before) {
        Thread.sleep(20);
      }
    }
    MutableFilter<Long> lacksOne = empty();
    PostgresFollower<Long> second = follower("old", lacksOne, builder -> builder.resume(position));
    try (FollowingFilter<Long> following = start(lacksOne, second)) {
      assertThat(following.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(refills).hasValue(2);
    }
    second.drop();
  }

  @Test
  void aSlotThatWasDroppedOrAPublicationThatWasChanged_isFilledFromTheTable() throws Exception {
    server.execute("create table away (id bigint primary key)");
    List<String> changes =
        List.of(
            "select pg_drop_replication_slot('slot_away')",
            "drop publication PUB",
            "alter publication PUB drop table away",
            "select 1");
    MutableFilter<Long> filter = empty();
    PostgresFollower<Long> follower = follower("away", filter, builder -> builder);
    String position;
    try (FollowingFilter<Long> following = start(filter, follower)) {
      assertThat(following.doubt()).isNull();
      position = follower.position();
    }
    for (int i = 0; i < changes.size(); i++) {
      while (!"0".equals(server.ask("select count(*) from pg_replication_slots where active"))) {
        Thread.sleep(10);
      }
      server.execute(
          changes.get(i).replace("PUB", follower.publication()),
          "insert into away values (" + i + ")");
      String last = position;
      PostgresFollower<Long> next = follower("away", filter, builder -> builder.resume(last));
      try (FollowingFilter<Long> following = start(filter, next)) {
        assertThat(following.ask((long) i)).isEqualTo(Answer.MAYBE_HERE);
        assertThat(refills).hasValue(Math.min(4, 2 + i));
        position = next.position();
      }
    }
    follower.drop();
  }
}
