package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.console.GuardSnapshot.Generation;
import io.woodbird.console.GuardSnapshot.State;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The guards of several processes in one view. */
final class InstancesPageTest extends BrowserTest {
  private static GuardSource guard(long generation, int waiting, String... doubts) {
    Instant then = Instant.parse("2026-01-01T00:00:00Z");
    Generation serving = new Generation(generation, State.SERVING, then, then, null, 5_000);
    GuardSnapshot.Proofs proofs = new GuardSnapshot.Proofs(5, waiting, 0);
    return () ->
        List.of(
            new GuardSnapshot(
                "products", 9, 8, 1, 1, 0, 0, List.of(serving), List.of(doubts), proofs));
  }

  @Test
  void instances_areInOneTableWorstFirst() throws IOException {
    try (Console fine = Console.start(folder, 0, guard(7, 0));
        Console late = Console.start(folder, 0, guard(7, 3));
        Console old = Console.start(folder, 0, guard(6, 0));
        Console doubtful = Console.start(folder, 0, guard(7, 0, "No build since noon."))) {
      Console gone = Console.start(folder, 0);
      gone.close();
      List<URI> all = List.of(fine.uri(), late.uri(), old.uri(), doubtful.uri(), gone.uri());
      try (Console watching = Console.start(folder, 0, guard(7, 0), all)) {
        browser.takeRequests();
        browser.open(watching.uri() + "&guards");
        browser.await(
            "return document.querySelectorAll('.instances tbody tr').length === 6"
                + " && document.querySelector('.instances').textContent.includes('does not answer')"
                + " && !document.querySelector('.instances').textContent.includes('asking')");
        assertThat(
                browser.js(
                    "return [...document.querySelectorAll('.instances tbody tr')].map(row =>"
                        + " row.dataset.bad).join(' ')"))
            .isEqualTo("5 4 3 1 0 0");
        assertThat(browser.text(".instances tbody tr:nth-child(1)"))
            .contains(String.valueOf(gone.port()));
        assertThat(browser.text(".instances tbody tr:nth-child(2)"))
            .contains("No build since noon.");
        assertThat(browser.text(".instances .different")).isEqualTo("#6");
        assertThat(browser.text(".instances tbody tr:nth-child(4)")).contains("keys wait");
        assertThat(browser.text(".instances")).doesNotContain(fine.token());
        // The page asks its own console only; that one asks the others.
        assertThat(browser.takeRequests())
            .allMatch(
                url ->
                    url.startsWith("http://127.0.0.1:" + watching.port() + "/")
                        || url.equals("about:blank"));
        browser.go("#play");
        browser.takeRequests();
      }
    }
  }

  @Test
  void addresses_areChecked() {
    assertThatThrownBy(() -> new Instances(List.of(URI.create("file:///etc/passwd#token=secret"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("file:///etc/passwd")
        .hasMessageNotContaining("secret");
  }
}
