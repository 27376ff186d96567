/** Filters of Redisson's own format. */
@NullMarked
package io.woodbird.redis.redisson;

import org.jspecify.annotations.NullMarked;
