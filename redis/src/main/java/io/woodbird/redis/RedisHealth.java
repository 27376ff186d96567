package io.woodbird.redis;

import java.util.List;

/**
 * The state of a filter in Redis.
 *
 * @param well whether every shard is there, and may say "not here"
 * @param generation the number of the generation that is asked
 * @param shards over how many Redis keys it is spread
 * @param bytes what they hold together
 * @param replicaLagBytes by how many bytes of its stream the slowest replica is behind, -1 if there
 *     is none
 * @param nearLagMillis how old the near replica is, -1 if there is none or it knows nothing yet
 * @param doubts why answers are unknown
 * @param risks what may endanger the filter later: an eviction policy, a time to live
 */
public record RedisHealth(
    boolean well,
    long generation,
    int shards,
    long bytes,
    long replicaLagBytes,
    long nearLagMillis,
    List<String> doubts,
    List<String> risks) {}
