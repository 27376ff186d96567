/** Filters whose keys expire, by time or by count. Internal. */
@NullMarked
package io.woodbird.filter.window;

import org.jspecify.annotations.NullMarked;
