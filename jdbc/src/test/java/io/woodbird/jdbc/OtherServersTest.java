package io.woodbird.jdbc;

import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.OtherPrograms;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests of MariaDB against every other server that is here: MySQL. */
@Tag("slow")
final class OtherServersTest {
  @Test
  void passOnEveryOtherServer() throws Exception {
    OtherPrograms.pass(
        MariaDbServer.PROGRAMS,
        MariaDbServer.programs(),
        12,
        MariaDbServer::version,
        List.of(MariaDbTest.class, NetworkTest.class, ForeignWritersTest.class));
  }
}
