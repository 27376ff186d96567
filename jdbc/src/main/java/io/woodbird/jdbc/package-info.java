/**
 * Keys in any database: {@link io.woodbird.jdbc.JdbcKeys} reads them for a filter, and proves that
 * keys are absent before they are denied.
 */
@NullMarked
package io.woodbird.jdbc;

import org.jspecify.annotations.NullMarked;
