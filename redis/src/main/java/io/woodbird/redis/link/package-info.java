/**
 * The ways to servers: one interface for all that is asked of a client library, and Jedis and
 * Lettuce behind it. Internal.
 */
@NullMarked
package io.woodbird.redis.link;

import org.jspecify.annotations.NullMarked;
