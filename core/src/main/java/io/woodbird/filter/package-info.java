/** Layout and words joined: the filters. */
@NullMarked
package io.woodbird.filter;

import org.jspecify.annotations.NullMarked;
