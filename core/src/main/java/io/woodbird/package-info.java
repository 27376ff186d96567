/**
 * Membership filters for the JVM. A filter answers one question about a very large set: <em>is this
 * key here?</em> It says "not here", which is certain, or "maybe here", which is wrong for a chosen
 * small share of the keys that are not here.
 *
 * <p>Start at {@link io.woodbird.Woodbird}.
 */
@NullMarked
package io.woodbird;

import org.jspecify.annotations.NullMarked;
