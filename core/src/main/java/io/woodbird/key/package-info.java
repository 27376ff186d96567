/** Hashers, which turn a key into 64 bits. */
@NullMarked
package io.woodbird.key;

import org.jspecify.annotations.NullMarked;
