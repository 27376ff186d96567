package io.woodbird.postgres;

import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** Gives every test class a database of its own, on a server that all of them share. */
abstract class OnePostgres {
  static TestPostgres server;

  @BeforeAll
  static void useDatabase(TestInfo test) throws Exception {
    synchronized (OnePostgres.class) {
      if (server == null) {
        server = TestPostgres.start();
        Runtime.getRuntime().addShutdownHook(new Thread(OnePostgres::stopServer));
      }
    }
    server.use(test.getTestClass().orElseThrow().getSimpleName().toLowerCase(Locale.ROOT));
  }

  private static void stopServer() {
    try {
      server.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
