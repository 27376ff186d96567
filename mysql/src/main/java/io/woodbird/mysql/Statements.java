package io.woodbird.mysql;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
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
   * What makes, drops or changes a table of our name may change the order of its columns, bring rows
   * from elsewhere, or give the name to a view: RENAME, EXCHANGE PARTITION, IMPORT TABLESPACE, a new
   * column with AUTO_INCREMENT, CREATE VIEW. All of that is a doubt, as rows that come in this way
   * are not in the log. So is DROP, as a table that is gone has no columns that the next one of its
   * name could be compared with. CREATE and DROP may name our table in a trigger, a procedure or an
   * index; they make or drop what has rows only if the text has a word such as TABLE, anywhere.
   *
   * A comment may stand between any two words, and a word in it says nothing. So the second word
   * counts only if there is nothing but space before it. A comment that some servers execute must
   * mean the same whether ours does or not.
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
      Set.of("TRUNCATE", "GRANT", "REVOKE", "FLUSH", "OPTIMIZE", "REPAIR", "INSTALL", "UNINSTALL");

  private static final Set<String> XA_INSIDE = Set.of("START", "BEGIN", "END", "PREPARE");
  private static final Set<String> XA_END = Set.of("COMMIT", "ROLLBACK");

  private static final String PLAIN_COMMENT = "/\\*(?!M?!).*?\\*/|--[ \\t][^\n]*|#[^\n]*";
  private static final Pattern SPACE_OR_COMMENT =
      Pattern.compile("\\s+|/\\*M?!\\d*|" + PLAIN_COMMENT, Pattern.DOTALL);
  private static final Pattern SPACE_OR_ANY_COMMENT =
      Pattern.compile("\\s+|/\\*M?!.*?\\*/|" + PLAIN_COMMENT, Pattern.DOTALL);
  private static final Pattern WORDS = Pattern.compile("([A-Za-z]+)(?:\\s+([A-Za-z]+))?");

  // A digit before a word or a name may belong to "/*!50000".
  private static final Pattern HAS_ROWS =
      Pattern.compile(
          "(?<![A-Za-z_$])(TABLES?|VIEW|SEQUENCE)(?![A-Za-z0-9_$])", Pattern.CASE_INSENSITIVE);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]+");

  /** Finds the name of the table; null if quotes or other letters could hide it. */
  private final @Nullable Pattern name;

  Statements(String table) {
    // The server may fold names as Unicode does.
    this.name =
        PLAIN.matcher(table).matches()
            ? Pattern.compile(
                "(?<![A-Za-z_$])" + Pattern.quote(table) + "(?![A-Za-z0-9_$])",
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
            : null;
  }

  Meaning of(String sql) {
    Meaning found = of(sql, withoutLeading(SPACE_OR_COMMENT, sql));
    // A server skips "/*!999999 ... */" and "/*M! ... */", if they are for others.
    String skipped = withoutLeading(SPACE_OR_ANY_COMMENT, sql);
    return skipped.isEmpty() || of(sql, skipped) == found ? found : Meaning.DOUBT;
  }

  private Meaning of(String sql, String text) {
    Matcher words = WORDS.matcher(text);
    if (!words.lookingAt()) {
      return Meaning.DOUBT;
    }
    String first = words.group(1).toUpperCase(Locale.ROOT);
    String second = words.group(2) == null ? "" : words.group(2).toUpperCase(Locale.ROOT);
    return switch (first) {
      case "BEGIN", "SAVEPOINT", "RELEASE" -> Meaning.INSIDE;
      case "COMMIT" -> Meaning.END;
      case "ROLLBACK" -> text.equalsIgnoreCase("ROLLBACK") ? Meaning.END : Meaning.INSIDE;
      case "XA" -> xa(sql, second);
      // MariaDB executes any statement behind SET STATEMENT ... FOR, and behind ANALYZE.
      case "SET" ->
          second.equals("PASSWORD") || second.equals("DEFAULT") ? Meaning.HARMLESS : Meaning.DOUBT;
      case "ANALYZE" -> second.equals("TABLE") ? Meaning.HARMLESS : Meaning.DOUBT;
      case "CREATE", "DROP" -> HAS_ROWS.matcher(sql).find() ? ifOurs(sql) : Meaning.HARMLESS;
      case "ALTER", "RENAME" -> ifOurs(sql);
      default -> HARMLESS.contains(first) ? Meaning.HARMLESS : Meaning.DOUBT;
    };
  }

  /** The name of the transaction is read by its place, so the form must be that of the server. */
  private static Meaning xa(String sql, String second) {
    String form = "XA " + second + " ";
    if (!sql.regionMatches(true, 0, form, 0, form.length())) {
      return Meaning.DOUBT;
    }
    if (XA_END.contains(second)) {
      return Meaning.END;
    }
    return XA_INSIDE.contains(second) ? Meaning.INSIDE : Meaning.DOUBT;
  }

  private Meaning ifOurs(String sql) {
    return name == null || name.matcher(sql).find() ? Meaning.DOUBT : Meaning.HARMLESS;
  }

  private static String withoutLeading(Pattern what, String sql) {
    Matcher found = what.matcher(sql);
    int from = 0;
    while (found.region(from, sql.length()).lookingAt()) {
      from = found.end();
    }
    return sql.substring(from);
  }
}
