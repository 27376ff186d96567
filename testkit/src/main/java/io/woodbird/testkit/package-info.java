/**
 * What every filter must pass, whoever wrote it: contracts as abstract JUnit classes, seeded
 * trials, and a meter for false positives.
 *
 * <p>A filter is tested by extending {@link io.woodbird.testkit.MutableFilterContract}, or the
 * contract of its type, and saying how to make one.
 */
@NullMarked
package io.woodbird.testkit;

import org.jspecify.annotations.NullMarked;
