/** How a filter is made, filled, built anew and swapped. Internal. */
@NullMarked
package io.woodbird.redis.generations;

import org.jspecify.annotations.NullMarked;
