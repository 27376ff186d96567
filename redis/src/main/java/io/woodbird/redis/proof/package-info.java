/** When an answer may be "not here", what makes it doubtful, and what ends the doubt. Internal. */
@NullMarked
package io.woodbird.redis.proof;

import org.jspecify.annotations.NullMarked;
