/** The numbers of a guard as meters of Micrometer: {@link io.woodbird.micrometer.GuardMeters}. */
@NullMarked
package io.woodbird.micrometer;

import org.jspecify.annotations.NullMarked;
