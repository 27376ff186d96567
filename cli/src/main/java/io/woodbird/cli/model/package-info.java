/**
 * The words after {@code woodbird}: verbs, options, and the help, man page and completion made of
 * them.
 */
@NullMarked
package io.woodbird.cli.model;

import org.jspecify.annotations.NullMarked;
