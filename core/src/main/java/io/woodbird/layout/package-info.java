/**
 * Which bits a hash owns, and how many bits a filter needs. Nothing here touches memory: a layout
 * is arithmetic, so that heap, file and Redis share one derivation.
 */
@NullMarked
package io.woodbird.layout;

import org.jspecify.annotations.NullMarked;
