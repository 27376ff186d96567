package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that is cut short or wiped while threads ask: no present key is "not here". */
class VanishingFileTest {
  private static final long SEED = 7;
  private static final Pattern RESULT =
      Pattern.compile("rounds=(\\d+) asked=(\\d+) denied=(\\d+) errors=(\\d+)");

  /** How a file is opened. */
  private static final String[] READERS = {"woodbird", "mapped"};

  @TempDir private Path folder;

  /*
   * One JVM for all: starting one and compiling the loops took more time than the rounds. In
   * "late-end" the end of the file outlives the pages before it, as it may while a file is being
   * cut.
   */
  @Test
  void noPresentKeyIsLost_andTheJvmLives() throws Exception {
    List<Part> parts = new ArrayList<>();
    for (String[] one :
        new String[][] {
          {"TWO_3", "cut"}, {"TWO_3", "wipe"}, {"PAIR_3", "cut"}, {"classic", "wipe"}
        }) {
      for (String reader : READERS) {
        parts.add(new Part(one[0], reader, one[1], Rounds.of(16)));
      }
    }
    parts.add(new Part("TWO_1", "late-end", "cut", 8));
    parts.add(new Part("classic", "late-end", "cut", 8));
    assertThat(denied(parts)).containsOnly(0L);
  }

  @Test
  void cuttingAFileWhileItIsBeingOpened_isAnIoError() throws Exception {
    List<Part> parts =
        Stream.of(READERS).map(reader -> new Part("TWO_3", reader, "open", Rounds.of(50))).toList();
    assertThat(denied(parts)).containsOnly(0L);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "TWO_1, cut", "TWO_1, wipe", "TWO_3, cut", "TWO_3, wipe", "FOUR_2, cut", "FOUR_2, wipe",
    "PAIR_2, cut", "PAIR_2, wipe", "PAIR_3, cut", "PAIR_3, wipe", "classic, cut", "classic, wipe"
  })
  void noPresentKeyIsLost_inAThousandRounds(String layout, String how) throws Exception {
    List<Part> parts =
        Stream.of(READERS).map(reader -> new Part(layout, reader, how, 1000)).toList();
    assertThat(denied(parts)).containsOnly(0L);
  }

  /** The control: the test does see wrong answers where there are some. */
  @Test
  void aNaiveReader_losesKeys() throws Exception {
    List<Part> parts =
        List.of(new Part("TWO_3", "naive", "cut", 8), new Part("TWO_3", "naive", "wipe", 8));
    assertThat(denied(parts)).allMatch(count -> count > 0);
  }

  /** Rounds with one reader of files of one layout, to which the same is done. */
  private record Part(String layout, String reader, String how, int rounds) {}

  /** Does all parts in one JVM; returns how many keys each has denied. */
  private List<Long> denied(List<Part> parts) throws Exception {
    List<Object> arguments = new ArrayList<>(List.of(folder, SEED));
    for (Part part : parts) {
      arguments.addAll(List.of(part.layout, part.reader, part.how, part.rounds));
    }
    ChildJvm.Result result =
        ChildJvm.run(
            ChildJvm.command(
                List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"),
                VanishingFile.class,
                arguments.toArray()));
    assertThat(result.exit()).as(result.output()).isZero();
    Matcher matcher = RESULT.matcher(result.output());
    List<Long> denied = new ArrayList<>();
    for (Part part : parts) {
      assertThat(matcher.find()).as(result.output()).isTrue();
      System.out.println(part + ": " + matcher.group());
      assertThat(Long.parseLong(matcher.group(2)))
          .as("%s", part)
          .isGreaterThan(1000L * part.rounds);
      denied.add(Long.parseLong(matcher.group(3)));
    }
    return denied;
  }
}
