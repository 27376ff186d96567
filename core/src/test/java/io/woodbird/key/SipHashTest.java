package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class SipHashTest {
  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] message(int length) {
    byte[] message = new byte[length];
    for (int i = 0; i < length; i++) {
      message[i] = (byte) i;
    }
    return message;
  }

  @Test
  void hash_isThatOfTheReferenceAndOfCPython() {
    List<String[]> vectors = Vectors.read("siphash13.csv");
    assertThat(vectors).hasSize(64 + 3 * 76);
    for (String[] vector : vectors) {
      ByteBuffer key = littleEndian(HexFormat.of().parseHex(vector[0]));
      byte[] message = message(Integer.parseInt(vector[1]));
      long hash = SipHash.hash(message, 0, message.length, key.getLong(0), key.getLong(8));
      assertThat(hash).as(String.join(",", vector)).isEqualTo(Vectors.hex(vector[2]));
    }
  }

  @Test
  void hash_readsFromTheOffset() {
    SplittableRandom random = new SplittableRandom(0x51b);
    byte[] bytes = new byte[200];
    random.nextBytes(bytes);
    for (int offset = 0; offset < 20; offset++) {
      for (int length = 0; length < 100; length++) {
        byte[] part = Arrays.copyOfRange(bytes, offset, offset + length);
        assertThat(SipHash.hash(bytes, offset, length, 5, 6))
            .as("offset %d, length %d", offset, length)
            .isEqualTo(SipHash.hash(part, 0, length, 5, 6));
      }
    }
  }

  @Test
  void hash8AndHash16AreTheHashesOfTheirBytes() {
    SplittableRandom random = new SplittableRandom(0x51c);
    for (int round = 0; round < 10_000; round++) {
      long first = random.nextLong();
      long second = random.nextLong();
      long k0 = random.nextLong();
      long k1 = random.nextLong();
      byte[] bytes = new byte[16];
      littleEndian(bytes).putLong(first).putLong(second);
      assertThat(SipHash.hash8(first, k0, k1)).isEqualTo(SipHash.hash(bytes, 0, 8, k0, k1));
      assertThat(SipHash.hash16(first, second, k0, k1))
          .isEqualTo(SipHash.hash(bytes, 0, 16, k0, k1));
    }
  }

  @Test
  void everyBitOfTheKeyCounts() {
    byte[] message = message(20);
    long plain = SipHash.hash(message, 0, 20, 0, 0);
    for (int bit = 0; bit < 64; bit++) {
      assertThat(SipHash.hash(message, 0, 20, 1L << bit, 0)).isNotEqualTo(plain);
      assertThat(SipHash.hash(message, 0, 20, 0, 1L << bit)).isNotEqualTo(plain);
    }
  }
}
