package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The forms of keys. */
@Tag("jdk")
class KeyFormTest {
  private static String url(String text) {
    byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
    byte[] normal = KeyForm.URL.apply(bytes, 1, bytes.length - 2);
    return new String(normal, StandardCharsets.UTF_8);
  }

  /** The first is the example of RFC 3986, 6.2.2; the paths are those of its section 5.4. */
  @ParameterizedTest
  @CsvSource({
    "eXAMPLE://a/./b/../b/%63/%7bfoo%7d,        example://a/b/c/%7Bfoo%7D",
    "HTTP://User@Example.COM:80/%41?A=%2f#Top,  http://User@example.com:80/A?A=%2F#Top",
    "http://a/b/c/./../../g,                    http://a/g",
    "http://a/../../../g,                       http://a/g",
    "http://a/b/c/.,                            http://a/b/c/",
    "http://a/b/c/..,                           http://a/b/",
    "http://a/b/c/../..,                        http://a/",
    "http://a/b/c/../../..,                     http://a/",
    "http://a/b/c/g.,                           http://a/b/c/g.",
    "http://a/b/c/..g,                          http://a/b/c/..g",
    "http://a/b/c/g/./h,                        http://a/b/c/g/h",
    "http://a/b/c/g;x=1/../y,                   http://a/b/c/y",
    "http://a/b/c/g?y/../x,                     http://a/b/c/g?y/../x",
    "http://a/b/c/g#s/../x,                     http://a/b/c/g#s/../x",
    "http://a/b//../c,                          http://a/b/c",
    "http://a/%2e%2E/x,                         http://a/x",
    "http://a/%252e,                            http://a/%252e",
    "http://%45xample.%c3%a4/,                  http://example.%C3%A4/",
    "http://[2001:DB8::A]/,                     http://[2001:db8::a]/",
    "http://A,                                  http://a",
    "http://A?Q,                                http://a?Q",
    "file:/.//x,                                file:/.//x",
    "file:/a/..//x,                             file:/.//x",
    "urn:A/../b,                                urn:A/../b",
    "MAILTO:Ann@Example.com,                    mailto:Ann@Example.com",
    "Example.com/A/../b,                        Example.com/A/../b",
    "/a/../b,                                   /a/../b",
    "http://a/50%,                              http://a/50%",
    "http://a/%zz%4,                            http://a/%zz%4",
    "http://a/\u00c4 b,                              http://a/\u00c4 b",
    "://x,                                      ://x",
    "%,                                         %"
  })
  void aUrl_isNormalisedByItsSyntax(String text, String normal) {
    assertThat(url(text)).isEqualTo(normal);
    assertThat(url(normal)).isEqualTo(normal);
  }

  @Test
  void everyForm_isPartOfTheIdAndTheHashIsThatOfTheResult() {
    byte[] sum = HexFormat.of().parseHex("005ad76b");
    assertThat(Keys.strings(KeyForm.HEX).hash("005aD76B", 7)).isEqualTo(Keys.bytes().hash(sum, 7));
    assertThat(Keys.strings(KeyForm.HEX).hash("", 7)).isEqualTo(Keys.strings().hash("", 7));
    assertThat(Keys.strings(KeyForm.LOWER).hash("AZaz@[\u00c4", 7))
        .isEqualTo(Keys.strings().hash("azaz@[\u00c4", 7));
    assertThat(Keys.strings(KeyForm.URL).hash("HTTP://A/./", 7))
        .isEqualTo(Keys.strings().hash("http://a/", 7));
    assertThat(Keys.strings(KeyForm.HEX).id()).isEqualTo("bytes:rapidhash3+hex");
    assertThat(Keys.buffers(KeyForm.LOWER).id()).isEqualTo("bytes:rapidhash3+lower");
    Keys.Keyed keyed = Keys.keyed(new byte[16]);
    assertThat(keyed.strings(KeyForm.URL).id()).isEqualTo(keyed.strings().id() + "+url");
    assertThat(keyed.buffers(KeyForm.LOWER).hash(direct("A"), 7))
        .isEqualTo(keyed.strings().hash("a", 7));
    assertThat(Keys.by("mail", String::strip, Keys.strings(KeyForm.LOWER)).id())
        .isEqualTo("bytes:rapidhash3+lower#mail");
  }

  /** The table of spec/hash.md. */
  @Test
  void theHashes_areThoseOfTheSpecification() {
    long seed = 0x0123456789abcdefL;
    assertThat(Keys.strings(KeyForm.LOWER).hash("CROW", seed)).isEqualTo(0xecb0ff990312c4f0L);
    assertThat(Keys.strings(KeyForm.HEX).hash("63726F77", seed)).isEqualTo(0xecb0ff990312c4f0L);
    assertThat(Keys.strings(KeyForm.URL).hash("HTTP://Example.ORG/a/../%7e", seed))
        .isEqualTo(0xac7a2bdab259824cL);
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Test
  void hex_refusesWhatIsNone() {
    for (String bad : new String[] {"a", "abc", "0g", "g0", " 00", "-1", "\u0661\u0661"}) {
      assertThatThrownBy(() -> Keys.strings(KeyForm.HEX).hash(bad, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not hexadecimal");
    }
  }
}
