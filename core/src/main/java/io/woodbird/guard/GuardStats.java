package io.woodbird.guard;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a guard has seen since it was made. Each number only grows.
 *
 * @param asked how many keys were asked for: {@code stopped + audited + maybe + unknown}
 * @param stopped "not here": the loader was not called
 * @param maybe "maybe here": the loader may be called
 * @param unknown the filter could not tell: the loader may be called, if the bulkhead has room
 * @param unknownReasons the same by reason
 * @param rejected of the unknown, those that found the bulkhead full
 * @param loaded how many look-ups reached the loader
 * @param found of those, how many found something
 * @param missed of those, how many found nothing
 * @param falsePositives "maybe here", and the loader found nothing: wrong guesses of the filter,
 *     and keys deleted since it was built
 * @param failed how many look-ups ended in an exception
 * @param audited "not here" that were let through to see whether it was true
 * @param wrong of those, how many were false: real keys that would have been stopped
 * @param doubts what the filter says about itself, see {@link io.woodbird.FilterStats#doubts()}
 */
public record GuardStats(
    long asked,
    long stopped,
    long maybe,
    long unknown,
    Map<String, Long> unknownReasons,
    long rejected,
    long loaded,
    long found,
    long missed,
    long falsePositives,
    long failed,
    long audited,
    long wrong,
    List<String> doubts) {
  /** Says it in one line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d asked, %,d stopped, %,d loaded: %,d found, %,d false positives, %,d failed;"
            + " %,d unknown %s, %,d rejected; %,d audited, %,d wrong%s",
        asked,
        stopped,
        loaded,
        found,
        falsePositives,
        failed,
        unknown,
        unknownReasons,
        rejected,
        audited,
        wrong,
        doubts.isEmpty() ? "" : "; doubts: " + doubts);
  }
}
