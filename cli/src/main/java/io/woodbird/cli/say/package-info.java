/** What is said to people and to programs: errors, numbers, progress, JSON. */
@NullMarked
package io.woodbird.cli.say;

import org.jspecify.annotations.NullMarked;
