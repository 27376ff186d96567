/** The sets that are compared, all behind {@link io.woodbird.bench.rival.Rival}. */
package io.woodbird.bench.rival;
