package io.woodbird.console;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyForm;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** Asks a filter file about keys as a person writes them. */
final class Questions {
  static final String MAYBE = "M";
  static final String NOT = "N";
  static final String UNKNOWN = "U";

  /** What was written is no key of this file. */
  static final String NO_KEY = "X";

  private Questions() {}

  /** Asks about one key. */
  static Answer ask(Path path, String keyId, String key) throws IOException, BadRequestException {
    return switch (KeyKind.of(keyId)) {
      case TEXT -> ask(path, named(keyId, texts(keyId)), key);
      case INTEGER -> ask(path, named(keyId, Keys.longs()), integer(key));
      case UUID -> ask(path, named(keyId, Keys.uuids()), uuid(key));
      case SECRET -> throw secret();
    };
  }

  private static <K> Answer ask(Path path, KeyHasher<K> keys, K key)
      throws IOException, BadRequestException {
    try (OpenFilter<K> filter = Woodbird.open(path, keys)) {
      return filter.ask(key);
    } catch (IllegalArgumentException e) {
      throw new BadRequestException(
          "keyHex", String.valueOf(e.getMessage())); // No other form refuses.
    }
  }

  /** Turns what was written into a key. */
  private interface Reader<K> {
    K read(String text) throws BadRequestException;
  }

  /** Asks about many keys: a letter for each, in their order. */
  static String askAll(Path path, String keyId, List<String> keys) throws IOException {
    return switch (KeyKind.of(keyId)) {
      case TEXT -> askAll(path, named(keyId, texts(keyId)), text -> text, keys);
      case INTEGER -> askAll(path, named(keyId, Keys.longs()), Questions::integer, keys);
      case UUID -> askAll(path, named(keyId, Keys.uuids()), Questions::uuid, keys);
      case SECRET -> throw secret();
    };
  }

  private static <K> String askAll(
      Path path, KeyHasher<K> hasher, Reader<K> reader, List<String> keys) throws IOException {
    StringBuilder answers = new StringBuilder(keys.size());
    try (OpenFilter<K> filter = Woodbird.open(path, hasher)) {
      for (String key : keys) {
        answers.append(letter(filter, reader, key));
      }
    }
    return answers.toString();
  }

  private static <K> String letter(OpenFilter<K> filter, Reader<K> reader, String key) {
    try {
      return switch (filter.ask(reader.read(key))) {
        case MAYBE_HERE -> MAYBE;
        case NOT_HERE -> NOT;
        case UNKNOWN -> UNKNOWN;
      };
    } catch (BadRequestException | IllegalArgumentException e) {
      return NO_KEY;
    }
  }

  private static IncompatibleFilterException secret() {
    return new IncompatibleFilterException(
        "its keys are hashed under a secret or by a hasher that the console does not have");
  }

  /** Texts in the form that the id names, if it names one. */
  private static KeyHasher<String> texts(String keyId) {
    String kind = KeyKind.withoutName(keyId);
    for (KeyForm form : KeyForm.values()) {
      if (kind.equals(Keys.strings(form).id())) {
        return Keys.strings(form);
      }
    }
    return Keys.strings();
  }

  /** The keys under the name of a property, if the id has one: the page asks with the property. */
  private static <K> KeyHasher<K> named(String keyId, KeyHasher<K> keys) {
    return keyId.indexOf('#') < 0 ? keys : new Named<>(keyId, keys);
  }

  /** The same keys under another id. */
  private record Named<K>(String id, KeyHasher<K> keys) implements KeyHasher<K> {
    @Override
    public long hash(K key, long seed) {
      return keys.hash(key, seed);
    }
  }

  private static Long integer(String key) throws BadRequestException {
    try {
      return Long.valueOf(key.strip());
    } catch (NumberFormatException e) {
      throw new BadRequestException("keyInteger", "this file has whole numbers as keys");
    }
  }

  private static UUID uuid(String key) throws BadRequestException {
    String text = key.strip();
    try {
      UUID uuid = UUID.fromString(text);
      // Java drops digits where there are too many between two dashes.
      if (uuid.toString().equalsIgnoreCase(text)) {
        return uuid;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new BadRequestException("keyUuid", "this file has UUIDs as keys");
  }

  /** What the keys of a file are, as its key id says. */
  enum KeyKind {
    TEXT,
    INTEGER,
    UUID,
    SECRET;

    static KeyKind of(String keyId) {
      String kind = withoutName(keyId);
      if (kind.equals(texts(keyId).id())) {
        return TEXT;
      }
      if (kind.equals(Keys.longs().id())) {
        return INTEGER;
      }
      return kind.equals(Keys.uuids().id()) ? UUID : SECRET;
    }

    /** Without the name of a property, which is behind a #. */
    private static String withoutName(String keyId) {
      return keyId.replaceFirst("#.*", "");
    }
  }
}
