/**
 * Debezium change events on Kafka: {@link io.woodbird.kafka.DebeziumFeed} brings the keys of new
 * rows into a filter early.
 */
@NullMarked
package io.woodbird.kafka;

import org.jspecify.annotations.NullMarked;
