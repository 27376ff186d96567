package io.woodbird.postgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Gives every test class a server of its own. */
abstract class OnePostgres {
  static TestPostgres server;

  @BeforeAll
  static void startServer() throws Exception {
    server = TestPostgres.start();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }
}
