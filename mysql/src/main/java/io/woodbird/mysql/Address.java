package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.network.SSLMode;

/**
 * Where and how a stream connects.
 *
 * @param tls whether the connection is encrypted
 * @param serverId what the stream calls itself among the replicas of the server
 */
record Address(String host, int port, String user, String password, SSLMode tls, long serverId) {
  /** Without the password. */
  @Override
  public String toString() {
    return user + "@" + host + ":" + port;
  }
}
