/** Woodbird beside its rivals: JMH benchmarks, and a report on what the project promises. */
package io.woodbird.bench;
