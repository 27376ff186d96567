/**
 * The same filters over Redis, Valkey and Redis Cluster, shared by many machines. Begin with {@link
 * io.woodbird.redis.WoodbirdRedis}.
 */
@NullMarked
package io.woodbird.redis;

import org.jspecify.annotations.NullMarked;
