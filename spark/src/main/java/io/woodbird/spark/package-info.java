/** Woodbird in Apache Spark: a cluster builds a filter, and asks it in SQL. */
@NullMarked
package io.woodbird.spark;

import org.jspecify.annotations.NullMarked;
