/** How a filter is made, filled, rebuilt and swapped. Internal. */
@NullMarked
package io.woodbird.redis.generations;

import org.jspecify.annotations.NullMarked;
