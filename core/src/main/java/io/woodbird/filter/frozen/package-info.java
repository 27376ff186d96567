/** Filters over a fixed set of keys: ribbon and fuse, and how they are built. Internal. */
@NullMarked
package io.woodbird.filter.frozen;

import org.jspecify.annotations.NullMarked;
