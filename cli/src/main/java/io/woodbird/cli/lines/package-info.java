/** Input: lines as bytes, compression, fields, and the keys made of them. */
@NullMarked
package io.woodbird.cli.lines;

import org.jspecify.annotations.NullMarked;
