/** Lengths of time as settings. Internal. */
@NullMarked
package io.woodbird.time;

import org.jspecify.annotations.NullMarked;
