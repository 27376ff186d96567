package io.woodbird.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is written under {@code woodbird}.
 *
 * @param enabled Whether guards are active. If not, their beans are there and let everything pass.
 *     Keys still go into a filter that other instances share and do not follow a source for.
 * @param guards The guards by name.
 * @param redis Where guards live whose store is redis.
 */
@ConfigurationProperties("woodbird")
public record WoodbirdProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue Map<String, GuardProperties> guards,
    @DefaultValue Redis redis) {
  /**
   * Where guards live whose store is redis.
   *
   * @param url Address of the server, such as redis://user:password@host:6379/0, or several of a
   *     cluster with commas between. Without it the application's own client is used.
   * @param client Name of the bean that is the client, or its connection factory, if there are
   *     several.
   * @param prefix What the names of filters begin with. The application's name if not set.
   * @param timeout How long a call may take. Then the answer is "can't tell", and a put fails.
   */
  public record Redis(
      @Nullable String url,
      @Nullable String client,
      @Nullable String prefix,
      @DefaultValue("500ms") Duration timeout) {}

  /**
   * One guard.
   *
   * @param key What the keys are: long, string or uuid.
   * @param source Where all keys are read from.
   * @param caches Names of caches whose @Cacheable methods are guarded, without an annotation.
   * @param expectedKeys How many keys there are about. Found out by counting if not set.
   * @param fpp Share of the keys that do not exist which may still reach the loader.
   * @param headroom How much larger the filter is than the last count, so that it can grow.
   * @param floor Share of the last count that the source must give to be believed.
   * @param allowEmptySource Whether a source may give no key at all. Then every key is "not here".
   * @param rebuild When the filter is rebuilt.
   * @param store Where the filter lives: memory, file, redis, or what another module offers.
   * @param file The filter's file, for the store "file".
   * @param redis How the filter lives in Redis, for the store "redis".
   * @param bulkhead How many look-ups may run at once while the filter can't tell.
   * @param follow How a key is proved absent before it is denied: lookup asks the database, none
   *     believes the filter, or the name of a Follower bean. If not set, lookup where the source is
   *     SQL, and none where it is a bean.
   * @param freshness How long a proof may be used again. Zero asks the source each time, so that a
   *     row is found as soon as its commit has returned.
   * @param longestWait How long a question waits for its proof. Then the filter can't tell.
   * @param audit Share of the "not here" that are let through to see that none is wrong. If not
   *     set, 0 for a guard that follows its source, and 0.001 for one that does not.
   */
  public record GuardProperties(
      @DefaultValue("long") KeyType key,
      @DefaultValue Source source,
      @DefaultValue List<String> caches,
      @Nullable Long expectedKeys,
      @DefaultValue("0.001") double fpp,
      @DefaultValue("1.5") double headroom,
      @DefaultValue("0.9") double floor,
      @DefaultValue("false") boolean allowEmptySource,
      @DefaultValue Rebuild rebuild,
      @DefaultValue("memory") String store,
      @Nullable Path file,
      @DefaultValue Shared redis,
      @DefaultValue("64") int bulkhead,
      @Nullable String follow,
      @DefaultValue("0") Duration freshness,
      @DefaultValue("1s") Duration longestWait,
      @Nullable Double audit) {}

  /**
   * Where all keys are read from.
   *
   * @param sql A query whose first column is the key, such as "select id from product".
   * @param dataSource Name of the DataSource bean, if there are several.
   * @param fetchSize How many rows the driver fetches at a time.
   * @param keepConnection Whether look-ups keep one connection of the pool, which all guards share.
   *     If not set, they do where the pool has four connections or more.
   * @param bean Name of a bean that gives the keys instead: a KeySource, or a Supplier of a Stream.
   */
  public record Source(
      @Nullable String sql,
      @Nullable String dataSource,
      @DefaultValue("10000") int fetchSize,
      @Nullable Boolean keepConnection,
      @Nullable String bean) {}

  /**
   * When the filter is rebuilt.
   *
   * @param every How long after each build the next begins.
   * @param cron When builds begin instead, in UTC, such as "0 30 3 * * *".
   * @param retryAfter How long after a failed build the next begins.
   * @param settle How long a new key may take to become visible in the source. If not set, 10m;
   *     zero where keys are looked up before they are denied, because there a build may lack keys.
   * @param patience How long the source may give no key before its build is interrupted.
   */
  public record Rebuild(
      @DefaultValue("1h") Duration every,
      @Nullable String cron,
      @DefaultValue("1m") Duration retryAfter,
      @Nullable Duration settle,
      @DefaultValue("10m") Duration patience) {}

  /**
   * How the filter of a guard lives in Redis.
   *
   * @param near Whether this instance keeps a copy of the filter in memory, so that it need not ask
   *     Redis about most keys.
   * @param lag How old the copy may be to say "not here" without Redis. If not set, 1s where keys
   *     are looked up before they are denied; elsewhere Redis is asked, because the copy may lack
   *     keys that other instances have just put.
   * @param durability When a put counts as done: in the memory of the master, of replicas too, or
   *     on disk. If not set, master for a new filter, and its own for one that is there.
   * @param replicas How many replicas must have a put. If not set, 1 for replicas and 0 for disk.
   * @param patience How long a put waits for replicas and disks before it fails. If not set, half
   *     of woodbird.redis.timeout.
   */
  public record Shared(
      @DefaultValue("false") boolean near,
      @Nullable Duration lag,
      @Nullable Level durability,
      @Nullable Integer replicas,
      @Nullable Duration patience) {
    /** Where a put must be before it counts as done. */
    public enum Level {
      /** The master, in its memory. */
      MASTER,
      /** Replicas, in their memory. */
      REPLICAS,
      /** The master, on its disk. */
      DISK
    }
  }
}
