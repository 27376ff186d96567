/**
 * Filters that store a fingerprint of every key, so keys can be removed: one size, or growing.
 * Internal.
 */
@NullMarked
package io.woodbird.filter.quotient;

import org.jspecify.annotations.NullMarked;
