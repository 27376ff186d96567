package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.testkit.Trials;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CsvTest {
  private static Format csv(String field, boolean skipBad) {
    return new Format((byte) '\n', false, ',', true, field, null, null, skipBad, true);
  }

  private static List<String> keys(String text, String field) throws IOException {
    return LinesTest.keys(text, csv(field, false));
  }

  @Test
  void aHeaderOfManyFields_isReadOnce_andShownInPart() throws IOException {
    int fields = 300_000;
    StringBuilder text = new StringBuilder("\u001b[2Jclear");
    for (int i = 1; i < fields; i++) {
      text.append(",f").append(i);
    }
    String header = text.toString();
    // Was 4.5e10 steps.
    assertThat(keys(header + "\n" + ",".repeat(fields - 1) + "last\n", "f" + (fields - 1)))
        .containsExactly("last");
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys(header + "\n", "email"))
        .satisfies(
            failure ->
                assertThat(failure.why())
                    .startsWith("Its fields are: ?[2Jclear, f1, f2,")
                    .endsWith(", f19, and 299,980 others"));
    for (String empty : List.of("", "\n", "\r\nalice\n")) {
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> keys(empty, "email"))
          .satisfies(
              failure ->
                  assertThat(failure.why()).isEqualTo("There is no first line, or it is empty."));
    }
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys("a,b,a\n", "a"))
        .satisfies(failure -> assertThat(failure.what()).contains("two fields \"a\""));
    assertThat(keys("a,\"b\"\"c\",\r\n1,2,3\r\n", "b\"c")).containsExactly("2");
    assertThat(keys("a,\"b\"\"c\",\r\n1,2,3\r\n", "")).containsExactly("3");
  }

  /** The field of each record as FastCSV reads it, or null if it refuses the text. */
  private static @Nullable List<String> byFastCsv(String text, int field) {
    List<String> keys = new ArrayList<>();
    CsvReader.CsvReaderBuilder settings =
        CsvReader.builder()
            .skipEmptyLines(false)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false);
    try (CsvReader<CsvRecord> reader = settings.ofCsvRecord(text)) {
      for (CsvRecord record : reader) {
        if (record.getFieldCount() < field) {
          return null;
        }
        keys.add(record.getField(field - 1));
      }
    } catch (CsvParseException e) {
      return null;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return keys;
  }

  /** Text in which commas, quotation marks and line ends are as frequent as letters. */
  private static String text(SplittableRandom random, int length) {
    String[] pieces = {"a", "b", "\u00e9", ",", "\"", "\"\"", "\n", "\r\n", "\",\"", "\n\""};
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append(pieces[random.nextInt(pieces.length)]);
    }
    return text.toString();
  }

  @Test
  void keys_areTheFieldsThatFastCsvReads() {
    int[] read = {0};
    Trials.sized(
        "CSV of any kind",
        20_000,
        60,
        (random, size) -> {
          String text = text(random, random.nextInt(size + 1));
          int field = 1 + random.nextInt(2);
          int room = 16 << random.nextInt(3);
          Format format = csv("" + field, false);
          List<String> expected = byFastCsv(text, field);
          if (expected == null) {
            assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> LinesTest.keys(LinesTest.dribble(text, random), format, room))
                .matches(failure -> failure.problem() == Problem.NO_FIELD);
          } else {
            read[0]++;
            assertThat(LinesTest.keys(LinesTest.dribble(text, random), format, room))
                .isEqualTo(expected);
          }
        });
    assertThat(read[0]).as("texts that both read").isGreaterThan(1000);
  }

  @Test
  void aMarkInsideAPlainField_isAByteLikeAnyOther() throws IOException {
    assertThat(keys("id,size\n1,5\" disk\n2,6\" disk\n3,x\n", "size"))
        .containsExactly("5\" disk", "6\" disk", "x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,\"b\nc,d\n", "a\n\"b\nc\n", "\"a", "a,b\nc,\"d\"\"\ne,f\n"})
  void aMarkThatIsNotClosed_isRefusedEvenIfBadLinesAreSkipped(String text) {
    for (boolean skipBad : new boolean[] {false, true}) {
      assertThatExceptionOfType(Failure.class)
          .isThrownBy(() -> LinesTest.keys(text, csv("1", skipBad)))
          .withMessageContaining("a quotation mark opens a field and is not closed");
    }
  }

  @Test
  void textBehindAClosingMark_isRefusedOrSkipped() throws IOException {
    String text = "a,1\nb,\"2\"x\nc,3\n";
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys(text, "1"))
        .withMessage("stdin, line 2: " + CsvQuotes.BAD_RECORD + ".");
    assertThat(LinesTest.keys(text, csv("1", true))).containsExactly("a", "c");
  }

  @Test
  void messages_countTheLinesInsideOfRecordsToo() {
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys("id,note\n1,\"x\ny\nz\"\n2\n", "note"))
        .withMessageStartingWith("stdin, line 5: it has 1 field");
  }

  /** Of two fields with one name, the keys of one would never be put. */
  @Test
  void aNameThatTwoFieldsHave_isRefused() throws IOException {
    String text = "id,mail,id\n1,a,2\n";
    assertThatExceptionOfType(Failure.class)
        .isThrownBy(() -> keys(text, "id"))
        .withMessage("stdin: the first line has two fields \"id\".");
    assertThat(keys(text, "mail")).containsExactly("a");
    assertThat(keys(text, "3")).containsExactly("id", "2");
  }

  @Test
  void theByteOrderMark_isNoPartOfAQuotedName() throws IOException {
    String mark = "\u00ef\u00bb\u00bf"; // In Latin-1, as all keys here.
    assertThat(keys(mark + "\"id\",x\n1,2\n", "id")).containsExactly("1");
    assertThat(keys(mark + "\"a\nb\",x\n1,2\n", "1")).containsExactly("a\nb", "1");
  }
}
