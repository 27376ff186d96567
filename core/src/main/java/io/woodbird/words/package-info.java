/** Words of 64 bits on the heap or in a mapped file. Nothing here knows what a filter is. */
@NullMarked
package io.woodbird.words;

import org.jspecify.annotations.NullMarked;
