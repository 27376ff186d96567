/** What the console and the command line share: JSON, amounts as people write them, headers. */
@NullMarked
package io.woodbird.console.shared;

import org.jspecify.annotations.NullMarked;
