package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every block of code on the pages does what it says. */
final class BlocksTest {
  /** Pages whose blocks other tests look at. */
  private static final Map<String, String> ELSEWHERE =
      Map.of("docs/cli.md", "made from the verbs; ModelTest of cli parses every example");

  private PageRun.Count all = new PageRun.Count(0, 0, List.of());

  /** The pages that a user reads, in the language that is run. */
  static List<String> pages() {
    return Page.all().stream()
        .filter(name -> name.startsWith("docs/") || !name.contains("/"))
        .filter(name -> !ELSEWHERE.containsKey(name))
        .filter(name -> Translation.original(name).isEmpty())
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> everyBlock_runs() {
    List<DynamicTest> tests = new ArrayList<>();
    for (String name : pages()) {
      tests.add(DynamicTest.dynamicTest(name, () -> all = all.plus(PageRun.of(Page.read(name)))));
    }
    tests.add(DynamicTest.dynamicTest("no block is passed over", this::count));
    return tests.stream();
  }

  /** Who copies the blocks of a page that shows imports needs no other ones. */
  @Test
  void aPageThatShowsImports_showsAllOfThem() throws IOException {
    Set<String> missing = new TreeSet<>();
    for (String name : pages()) {
      missing.addAll(PageRun.missingImports(Page.read(name)));
    }
    assertThat(missing).isEmpty();
  }

  private void count() {
    int blocks = pages().stream().mapToInt(name -> Page.read(name).blocks().size()).sum();
    System.out.printf(
        "%d blocks on %d pages: %d ran, %d compared with what was printed, %d only shown%n",
        blocks, pages().size(), all.ran(), all.compared(), all.shown().size());
    all.shown().forEach(line -> System.out.println("  only shown: " + line));
    assertThat(all.ran() + all.compared() + all.shown().size()).isEqualTo(blocks);
    assertThat(all.ran()).isPositive();
  }
}
