package io.woodbird.mysql;

import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.OtherPrograms;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same tests against every other server that is here: MySQL. */
@Tag("slow")
final class OtherServersTest {
  @Test
  void passOnEveryOtherServer() throws Exception {
    OtherPrograms.pass(
        MariaDbServer.PROGRAMS,
        MariaDbServer.programs(),
        40,
        MariaDbServer::version,
        List.of(
            BinlogChaosTest.class,
            BinlogFaultsTest.class,
            BinlogFollowerTest.class,
            KeptResultsTest.class,
            KeyTypesTest.class,
            MySqlCases.class,
            NetworkTest.class,
            RefusedTest.class,
            VisibleRowsTest.class));
  }
}
