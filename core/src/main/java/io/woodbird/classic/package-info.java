/**
 * The well-known Bloom filters, bit for bit: to read, check and replace the filters of Guava,
 * Redisson and other programs, and to see why home-made hashing fails. New filters belong to {@link
 * io.woodbird.Woodbird}.
 */
@NullMarked
package io.woodbird.classic;

import org.jspecify.annotations.NullMarked;
