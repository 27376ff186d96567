package io.woodbird.spring;

import io.woodbird.jdbc.JdbcKeys;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What the keys of a guard are. */
public enum KeyType {
  /** Whole numbers of up to 64 bits; methods may take {@code long}, {@code int}, {@code short}. */
  LONG,
  /** Text. */
  STRING,
  /** UUIDs. */
  UUID;

  /** The hasher; takes what {@link #convert} gives. */
  @SuppressWarnings("unchecked")
  KeyHasher<Object> hasher() {
    KeyHasher<?> hasher =
        switch (this) {
          case LONG -> Keys.longs();
          case STRING -> Keys.strings();
          case UUID -> Keys.uuids();
        };
    return (KeyHasher<Object>) hasher;
  }

  /** Brings a key to the form that is hashed; null if it is no key of this type. */
  @Nullable Object convert(@Nullable Object key) {
    return switch (this) {
      case LONG ->
          key instanceof Long
                  || key instanceof Integer
                  || key instanceof Short
                  || key instanceof Byte
              ? (Long) ((Number) key).longValue()
              : null;
      case STRING -> key instanceof CharSequence text ? text.toString() : null;
      case UUID -> key instanceof UUID ? key : null;
    };
  }

  /** Whether a parameter of this type may hold a key. */
  boolean accepts(Class<?> type) {
    boolean some =
        switch (this) {
          case LONG ->
              type == long.class
                  || type == int.class
                  || type == short.class
                  || type == byte.class
                  || type == Long.class
                  || type == Integer.class
                  || type == Short.class
                  || type == Byte.class
                  || type.isAssignableFrom(Long.class);
          case STRING -> CharSequence.class.isAssignableFrom(type);
          case UUID -> type == UUID.class;
        };
    return some || type == Object.class || type == java.io.Serializable.class;
  }

  /** Reads a key as a person writes it. */
  Object parse(String text) {
    return switch (this) {
      case LONG -> Long.valueOf(text);
      case STRING -> text;
      case UUID -> java.util.UUID.fromString(text);
    };
  }

  /** The keys that a query returns. */
  @SuppressWarnings("unchecked")
  JdbcKeys<Object> keys(DataSource dataSource, String sql) {
    JdbcKeys<?> keys =
        switch (this) {
          case LONG -> JdbcKeys.longs(dataSource, sql);
          case STRING -> JdbcKeys.strings(dataSource, sql);
          case UUID -> JdbcKeys.uuids(dataSource, sql);
        };
    return (JdbcKeys<Object>) keys;
  }
}
