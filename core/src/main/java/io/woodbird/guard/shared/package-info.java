/** What a store implements in which several processes share one filter: our Redis module. */
@NullMarked
package io.woodbird.guard.shared;

import org.jspecify.annotations.NullMarked;
