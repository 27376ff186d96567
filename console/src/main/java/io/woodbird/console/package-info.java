/** A local page to play with filters, plan them, look into their files and watch guards. */
@NullMarked
package io.woodbird.console;

import org.jspecify.annotations.NullMarked;
