package io.woodbird;

/**
 * What a delta changes, and how large it is. Returned by {@link DeltaBuilder#buildTo}.
 *
 * @param keys how many keys the new list has
 * @param added how many of them the base denied
 * @param removed how many keys of the old list are not in the new one
 * @param fpp the false positive probability of the base with the delta
 * @param bytes the length of the file of the delta
 */
public record DeltaSummary(long keys, long added, long removed, double fpp, long bytes) {}
