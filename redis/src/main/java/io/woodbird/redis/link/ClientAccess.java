package io.woodbird.redis.link;

import io.woodbird.redis.RedisEvent;
import java.util.function.Consumer;

/**
 * What a format of its own needs to reach a server.
 *
 * @param link the way to it
 * @param time the clock, and random numbers
 * @param listener is told what goes wrong
 */
public record ClientAccess(Link link, Time time, Consumer<RedisEvent> listener) {}
