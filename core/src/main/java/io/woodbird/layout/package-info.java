/**
 * Which bits a hash owns, and how many bits a filter needs. A layout is arithmetic and touches no
 * memory, so that heap, file and Redis share one derivation.
 */
@NullMarked
package io.woodbird.layout;

import org.jspecify.annotations.NullMarked;
