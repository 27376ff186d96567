package io.woodbird.cli.lines;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.KeyForm;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How the bytes of a line become a key: as they are, as a number or UUID, or in a form. */
public final class LineKeys {
  private static final int SECRET_BYTES = 16;
  private static final int UUID_CHARS = 36;

  /** A message shows this much of a line. No UUID is longer, and no number needs to be. */
  private static final int MOST_SHOWN = 64;

  private LineKeys() {}

  /** The keys that the options ask for. */
  public static KeyHasher<ByteBuffer> of(Call call) throws IOException {
    KeyForm form = null;
    for (KeyForm one : KeyForm.values()) {
      String option = option(one);
      call.exclude("key", option);
      for (KeyForm other : KeyForm.values()) {
        if (one != other) {
          call.exclude(option, option(other));
        }
      }
      form = call.has(option) ? one : form;
    }
    return of(call.text("key", "bytes"), form, secret(call));
  }

  private static String option(KeyForm form) {
    return form.name().toLowerCase(Locale.ROOT);
  }

  /** The form in an id, or null. */
  public static @Nullable KeyForm formOf(String id) {
    for (KeyForm form : KeyForm.values()) {
      if (id.endsWith("+" + option(form))) {
        return form;
      }
    }
    return null;
  }

  /** The keys that a filter holds, by the id in its header. */
  public static KeyHasher<ByteBuffer> of(Call call, Path file, String id) throws IOException {
    String kind = id.startsWith("int64:") ? "int" : id.startsWith("uuid:") ? "uuid" : "bytes";
    int property = id.indexOf('#');
    KeyForm form = formOf(property < 0 ? id : id.substring(0, property));
    KeyHasher<ByteBuffer> keys = of(kind, form, secret(call));
    if (property >= 0 && keys.id().equals(id.substring(0, property))) {
      return new Parsed<>(id, Function.identity(), keys); // A line is the property itself.
    }
    if (keys.id().equals(id)) {
      return keys;
    }
    boolean secret = id.contains(":siphash13:");
    throw Problem.OTHER_KEYS.failure(
        file + " can't be asked: its keys are \"" + id + "\".",
        secret
            ? (call.has("secret")
                ? "The secret is another one than it was built with."
                : "It was built under a secret, which is not in the file.")
            : "It was built with a key hasher that the command line does not have"
                + (call.has("secret") ? ", or without a secret." : "."),
        secret ? "--secret FILE (its 16 bytes)" : "ask it in Java with the same KeyHasher");
  }

  private static KeyHasher<ByteBuffer> of(
      String kind, @Nullable KeyForm form, Keys.@Nullable Keyed keyed) {
    if (form != null) {
      return new Formed(keyed == null ? Keys.buffers(form) : keyed.buffers(form));
    }
    return switch (kind) {
      case "int" -> parsed(LineKeys::number, keyed == null ? Keys.longs() : keyed.longs());
      case "uuid" -> parsed(LineKeys::uuid, keyed == null ? Keys.uuids() : keyed.uuids());
      default -> keyed == null ? Keys.buffers() : keyed.buffers();
    };
  }

  private static <K> KeyHasher<ByteBuffer> parsed(
      Function<ByteBuffer, K> parser, KeyHasher<K> keys) {
    return new Parsed<>(keys.id(), parser, keys);
  }

  /** Hashes the value that a line was parsed into. */
  private record Parsed<K>(String id, Function<ByteBuffer, K> parser, KeyHasher<K> keys)
      implements KeyHasher<ByteBuffer> {
    @Override
    public long hash(ByteBuffer line, long seed) {
      return keys.hash(parser.apply(line), seed);
    }
  }

  /** Says of a line that has no such form what is wrong with it. */
  private record Formed(KeyHasher<ByteBuffer> keys) implements KeyHasher<ByteBuffer> {
    @Override
    public long hash(ByteBuffer line, long seed) {
      try {
        return keys.hash(line, seed);
      } catch (IllegalArgumentException e) {
        throw badKey(text(line), "hexadecimal", "bytes in hexadecimal, two digits each (--hex)");
      }
    }

    @Override
    public String id() {
      return keys.id();
    }
  }

  private static Keys.@Nullable Keyed secret(Call call) throws IOException {
    String file = call.text("secret");
    if (file == null) {
      return null;
    }
    Path path = Source.pathOf(file);
    byte[] secret;
    try {
      secret = Files.readAllBytes(path);
    } catch (IOException e) {
      throw Source.unreadable(path, e);
    }
    if (secret.length != SECRET_BYTES) {
      throw Problem.BAD_VALUE.failure(
          file + " is no secret: it has " + secret.length + " bytes.",
          "A secret has 16 random bytes.",
          "head -c 16 /dev/urandom > " + file);
    }
    return Keys.keyed(secret);
  }

  private static Long number(ByteBuffer line) {
    String text = text(line);
    try {
      if (text.length() == line.remaining()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw badKey(text, "a whole number of 64 bits", "numbers");
  }

  private static UUID uuid(ByteBuffer line) {
    String text = text(line);
    try {
      UUID uuid = text.length() == UUID_CHARS ? UUID.fromString(text) : null;
      // Java drops digits where there are too many between two dashes.
      if (uuid != null && uuid.toString().equalsIgnoreCase(text)) {
        return uuid;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw badKey(text, "a UUID", "UUIDs, 36 characters each");
  }

  private static Failure badKey(String text, String what, String keys) {
    return Problem.BAD_KEY.failure(
        "\"" + shown(text) + "\" is not " + what + ".",
        "The keys of this filter are " + keys + ".",
        "--crlf (if lines end in CR LF)",
        "build without --key and --hex");
  }

  private static String text(ByteBuffer line) {
    int from = line.arrayOffset() + line.position();
    int length = Math.min(line.remaining(), MOST_SHOWN);
    return new String(line.array(), from, length, StandardCharsets.ISO_8859_1);
  }

  /** The text with a question mark for each character that a terminal may not show. */
  public static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      shown.append(c < 0x20 || c >= 0x7f ? '?' : c);
    }
    return shown.toString();
  }
}
