package io.woodbird.postgres;

import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds followers.
 *
 * @param <K> the type of the keys
 */
public final class PostgresFollowerBuilder<K> {
  private static final Pattern NAME = Pattern.compile("[a-z0-9_]{1,63}");

  final String url;
  final Function<String, ? extends K> parse;
  final Properties login = new Properties();
  @Nullable String schema;
  @Nullable String table;
  @Nullable String column;
  @Nullable String publication;
  @Nullable String slot;
  @Nullable Held held;
  @Nullable UnaryOperator<K> normalize;
  @Nullable Supplier<? extends CompletionStage<?>> refill;

  PostgresFollowerBuilder(String url, Function<String, ? extends K> parse) {
    this.url = Objects.requireNonNull(url, "url");
    this.parse = Objects.requireNonNull(parse, "parse");
  }

  /**
   * Sets the user that connects.
   *
   * @param user with the attribute {@code replication}
   * @param password the password
   * @return this
   */
  public PostgresFollowerBuilder<K> login(String user, String password) {
    return property("user", user).property("password", password);
  }

  /**
   * Sets a property of the driver, such as {@code sslmode}.
   *
   * @param name as the driver calls it
   * @param value its value
   * @return this
   */
  public PostgresFollowerBuilder<K> property(String name, String value) {
    login.setProperty(name, value);
    return this;
  }

  /**
   * Says which table is followed.
   *
   * @param schemaName exactly as it is stored, without quotation marks: {@code public}
   * @param tableName the same
   * @return this
   */
  public PostgresFollowerBuilder<K> table(String schemaName, String tableName) {
    schema = Objects.requireNonNull(schemaName, "schemaName");
    table = Objects.requireNonNull(tableName, "tableName");
    return this;
  }

  /**
   * Says which column has the keys.
   *
   * @param name exactly as it is stored
   * @return this
   */
  public PostgresFollowerBuilder<K> column(String name) {
    column = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Changes keys before they are put, so that what the server takes for equal is one key. Columns
   * of {@code char(n)}, {@code citext}, {@code numeric} with a scale, and text whose collation is
   * not deterministic, are refused without it. Ask for keys in this form, and build the filter with
   * them.
   *
   * @param form such as {@code String::stripTrailing} for {@code char(n)}
   * @return this
   */
  public PostgresFollowerBuilder<K> normalize(UnaryOperator<K> form) {
    normalize = Objects.requireNonNull(form, "form");
    return this;
  }

  /**
   * Says how the filter is filled from the table: {@code rebuilding::rebuildNow}. It is called when
   * a slot was made. It must begin to read the table after it was called, on the server that is
   * followed and not on a standby, and complete when the filter answers with all that it has read.
   * It is called again if it fails.
   *
   * @param fill starts to fill the filter, and does not wait for it
   * @return this
   */
  public PostgresFollowerBuilder<K> refill(Supplier<? extends CompletionStage<?>> fill) {
    refill = Objects.requireNonNull(fill, "fill");
    return this;
  }

  /**
   * Names the publication. If nothing is said, it is made of the table's name.
   *
   * @param name small letters, digits and {@code _}
   * @return this
   */
  public PostgresFollowerBuilder<K> publication(String name) {
    publication = checked("publication", name);
    return this;
  }

  /**
   * Uses a slot that outlives the connection, so that nothing is missed when it is lost or the
   * process starts again. The server keeps its log until it was {@linkplain PostgresFollower#saved
   * saved}, so its setting {@code max_slot_wal_keep_size} must bound that. Only one follower may
   * use the slot.
   *
   * @param name small letters, digits and {@code _}
   * @return this
   */
  public PostgresFollowerBuilder<K> lastingSlot(String name) {
    slot = checked("slot", name);
    return this;
  }

  /**
   * Says what the filter holds already, because it was read from a file. If the lasting slot
   * reaches back so far, and nothing else has changed, the filter need not be filled.
   *
   * @param position what {@link PostgresFollower#position} said before that file was written
   * @return this
   */
  public PostgresFollowerBuilder<K> resume(String position) {
    held = Held.parse(position);
    return this;
  }

  private static String checked(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what + " may have 1 to 63 small letters, digits and _: " + name);
    }
    return name;
  }

  /**
   * Makes the follower. It connects when it {@linkplain PostgresFollower#begin begins}.
   *
   * @return the follower
   * @throws NullPointerException if the table, the column or refill is not given
   */
  public PostgresFollower<K> build() {
    if (held != null && slot == null) {
      throw new IllegalArgumentException("resume needs a lasting slot");
    }
    return new PostgresFollower<>(this);
  }
}
