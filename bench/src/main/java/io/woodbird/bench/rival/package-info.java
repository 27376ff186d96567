/**
 * The sets that are compared, all behind {@link io.woodbird.bench.rival.Rival}.
 *
 * <p>The adapters of two libraries look alike where the libraries do. They stay apart: one adapter
 * for both would put a call of its own between the benchmark and the filter.
 */
package io.woodbird.bench.rival;
