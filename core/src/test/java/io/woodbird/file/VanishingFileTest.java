package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is cut short or wiped while threads ask: no present key is "not here". */
class VanishingFileTest {
  private static final long SEED = 7;
  private static final Pattern RESULT =
      Pattern.compile("rounds=(\\d+) asked=(\\d+) denied=(\\d+) errors=(\\d+)");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"TWO_3, cut", "TWO_3, wipe", "PAIR_3, cut", "classic, wipe"})
  void noPresentKeyIsLost_andTheJvmLives(String layout, String how) throws Exception {
    assertThat(denied(layout, "woodbird,mapped", how, Rounds.of(16))).isZero();
  }

  /** While a file is being cut, its end may outlive the pages before it. */
  @ParameterizedTest
  @ValueSource(strings = {"TWO_1", "classic"})
  void noPresentKeyIsLost_thoughTheEndIsStillThere(String layout) throws Exception {
    assertThat(denied(layout, "late-end", "cut", 8)).isZero();
  }

  @Test
  void cuttingAFileWhileItIsBeingOpened_isAnIoError() throws Exception {
    assertThat(denied("TWO_3", "woodbird,mapped", "open", Rounds.of(50))).isZero();
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "TWO_1, cut", "TWO_1, wipe", "TWO_3, cut", "TWO_3, wipe", "FOUR_2, cut", "FOUR_2, wipe",
    "PAIR_2, cut", "PAIR_2, wipe", "PAIR_3, cut", "PAIR_3, wipe", "classic, cut", "classic, wipe"
  })
  void noPresentKeyIsLost_inAThousandRounds(String layout, String how) throws Exception {
    assertThat(denied(layout, "woodbird,mapped", how, 1000)).isZero();
  }

  /** The control: the test does see wrong answers where there are some. */
  @Test
  void aNaiveReader_losesKeys() throws Exception {
    assertThat(denied("TWO_3", "naive", "cut", 8)).isPositive();
    assertThat(denied("TWO_3", "naive", "wipe", 8)).isPositive();
  }

  /** Runs so many rounds with each of the readers, in one JVM; returns what all have denied. */
  private long denied(String layout, String readers, String how, int rounds) throws Exception {
    ChildJvm.Result result =
        ChildJvm.run(
            ChildJvm.command(
                List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash"),
                VanishingFile.class,
                folder,
                layout,
                readers,
                how,
                rounds,
                SEED));
    assertThat(result.exit()).as(result.output()).isZero();
    Matcher matcher = RESULT.matcher(result.output());
    long denied = 0;
    for (String reader : readers.split(",")) {
      assertThat(matcher.find()).as(result.output()).isTrue();
      System.out.println(layout + ", " + reader + ", " + how + ": " + matcher.group());
      assertThat(Long.parseLong(matcher.group(2))).isGreaterThan(1000L * rounds);
      denied += Long.parseLong(matcher.group(3));
    }
    return denied;
  }
}
