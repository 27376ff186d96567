package io.woodbird.classic;

/**
 * A hash of 128 bits.
 *
 * @param first the half that comes first in the original's result
 * @param second the other half
 */
record Hash128(long first, long second) {}
