/** A product service under attack, with and without a guard. */
@NullMarked
package io.woodbird.example.guard;

import org.jspecify.annotations.NullMarked;
