/** A copy of a filter in the process. Internal. */
@NullMarked
package io.woodbird.redis.near;

import org.jspecify.annotations.NullMarked;
