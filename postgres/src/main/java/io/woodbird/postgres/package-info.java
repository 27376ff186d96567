/**
 * Follows a table of PostgreSQL by logical replication, so that a filter has every committed key,
 * whichever program wrote the row. Begin with {@link io.woodbird.postgres.PostgresFollower}.
 */
@NullMarked
package io.woodbird.postgres;

import org.jspecify.annotations.NullMarked;
