/**
 * A filter in front of a loader, and a filter that is rebuilt from its source.
 *
 * <p>{@link io.woodbird.guard.Guard} keeps look-ups for keys that do not exist away from a
 * database. {@link io.woodbird.guard.RebuildingFilter} keeps the filter true to that database.
 */
@NullMarked
package io.woodbird.guard;

import org.jspecify.annotations.NullMarked;
