/**
 * Follows a table of MySQL or MariaDB by the binary log. Begin with {@link
 * io.woodbird.mysql.BinlogFollower}.
 */
@NullMarked
package io.woodbird.mysql;

import org.jspecify.annotations.NullMarked;
