package io.woodbird.cli.lines;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a line is, and where its key stands.
 *
 * @param end the byte that ends a line
 * @param crlf whether a CR before it is no part of the key
 * @param separator between fields: comma, tab, another, or 0 if the line is the key
 * @param quotes whether fields may stand in quotation marks
 * @param field the name or number of the field, if there is a separator
 * @param jsonPath the member that is the key, or null
 * @param valueField the name, number or path of the field with the value of a map, or null
 * @param skipBad whether lines without a key are left out
 * @param decompress whether gzip and zstd are recognised
 */
public record Format(
    byte end,
    boolean crlf,
    char separator,
    boolean quotes,
    @Nullable String field,
    @Nullable String jsonPath,
    @Nullable String valueField,
    boolean skipBad,
    boolean decompress) {
  /** Lines of text that are their own keys. */
  public static final Format PLAIN =
      new Format((byte) '\n', false, (char) 0, false, null, null, null, false, true);

  /** Reads the options of {@link io.woodbird.cli.model.Spec#INPUT}. */
  public static Format of(Call call) {
    call.exclude("csv", "tsv");
    call.exclude("crlf", "null");
    for (String table : List.of("csv", "tsv")) {
      call.exclude(table, "delimiter");
      call.exclude(table, "json-field");
      call.exclude(table, "null");
    }
    call.exclude("delimiter", "json-field");
    boolean fields = call.has("csv") || call.has("tsv");
    if (fields != call.has("field") && !call.has("delimiter")) {
      throw Problem.CONFLICT.failure(
          fields ? "--csv and --tsv need --field." : "--field needs --csv, --tsv or --delimiter.",
          "A field is found by its name in the first line, or by its number from 1 on.",
          "--csv --field email",
          "--tsv --field 2");
    }
    if (call.has("value-field") && !fields && !call.has("delimiter") && !call.has("json-field")) {
      throw Problem.CONFLICT.failure(
          "--value-field needs --csv, --tsv, --delimiter or --json-field.",
          "The value of a map is a field beside the key.",
          "--csv --field host --value-field list",
          "--delimiter : --value-field 2");
    }
    if (call.has("json-field") && call.text("json-field", "").replace(".", "").isEmpty()) {
      throw Problem.BAD_VALUE.failure(
          "--json-field needs the path of a member.",
          "Names with dots between them.",
          "--json-field .user.id");
    }
    return new Format(
        (byte) (call.has("null") ? 0 : '\n'),
        call.has("crlf"),
        call.has("csv") ? ',' : call.has("tsv") ? '\t' : delimiter(call),
        call.has("csv"),
        call.has("delimiter") ? call.text("field", "1") : call.text("field"),
        call.text("json-field"),
        call.text("value-field"),
        call.has("skip-bad"),
        !call.has("no-decompress"));
  }

  /** The number of a field from 1 on, or 0 if it has a name. */
  static int number(@Nullable String field) {
    return field != null && field.matches("[0-9]{1,6}") ? Integer.parseInt(field) : 0;
  }

  private static char delimiter(Call call) {
    String text = call.text("delimiter");
    if (text == null) {
      return 0;
    }
    if (text.length() != 1 || text.charAt(0) == 0 || text.charAt(0) > 0x7f || text.equals("\n")) {
      throw Problem.BAD_VALUE.failure(
          "--delimiter \"" + LineKeys.shown(text) + "\" is not one character of ASCII.",
          "It is one byte between two fields.",
          "--delimiter :",
          "--tsv (tabs)");
    }
    return text.charAt(0);
  }
}
