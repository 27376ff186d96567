package io.woodbird.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Guard;
import io.woodbird.jdbc.JdbcKeys;
import io.woodbird.key.Keys;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.apache.kafka.common.config.ConfigException;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** A feed from a real broker. */
final class DebeziumFeedTest {
  private static final Follower<Long> NO_PROOFS = asked -> key -> false;

  @TempDir static Path folder;
  private static Broker broker;

  private final MutableFilter<Long> filter =
      Woodbird.bloom(Keys.longs(), 100_000).fpp(0.0001).seed(3).build();
  private String name;
  private Topic topic;

  @BeforeAll
  static void start() throws Exception {
    broker = Broker.start(folder);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    broker.kill();
  }

  @BeforeEach
  void create(TestInfo test) throws Exception {
    name = test.getTestMethod().orElseThrow().getName();
    broker.createTopic(name, 3);
    topic = new Topic(broker, name);
  }

  @AfterEach
  void closeTopic() {
    topic.close();
  }

  private DebeziumFeed<Long> feed(Follower<Long> proofs) {
    return DebeziumFeed.of(broker.address(), name, "id", Long::valueOf, proofs);
  }

  /** Returns when the feed has found where the topic ends. */
  private static <K> void begin(DebeziumFeed<K> feed, MutableFilter<K> into) throws Exception {
    feed.begin(into);
    Await.until(() -> feed.doubt() == null);
  }

  private static LongStream missing(MutableFilter<Long> filter, long from, long to) {
    return LongStream.range(from, to).filter(id -> !filter.mightContain(id));
  }

  @Test
  void keysOfNewEvents_arriveInTheFilter() throws Exception {
    LongStream.range(0, 100).forEach(topic::inserted); // Before the feed: not read.
    try (DebeziumFeed<Long> feed = feed(NO_PROOFS)) {
      begin(feed, filter);
      LongStream.range(100, 300).forEach(topic::inserted);
      Await.until(() -> feed.arrived() == 200);
      assertThat(missing(filter, 100, 300)).isEmpty();
      assertThat(missing(filter, 0, 100)).isNotEmpty();
      Await.until(() -> feed.lag().orElse(1) == 0);
      assertThat(feed.doubt()).isNull();
    }
  }

  @Test
  void fromBeginning_readsAllThatTheTopicHas() throws Exception {
    LongStream.range(0, 200).forEach(topic::inserted);
    try (DebeziumFeed<Long> feed = feed(NO_PROOFS).fromBeginning()) {
      begin(feed, filter);
      Await.until(() -> feed.arrived() == 200);
      assertThat(missing(filter, 0, 200)).isEmpty();
      assertThatThrownBy(feed::fromBeginning).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void textAndUuids_areKeysToo() throws Exception {
    MutableFilter<String> texts = Woodbird.bloom(Keys.strings(), 1_000).build();
    MutableFilter<UUID> uuids = Woodbird.bloom(Keys.uuids(), 1_000).build();
    UUID uuid = UUID.fromString("1b4e28ba-2fa1-11d2-883f-0016d3cca427");
    Properties settings = new Properties();
    settings.putAll(broker.address());
    settings.put("group.id", "shared"); // Must not keep records from anybody.
    try (DebeziumFeed<String> one =
            DebeziumFeed.of(settings, name, "sku", text -> text, asked -> key -> false);
        DebeziumFeed<UUID> other =
            DebeziumFeed.of(settings, name, "code", UUID::fromString, asked -> key -> false)) {
      begin(one, texts);
      begin(other, uuids);
      topic.send("1", "{\"sku\": \"crow\", \"code\": \"" + uuid + "\", \"__deleted\": \"false\"}");
      Await.until(() -> one.arrived() == 1 && other.arrived() == 1);
      assertThat(texts.mightContain("crow")).isTrue();
      assertThat(uuids.mightContain(uuid)).isTrue();
    }
  }

  @Test
  void aRememberedMiss_isForgottenWhenItsEventArrives() throws Exception {
    DebeziumFeed<Long> feed = feed(asked -> key -> true);
    try (FollowingFilter<Long> following = FollowingFilter.over(filter, feed).start()) {
      Await.until(() -> feed.doubt() == null);
      AtomicInteger loads = new AtomicInteger();
      Guard<Long, String> guard =
          Guard.of(
              following,
              id -> {
                loads.incrementAndGet();
                return Optional.empty();
              });
      filter.put(5L); // As a false positive would be.
      filter.put(6L);
      guard.get(5L);
      guard.get(6L);
      assertThat(following.misses()).isEqualTo(2);
      topic.inserted(5);
      Await.until(() -> feed.arrived() == 1);
      assertThat(following.misses()).isEqualTo(1);
      guard.get(5L);
      guard.get(6L);
      assertThat(loads).hasValue(3); // Both at first, and then 5 only.
    }
  }

  @Test
  void deletions_areCountedOnce_andAnActionRuns() throws Exception {
    AtomicInteger rebuilds = new AtomicInteger();
    try (DebeziumFeed<Long> feed = feed(NO_PROOFS).onDeletions(10, rebuilds::incrementAndGet)) {
      begin(feed, filter);
      LongStream.range(0, 5).forEach(topic::deleted);
      for (int i = 5; i < 9; i++) {
        topic.send("{\"id\": " + i + "}", null); // A tombstone alone.
      }
      Await.until(() -> feed.deleted() >= 9);
      assertThat(rebuilds).hasValue(0);
      topic.send("9", "{\"id\": 9, \"__deleted\": \"true\"}");
      Await.until(() -> rebuilds.get() == 1);
      assertThat(feed.deleted()).isEqualTo(10);
      topic.send("x", "{\"op\": \"t\", \"before\": null, \"after\": null}");
      Await.until(() -> rebuilds.get() == 2);
      assertThat(feed.deleted()).isEqualTo(10);
      assertThat(feed.arrived()).isZero();
    }
  }

  @Test
  void recordsThatCannotBeRead_areLeftOut() throws Exception {
    List<String> poison =
        List.of("", "crow", "[1, 2]", "{\"id\":", "{\"name\": 5}", "{\"id\": \"crow\"}", "\0\1");
    try (DebeziumFeed<Long> feed = feed(NO_PROOFS)) {
      begin(feed, filter);
      for (int i = 0; i < poison.size(); i++) {
        topic.send(0, "{}", poison.get(i));
      }
      topic.send(0, "{}", "{\"id\": 7}");
      Await.until(() -> feed.arrived() == 1);
      assertThat(filter.mightContain(7L)).isTrue();
      assertThat(feed.unreadable()).isEqualTo(poison.size());
      assertThat(feed.deleted()).isZero();
      assertThat(feed.doubt()).isNull();
      topic.send(0, "{}", "crow");
      Await.until(() -> feed.doubt() != null);
      assertThat(feed.doubt()).contains(name + "-0, offset 8", "can't be read");
    }
  }

  /** The filter, whose store is away for a while. */
  @SuppressWarnings("unchecked")
  private MutableFilter<Long> failing(AtomicBoolean isAway) {
    return (MutableFilter<Long>)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MutableFilter.class},
            (proxy, method, arguments) -> {
              if (isAway.get()) {
                throw new IllegalStateException("the store is away");
              }
              return method.invoke(filter, arguments);
            });
  }

  @Test
  void aFilterThatTakesNoKey_doesNotStopTheFeed() throws Exception {
    AtomicBoolean isAway = new AtomicBoolean(true);
    try (DebeziumFeed<Long> feed = feed(NO_PROOFS)) {
      begin(feed, failing(isAway));
      topic.inserted(1);
      Await.until(() -> feed.doubt() != null);
      assertThat(feed.doubt()).contains("the store is away");
      isAway.set(false);
      topic.inserted(3);
      Await.until(() -> feed.arrived() == 1);
      assertThat(feed.doubt()).isNull();
    }
  }

  @Test
  void newPartitions_areReadFromTheirBeginning() throws Exception {
    Map<String, Object> settings = new HashMap<>(broker.address());
    settings.put("metadata.max.age.ms", 1_000); // To see them soon.
    try (DebeziumFeed<Long> feed =
        DebeziumFeed.of(settings, name, "id", Long::valueOf, NO_PROOFS)) {
      begin(feed, filter);
      broker.addPartitions(name, 5);
      topic.close();
      topic = new Topic(broker, name); // Knows the new ones.
      for (int i = 0; i < 5; i++) {
        topic.send(i, "" + i, "{\"id\": " + i + "}");
      }
      Await.until(() -> feed.arrived() == 5);
      assertThat(missing(filter, 0, 5)).isEmpty();
    }
  }

  @Test
  void aTopicThatDoesNotExist_isADoubt_untilItIsThere() throws Exception {
    String late = name + "-late";
    try (DebeziumFeed<Long> feed =
        DebeziumFeed.of(broker.address(), late, "id", Long::valueOf, NO_PROOFS)) {
      feed.begin(filter);
      Await.until(() -> String.valueOf(feed.doubt()).contains("does not exist"));
      broker.createTopic(late, 1);
      Await.until(() -> feed.doubt() == null);
      try (Topic found = new Topic(broker, late)) {
        found.inserted(1);
        Await.until(() -> feed.arrived() == 1);
      }
    }
  }

  @Test
  void wrongSettings_areRefusedAtOnce() {
    assertThatThrownBy(
            () ->
                DebeziumFeed.of(
                    Map.of("fetch.min.bytes", "crow"), "t", "id", Long::valueOf, NO_PROOFS))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> feed(NO_PROOFS).onDeletions(0, () -> {}))
        .hasMessage("rows must be positive: 0");
  }

  /** Rows that nobody tells the filter of. Returns how many of them were denied. */
  private static long denied(DataSource source, FollowingFilter<Long> following, long from, long to)
      throws SQLException {
    long denied = 0;
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (long id = from; id < to; id++) {
        statement.execute("insert into product values (" + id + ")");
        Answer answer = following.ask(id);
        assertThat(answer).isNotEqualTo(Answer.UNKNOWN);
        denied += answer == Answer.NOT_HERE ? 1 : 0;
      }
    }
    return denied;
  }

  private JdbcConnectionPool database() throws SQLException {
    JdbcConnectionPool source =
        JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "", "");
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table product (id bigint primary key)");
    }
    return source;
  }

  @Test
  void noRowIsDenied_whileTheFeedIsBehind() throws Exception {
    JdbcConnectionPool source = database();
    DebeziumFeed<Long> feed = feed(JdbcKeys.longs(source, "select id from product").follower());
    try (FollowingFilter<Long> following =
        FollowingFilter.over(filter, feed).patience(Duration.ofMinutes(5)).start()) {
      Await.until(() -> feed.doubt() == null);
      Await.until(() -> following.ask(-1L) == Answer.NOT_HERE);
      assertThat(denied(source, following, 0, 30)).isZero(); // No event comes at all.
    } finally {
      source.dispose();
    }
    assertThat(feed.doubt()).isEqualTo("closed");
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_whileTheBrokerIsDead() throws Exception {
    JdbcConnectionPool source = database();
    DebeziumFeed<Long> feed = feed(JdbcKeys.longs(source, "select id from product").follower());
    try (FollowingFilter<Long> following =
        FollowingFilter.over(filter, feed).patience(Duration.ofMinutes(5)).start()) {
      Await.until(() -> feed.doubt() == null);
      Await.until(() -> following.ask(-1L) == Answer.NOT_HERE);
      broker.kill();
      assertThat(denied(source, following, 30, 60)).isZero();
      Await.until(() -> String.valueOf(feed.doubt()).contains("no answer"));
      assertThat(feed.lag()).isEmpty();
      broker.startAgain();
      topic.inserted(1_000);
      Await.until(() -> feed.arrived() == 1);
      Await.until(() -> feed.doubt() == null);
      assertThat(filter.mightContain(1_000L)).isTrue();
      assertThat(denied(source, following, 60, 90)).isZero();
    } finally {
      source.dispose();
    }
    assertThat(feed.doubt()).isEqualTo("closed");
  }

  /** The control: what would happen if the feed were taken for a proof. */
  @Test
  void aTopic_isNoProof() throws Exception {
    JdbcConnectionPool source = database();
    DebeziumFeed<Long> feed = feed(asked -> Follower.Proof.complete());
    try (FollowingFilter<Long> following = FollowingFilter.over(filter, feed).start()) {
      Await.until(() -> feed.doubt() == null);
      assertThat(denied(source, following, 0, 30)).isPositive();
    } finally {
      source.dispose();
    }
  }
}
