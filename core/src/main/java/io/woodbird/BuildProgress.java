package io.woodbird;

/**
 * How far a long build is.
 *
 * @param phase {@code "reading"} keys, {@code "building"} shards, {@code "writing"} the file
 * @param done keys so far, bytes when writing
 * @param total all of them, or -1 if it is not known yet
 */
public record BuildProgress(String phase, long done, long total) {}
