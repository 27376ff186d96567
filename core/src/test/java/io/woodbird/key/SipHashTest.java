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
      SipHash keyed = new SipHash(key.getLong(0), key.getLong(8));
      long hash = keyed.bytes(message, 0, message.length, 0);
      assertThat(hash).as(String.join(",", vector)).isEqualTo(Vectors.hex(vector[2]));
    }
  }

  @Test
  void hash_readsFromTheOffset() {
    SplittableRandom random = new SplittableRandom(0x51b);
    byte[] bytes = new byte[200];
    random.nextBytes(bytes);
    SipHash keyed = new SipHash(5, 6);
    for (int offset = 0; offset < 20; offset++) {
      for (int length = 0; length < 100; length++) {
        byte[] part = Arrays.copyOfRange(bytes, offset, offset + length);
        assertThat(keyed.bytes(bytes, offset, length, 3))
            .as("offset %d, length %d", offset, length)
            .isEqualTo(keyed.bytes(part, 0, length, 3));
      }
    }
  }

  @Test
  void integersAndPairsHaveTheHashesOfTheirBytes() {
    SplittableRandom random = new SplittableRandom(0x51c);
    for (int round = 0; round < 10_000; round++) {
      long first = random.nextLong();
      long second = random.nextLong();
      SipHash keyed = new SipHash(random.nextLong(), random.nextLong());
      long seed = random.nextLong();
      byte[] bytes = new byte[16];
      littleEndian(bytes).putLong(first).putLong(second);
      assertThat(keyed.integer(first, seed)).isEqualTo(keyed.bytes(bytes, 0, 8, seed));
      assertThat(keyed.sixteen(first, second, seed)).isEqualTo(keyed.bytes(bytes, 0, 16, seed));
    }
  }

  @Test
  void everyBitOfTheKeyCounts() {
    byte[] message = message(20);
    long plain = new SipHash(0, 0).bytes(message, 0, 20, 0);
    for (int bit = 0; bit < 64; bit++) {
      assertThat(new SipHash(1L << bit, 0).bytes(message, 0, 20, 0)).isNotEqualTo(plain);
      assertThat(new SipHash(0, 1L << bit).bytes(message, 0, 20, 0)).isNotEqualTo(plain);
    }
  }

  @Test
  void theSeedIsMixedIntoTheFirstHalfOfTheSecret() {
    byte[] message = message(20);
    assertThat(new SipHash(5, 6).bytes(message, 0, 20, 3))
        .isEqualTo(new SipHash(5 ^ 3, 6).bytes(message, 0, 20, 0));
    assertThat(new SipHash(5, 6).integer(7, 3)).isEqualTo(new SipHash(5 ^ 3, 6).integer(7, 0));
  }
}
