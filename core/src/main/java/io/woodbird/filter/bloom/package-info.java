/** Bloom filters: blocked, classic, counting, and the durable one with its journal. Internal. */
@NullMarked
package io.woodbird.filter.bloom;

import org.jspecify.annotations.NullMarked;
