/** The verbs. */
@NullMarked
package io.woodbird.cli.verb;

import org.jspecify.annotations.NullMarked;
