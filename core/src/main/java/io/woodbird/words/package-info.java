/** Where bits live: on the heap, in a mapped file. Nothing here knows what a filter is. */
@NullMarked
package io.woodbird.words;

import org.jspecify.annotations.NullMarked;
