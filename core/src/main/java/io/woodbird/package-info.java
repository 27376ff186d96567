/**
 * Membership filters for the JVM. A filter answers one question about a very large set: <em>is this
 * key here?</em> It says "not here", which is certain, or "maybe here", which is wrong for a chosen
 * small share of the keys that are not here.
 *
 * <pre>{@code
 * MutableFilter<String> seen = Woodbird.bloom(Keys.strings(), 10_000_000).fpp(0.001).build();
 * seen.put("crow");
 * seen.mightContain("crow"); // true
 * seen.mightContain("owl");  // false, but for one in a thousand owls
 * }</pre>
 *
 * <p>Start at {@link io.woodbird.Woodbird}: it has a method for each need, and each gives a
 * builder. {@link io.woodbird.key.Keys} says what a key is. What a filter can do is its type:
 *
 * <table>
 *   <caption>The types, and the methods that make them</caption>
 *   <tr><th>type</th><th>can</th><th>made by</th></tr>
 *   <tr><td>{@link io.woodbird.Filter}</td><td>answer, be saved</td>
 *     <td>{@link io.woodbird.Woodbird#frozen frozen}, {@link io.woodbird.Woodbird#readFrom
 *     readFrom}, {@link io.woodbird.Woodbird#wrap wrap}</td></tr>
 *   <tr><td>{@link io.woodbird.OpenFilter}</td><td>answer from a file</td>
 *     <td>{@link io.woodbird.Woodbird#open open}</td></tr>
 *   <tr><td>{@link io.woodbird.MutableFilter}</td><td>take keys</td>
 *     <td>{@link io.woodbird.Woodbird#window window}</td></tr>
 *   <tr><td>{@link io.woodbird.BloomFilter}</td><td>take keys, unite</td>
 *     <td>{@link io.woodbird.Woodbird#bloom bloom}</td></tr>
 *   <tr><td>{@link io.woodbird.DurableFilter}</td><td>take keys that survive a crash</td>
 *     <td>{@link io.woodbird.BloomBuilder#file bloom(...).file}</td></tr>
 *   <tr><td>{@link io.woodbird.MergeableFilter}</td><td>take keys, remove them, merge</td>
 *     <td>{@link io.woodbird.Woodbird#deletable deletable}, {@link
 *     io.woodbird.Woodbird#growing growing}</td></tr>
 * </table>
 *
 * <p>All of them keep one guarantee: never "not here" unless it is known. Doubt is {@link
 * io.woodbird.Answer#UNKNOWN} or an exception: {@link io.woodbird.CorruptFilterException} for
 * damaged bytes, {@link io.woodbird.IncompatibleFilterException} for things that do not fit, {@link
 * io.woodbird.FilterFullException} where there is no room. A put is done, or it throws.
 *
 * <p>How large a filter will be is known before it is built: {@code plan()} of its builder, or
 * {@link io.woodbird.Woodbird#plan} to compare all kinds. A filter in front of a database is in
 * {@link io.woodbird.guard}.
 */
@NullMarked
package io.woodbird;

import org.jspecify.annotations.NullMarked;
