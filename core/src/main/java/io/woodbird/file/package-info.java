/**
 * The {@code .wbird} format: a header, pages of data with a checksum each, a footer. This package
 * does not know what the data means. {@code spec/file-format.md} is the contract.
 */
@NullMarked
package io.woodbird.file;

import org.jspecify.annotations.NullMarked;
