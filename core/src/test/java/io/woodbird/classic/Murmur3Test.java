package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class Murmur3Test {
  @Test
  void hash_hasThePublishedValues() {
    assertThat(Murmur3.hash(new byte[0])).isEqualTo(new Hash128(0, 0));
    assertThat(Murmur3.hash("hello".getBytes(UTF_8)))
        .isEqualTo(new Hash128(0xcbd8a7b341bd9b02L, 0x5b1e906a48ae1d19L));
    assertThat(Murmur3.hash("hello, world".getBytes(UTF_8)))
        .isEqualTo(new Hash128(0x342fac623a5ebc8eL, 0x4cdcbc079642414dL));
    assertThat(Murmur3.hash("The quick brown fox jumps over the lazy dog.".getBytes(UTF_8)))
        .isEqualTo(new Hash128(0xcd99481f9ee902c9L, 0x695da1a38987b6e7L));
  }

  @Test
  void hash_isGuavasForEveryLength() {
    long seed = 0x3f0c6e1b;
    Random random = new Random(seed);
    for (int length = 0; length <= 300; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      ByteBuffer expected =
          ByteBuffer.wrap(Hashing.murmur3_128().hashBytes(bytes).asBytes())
              .order(ByteOrder.LITTLE_ENDIAN);
      assertThat(Murmur3.hash(bytes))
          .as("length %d, seed %#x", length, seed)
          .isEqualTo(new Hash128(expected.getLong(), expected.getLong()));
    }
  }
}
