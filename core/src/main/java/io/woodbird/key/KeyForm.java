package io.woodbird.key;

import java.util.Locale;

/**
 * What is done to the text of a key before it is hashed, so that several spellings are one key. It
 * is part of the {@linkplain KeyHasher#id() id}, as in {@code bytes:rapidhash3+lower}: a file opens
 * only with the form it was built with. The rules never change, see {@code spec/hash.md}.
 */
public enum KeyForm {
  /**
   * The text is hexadecimal, two digits of either case for each byte of the key. So the key of a
   * list of checksums is the checksum itself. Other text is an {@link IllegalArgumentException}.
   */
  HEX {
    @Override
    byte[] apply(byte[] text, int from, int length) {
      byte[] key = new byte[length / 2];
      for (int i = 0; i < length / 2; i++) {
        int value = digits(text, from + 2 * i);
        if (value < 0) {
          throw notHex("it has a character that is no digit");
        }
        key[i] = (byte) value;
      }
      if (length % 2 != 0) {
        throw notHex("it has " + length + " digits");
      }
      return key;
    }
  },

  /**
   * The letters A to Z become a to z, and nothing else changes. Not the lower case of Unicode: that
   * has exceptions by language and changes with the versions of Unicode, so that keys would be
   * lost.
   */
  LOWER {
    @Override
    byte[] apply(byte[] text, int from, int length) {
      byte[] key = new byte[length];
      for (int i = 0; i < length; i++) {
        key[i] = lower(text[from + i]);
      }
      return key;
    }
  },

  /**
   * The text is a URL, and is normalised by its syntax as in RFC 3986, section 6.2.2: scheme and
   * host in lower case, {@code %7e} as {@code %7E}, escapes of letters, digits and {@code - . _ ~}
   * replaced by them, {@code .} and {@code ..} removed from the path. Nothing that depends on the
   * scheme or the server: ports, empty paths, queries and fragments stay.
   */
  URL {
    @Override
    byte[] apply(byte[] text, int from, int length) {
      return UrlForm.normalize(text, from, length);
    }
  };

  /**
   * Returns the bytes of the key.
   *
   * @throws IllegalArgumentException if the text has no such form
   */
  abstract byte[] apply(byte[] text, int from, int length);

  /** Returns what it adds to the id of the keys. */
  String suffix() {
    return "+" + name().toLowerCase(Locale.ROOT);
  }

  private static IllegalArgumentException notHex(String why) {
    return new IllegalArgumentException("the key is not hexadecimal: " + why);
  }

  static byte lower(byte letter) {
    return letter >= 'A' && letter <= 'Z' ? (byte) (letter + 32) : letter;
  }

  /** Returns the value of two hexadecimal digits, or -1. */
  static int digits(byte[] text, int at) {
    int high = Character.digit(text[at], 16); // Of bytes: negative ones are no digits.
    int low = Character.digit(text[at + 1], 16);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }
}
