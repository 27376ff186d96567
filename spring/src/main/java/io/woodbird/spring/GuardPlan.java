package io.woodbird.spring;

import io.woodbird.guard.KeySource;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.key.KeyHasher;
import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import java.util.function.Consumer;

/**
 * What a store needs to know to make the filter of a guard.
 *
 * @param guard the name of the guard
 * @param keys hashes the keys
 * @param source gives all keys
 * @param properties what is configured
 * @param isLookedUp whether a key is looked up in the source before it is denied; then a filter
 *     that lacks keys does no harm
 * @param events is to be told what happens
 */
public record GuardPlan(
    String guard,
    KeyHasher<Object> keys,
    KeySource<?> source,
    GuardProperties properties,
    boolean isLookedUp,
    Consumer<RebuildEvent> events) {}
