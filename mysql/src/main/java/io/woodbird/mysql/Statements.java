package io.woodbird.mysql;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a statement in the binary log means for one table. */
final class Statements {
  /*
   * With binlog_format=ROW, changes of rows come as rows. Only what changes tables comes as the text
   * of a statement, and what ends a transaction. A session may choose another format, and then an
   * INSERT comes as text; so may a trigger's or a function's one inside any statement. What is not
   * certainly harmless is therefore a doubt.
   *
   * What changes our table may change the order of its columns, or bring rows from elsewhere: RENAME,
   * EXCHANGE PARTITION, IMPORT TABLESPACE, a new column with AUTO_INCREMENT. All of that is a doubt,
   * as rows that come in this way are not in the log.
   */
  enum Meaning {
    /** Begins a transaction, or is a part of it. */
    INSIDE,
    /** Ends a transaction. */
    END,
    /** Stands alone, and brings no key. */
    HARMLESS,
    /** May bring keys that the log does not show. */
    DOUBT
  }

  private static final Set<String> HARMLESS =
      Set.of(
          "DROP",
          "TRUNCATE",
          "GRANT",
          "REVOKE",
          "FLUSH",
          "OPTIMIZE",
          "REPAIR",
          "INSTALL",
          "UNINSTALL");

  private static final Pattern SPACE_OR_COMMENT =
      Pattern.compile("\\s+|/\\*(?!M?!).*?\\*/|/\\*M?!\\d*|--[ \\t][^\n]*|#[^\n]*", Pattern.DOTALL);
  private static final Pattern CREATES_TABLE =
      Pattern.compile("CREATE\\s.*?\\bTABLE\\b.*", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]+");

  /** Finds the name of the table; null if quotes or other letters could hide it. */
  private final @Nullable Pattern name;

  Statements(String table) {
    this.name =
        PLAIN.matcher(table).matches()
            ? Pattern.compile(
                "(?<![A-Za-z0-9_$])" + Pattern.quote(table) + "(?![A-Za-z0-9_$])",
                Pattern.CASE_INSENSITIVE)
            : null;
  }

  Meaning of(String sql) {
    String text = withoutLeadingComments(sql);
    String[] words = text.split("[^A-Za-z]+", 3);
    String first = words[0].toUpperCase(Locale.ROOT);
    String second = words.length > 1 ? words[1].toUpperCase(Locale.ROOT) : "";
    return switch (first) {
      case "BEGIN", "SAVEPOINT", "RELEASE" -> Meaning.INSIDE;
      case "COMMIT" -> Meaning.END;
      case "ROLLBACK" -> second.equals("TO") ? Meaning.INSIDE : Meaning.END;
      case "XA" ->
          second.equals("COMMIT") || second.equals("ROLLBACK") ? Meaning.END : Meaning.INSIDE;
      // MariaDB executes any statement behind SET STATEMENT ... FOR, and behind ANALYZE.
      case "SET" -> second.equals("STATEMENT") ? Meaning.DOUBT : Meaning.HARMLESS;
      case "ANALYZE" -> second.equals("TABLE") ? Meaning.HARMLESS : Meaning.DOUBT;
      case "CREATE" -> CREATES_TABLE.matcher(text).matches() ? ifOurs(sql) : Meaning.HARMLESS;
      case "ALTER", "RENAME" -> ifOurs(sql);
      default -> HARMLESS.contains(first) ? Meaning.HARMLESS : Meaning.DOUBT;
    };
  }

  private Meaning ifOurs(String sql) {
    return name == null || name.matcher(sql).find() ? Meaning.DOUBT : Meaning.HARMLESS;
  }

  /** Keeps the content of comments that the server executes. */
  private static String withoutLeadingComments(String sql) {
    var found = SPACE_OR_COMMENT.matcher(sql);
    int from = 0;
    while (found.region(from, sql.length()).lookingAt()) {
      from = found.end();
    }
    return sql.substring(from);
  }
}
