/** How a filter is stored in Redis: its keys, headers, scripts and commands. Internal. */
@NullMarked
package io.woodbird.redis.layout;

import org.jspecify.annotations.NullMarked;
