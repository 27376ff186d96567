/** The {@code woodbird} command. */
@NullMarked
package io.woodbird.cli;

import org.jspecify.annotations.NullMarked;
