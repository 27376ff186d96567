package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class RapidHashTest {
  private static byte[] random(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void hash_isThatOfHash4jForEveryLength() {
    SplittableRandom random = new SplittableRandom(0x2f1e);
    for (int round = 0; round < 20; round++) {
      long seed = round == 0 ? 0 : random.nextLong();
      Hasher64 oracle = Hashing.rapidhashV3(seed);
      byte[] bytes = random(random, 1100);
      for (int length = 0; length <= 1100; length++) {
        assertThat(RapidHash.INSTANCE.bytes(bytes, 0, length, seed))
            .as("length %d, seed %d", length, seed)
            .isEqualTo(oracle.hashBytesToLong(bytes, 0, length));
      }
    }
  }

  @Test
  void hash_isThatOfHash4jForEveryOffsetAndManySeeds() {
    SplittableRandom random = new SplittableRandom(0x2f1f);
    byte[] bytes = random(random, 400);
    for (int round = 0; round < 20_000; round++) {
      long seed = random.nextLong();
      int offset = random.nextInt(40);
      int length = random.nextInt(360);
      assertThat(RapidHash.INSTANCE.bytes(bytes, offset, length, seed))
          .as("offset %d, length %d, seed %d", offset, length, seed)
          .isEqualTo(Hashing.rapidhashV3(seed).hashBytesToLong(bytes, offset, length));
    }
  }

  @Test
  void hash_ofOneByteRunsDependsOnTheLength() {
    byte[] zeros = new byte[1101];
    long[] hashes = new long[1101];
    for (int length = 0; length <= 1100; length++) {
      hashes[length] = RapidHash.INSTANCE.bytes(zeros, 0, length, 3);
    }
    assertThat(hashes).doesNotHaveDuplicates();
  }

  @Test
  void hash16_isTheHashOfTheSixteenBytes() {
    SplittableRandom random = new SplittableRandom(0x2f20);
    for (int round = 0; round < 10_000; round++) {
      long first = random.nextLong();
      long second = random.nextLong();
      long seed = random.nextLong();
      byte[] bytes =
          ByteBuffer.allocate(16)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(first)
              .putLong(second)
              .array();
      assertThat(RapidHash.INSTANCE.sixteen(first, second, seed))
          .isEqualTo(RapidHash.INSTANCE.bytes(bytes, 0, 16, seed))
          .isEqualTo(Hashing.rapidhashV3(seed).hashBytesToLong(bytes));
    }
  }

  @Test
  void hash_isForEverWhatTheGoldenFileSays() {
    List<String[]> vectors = Vectors.read("rapidhash3.csv");
    assertThat(vectors).hasSize(430);
    for (String[] vector : vectors) {
      byte[] message = new byte[Integer.parseInt(vector[0])];
      for (int i = 0; i < message.length; i++) {
        message[i] = (byte) (31 * i + 7);
      }
      long hash = RapidHash.INSTANCE.bytes(message, 0, message.length, Vectors.hex(vector[1]));
      assertThat(hash).as(String.join(",", vector)).isEqualTo(Vectors.hex(vector[2]));
    }
  }
}
