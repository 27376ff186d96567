package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class KeysTest {
  private static final byte[] SECRET =
      ByteBuffer.allocate(16).putLong(0x0001020304050607L).putLong(0x08090a0b0c0d0e0fL).array();

  private final SplittableRandom random = new SplittableRandom(0x6b657973);

  private record User(String email, int age) {}

  @Test
  void theIdsAreForEver() {
    assertThat(Keys.strings().id()).isEqualTo("bytes:rapidhash3");
    assertThat(Keys.bytes().id()).isEqualTo("bytes:rapidhash3");
    assertThat(Keys.longs().id()).isEqualTo("int64:splitmix64");
    assertThat(Keys.ints().id()).isEqualTo("int64:splitmix64");
    assertThat(Keys.uuids().id()).isEqualTo("uuid:rapidhash3");
    assertThat(Keys.by("email", User::email, Keys.strings()).id())
        .isEqualTo("bytes:rapidhash3#email");
    Keys.Keyed keyed = Keys.keyed(SECRET);
    // The fingerprint is SipHash-1-3 of "woodbird key fingerprint" under the secret.
    assertThat(keyed.strings().id()).isEqualTo("bytes:siphash13:3c7b40502006289a");
    assertThat(keyed.bytes().id()).isEqualTo(keyed.strings().id());
    assertThat(keyed.longs().id()).isEqualTo("int64:siphash13:3c7b40502006289a");
    assertThat(keyed.ints().id()).isEqualTo(keyed.longs().id());
    assertThat(keyed.uuids().id()).isEqualTo("uuid:siphash13:3c7b40502006289a");
  }

  @Test
  void by_refusesANameThatTellsNothingOrDoesNotFit() {
    for (String name : List.of("", " ", "#", "e#mail")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Keys.by(name, User::email, Keys.strings()))
          .withMessageContaining("\"" + name + "\"");
    }
    int room = Keys.MAX_ID_BYTES - "bytes:rapidhash3#".length();
    String longest = "x".repeat(room);
    assertThat(Keys.by(longest, User::email, Keys.strings()).id()).hasSize(Keys.MAX_ID_BYTES);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Keys.by(longest + "x", User::email, Keys.strings()))
        .withMessageContaining("shorter name");
  }

  @Test
  void theIdsFitTheHeaderOfAFile() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    for (KeyHasher<?> keys : List.of(keyed.strings(), keyed.longs(), keyed.uuids())) {
      assertThat(keys.id().getBytes(StandardCharsets.UTF_8))
          .hasSizeLessThanOrEqualTo(Keys.MAX_ID_BYTES);
    }
  }

  @Test
  void theHashesAreForEver() {
    UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    assertThat(Keys.strings().hash("crow \u00e9\u20ac\ud83d\udc26", 0x5eed))
        .isEqualTo(0x1fbef8574ac88b57L);
    assertThat(Keys.bytes().hash(new byte[] {1, 2, 3}, 0x5eed)).isEqualTo(0x9738a4401694d481L);
    assertThat(Keys.uuids().hash(uuid, 0x5eed)).isEqualTo(0xbe607a81781843f9L);
    assertThat(Keys.longs().hash(-7L, 0x5eed)).isEqualTo(0xc6d7bb3bac440966L);
    assertThat(Keys.ints().hash(-7, 0x5eed)).isEqualTo(0xc6d7bb3bac440966L);
    Keys.Keyed keyed = Keys.keyed(SECRET);
    assertThat(keyed.strings().hash("crow \u00e9\u20ac\ud83d\udc26", 0x5eed))
        .isEqualTo(0xb8b6b6f1d8a29e4bL);
    assertThat(keyed.bytes().hash(new byte[] {1, 2, 3}, 0x5eed)).isEqualTo(0x221e67ff0d13b4abL);
    assertThat(keyed.uuids().hash(uuid, 0x5eed)).isEqualTo(0x804ef48c7ba6b494L);
    assertThat(keyed.longs().hash(-7L, 0x5eed)).isEqualTo(0x1c4774e91faeaaebL);
    assertThat(keyed.ints().hash(-7, 0x5eed)).isEqualTo(0x1c4774e91faeaaebL);
  }

  @Test
  void buffers_hashASliceAsTheArrayOfItsBytes() {
    byte[] all = new byte[300];
    random.nextBytes(all);
    ByteBuffer heap = ByteBuffer.wrap(all, 7, 200).slice();
    ByteBuffer direct = ByteBuffer.allocateDirect(300).put(all);
    Keys.Keyed keyed = Keys.keyed(SECRET);
    for (int from = 0; from < 100; from++) {
      byte[] slice = Arrays.copyOfRange(all, 7 + from, 7 + 200 - from);
      heap.limit(200 - from).position(from);
      direct.limit(7 + 200 - from).position(7 + from);
      for (ByteBuffer key : List.of(heap, direct, direct.asReadOnlyBuffer())) {
        assertThat(Keys.buffers().hash(key, from)).isEqualTo(Keys.bytes().hash(slice, from));
        assertThat(keyed.buffers().hash(key, from)).isEqualTo(keyed.bytes().hash(slice, from));
        assertThat(key.remaining()).isEqualTo(slice.length);
      }
    }
    assertThat(Keys.buffers().id()).isEqualTo(Keys.bytes().id());
    assertThat(keyed.buffers().id()).isEqualTo(keyed.bytes().id());
  }

  @Test
  void longs_areTheOutputsOfSplittableRandom() {
    for (int i = 0; i < 1000; i++) {
      long key = random.nextLong();
      long seed = random.nextLong();
      long expected = new SplittableRandom(key + seed - 0x9e3779b97f4a7c15L).nextLong();
      assertThat(Keys.longs().hash(key, seed)).isEqualTo(expected);
    }
  }

  @Test
  void ints_hashAsTheLongsOfTheirValue() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    for (int key : new int[] {0, 1, -1, 42, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThat(Keys.ints().hash(key, 9)).isEqualTo(Keys.longs().hash((long) key, 9));
      assertThat(keyed.ints().hash(key, 9)).isEqualTo(keyed.longs().hash((long) key, 9));
    }
  }

  @Test
  void hashLong_isTheHashOfTheBoxedLongOrRefused() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    for (int i = 0; i < 1000; i++) {
      long key = random.nextLong();
      assertThat(Keys.longs().hashLong(key, i)).isEqualTo(Keys.longs().hash(key, i));
      assertThat(keyed.longs().hashLong(key, i)).isEqualTo(keyed.longs().hash(key, i));
      assertThat(Keys.ints().hashLong((int) key, i)).isEqualTo(Keys.ints().hash((int) key, i));
      assertThat(keyed.ints().hashLong((int) key, i)).isEqualTo(keyed.ints().hash((int) key, i));
    }
    for (KeyHasher<?> keys :
        List.of(
            Keys.strings(),
            Keys.bytes(),
            Keys.uuids(),
            Keys.by("email", User::email, Keys.strings()))) {
      assertThatExceptionOfType(ClassCastException.class).isThrownBy(() -> keys.hashLong(1, 2));
    }
  }

  @Test
  void uuids_hashAsTheirSixteenBytesInNetworkOrder() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    for (int i = 0; i < 1000; i++) {
      UUID key = new UUID(random.nextLong(), random.nextLong());
      byte[] bytes =
          ByteBuffer.allocate(16)
              .putLong(key.getMostSignificantBits())
              .putLong(key.getLeastSignificantBits())
              .array();
      long seed = random.nextLong();
      assertThat(Keys.uuids().hash(key, seed)).isEqualTo(Keys.bytes().hash(bytes, seed));
      assertThat(keyed.uuids().hash(key, seed)).isEqualTo(keyed.bytes().hash(bytes, seed));
    }
  }

  @Test
  void by_hashesTheProperty() {
    KeyHasher<User> users = Keys.by("email", User::email, Keys.strings());
    assertThat(users.hash(new User("a@b", 7), 3)).isEqualTo(Keys.strings().hash("a@b", 3));
    assertThat(users.hash(new User("a@b", 8), 3)).isEqualTo(Keys.strings().hash("a@b", 3));
  }

  @Test
  void theSeedChoosesTheFunction() {
    for (KeyHasher<Long> keys : List.of(Keys.longs(), Keys.keyed(SECRET).longs())) {
      for (int bit = 0; bit < 64; bit++) {
        assertThat(keys.hash(5L, 1L << bit)).isNotEqualTo(keys.hash(5L, 0));
      }
    }
    for (KeyHasher<String> keys : List.of(Keys.strings(), Keys.keyed(SECRET).strings())) {
      for (int bit = 0; bit < 64; bit++) {
        assertThat(keys.hash("crow", 1L << bit)).isNotEqualTo(keys.hash("crow", 0));
      }
    }
  }

  @Test
  void everyBitOfASecretGivesOtherHashesAndOtherIds() {
    List<String> ids = new ArrayList<>(List.of(Keys.keyed(SECRET).strings().id()));
    List<Long> hashes = new ArrayList<>(List.of(Keys.keyed(SECRET).strings().hash("crow", 1)));
    hashes.add(Keys.strings().hash("crow", 1));
    for (int bit = 0; bit < 128; bit++) {
      byte[] secret = SECRET.clone();
      secret[bit / 8] ^= (byte) (1 << bit % 8);
      ids.add(Keys.keyed(secret).strings().id());
      hashes.add(Keys.keyed(secret).strings().hash("crow", 1));
    }
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(hashes).doesNotHaveDuplicates();
  }

  @Test
  void aSecretIsCopiedAndNeverShown() {
    byte[] secret = SECRET.clone();
    Keys.Keyed keyed = Keys.keyed(secret);
    long before = keyed.longs().hash(1L, 2);
    Arrays.fill(secret, (byte) 0);
    assertThat(keyed.longs().hash(1L, 2)).isEqualTo(before);
    for (Object shown :
        List.of(keyed, keyed.strings(), keyed.bytes(), keyed.longs(), keyed.uuids())) {
      assertThat(shown.toString())
          .doesNotContain(Long.toString(0x0706050403020100L))
          .doesNotContain(Long.toString(0x0f0e0d0c0b0a0908L))
          .doesNotContainIgnoringCase("0706050403020100")
          .doesNotContainIgnoringCase("0001020304050607");
    }
  }

  @Test
  void keyed_refusesASecretOfAnotherLength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Keys.keyed(new byte[15]))
        .withMessageContaining("15");
  }

  @Test
  void hashAll_isTheHashOfEach() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      texts.add("\u20ac".repeat(i * 3));
    }
    for (KeyHasher<String> keys :
        List.of(
            Keys.strings(),
            keyed.strings(),
            Keys.by("length", String::length, Keys.ints()),
            Keys.by(
                "utf8", (String text) -> text.getBytes(StandardCharsets.UTF_8), Keys.bytes()))) {
      long[] hashes = new long[302];
      keys.hashAll(texts, 77, hashes);
      for (int i = 0; i < 300; i++) {
        assertThat(hashes[i]).isEqualTo(keys.hash(texts.get(i), 77));
      }
      assertThat(hashes).endsWith(0, 0);
    }
  }

  @Test
  @SuppressWarnings("DataFlowIssue")
  void nullIsNoKey() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    List<KeyHasher<?>> all =
        List.of(
            Keys.strings(),
            Keys.bytes(),
            Keys.longs(),
            Keys.ints(),
            Keys.uuids(),
            Keys.by("email", User::email, Keys.strings()),
            keyed.strings(),
            keyed.bytes(),
            keyed.longs(),
            keyed.ints(),
            keyed.uuids());
    for (KeyHasher<?> keys : all) {
      assertThatNullPointerException().as(keys.id()).isThrownBy(() -> keys.hash(null, 1));
    }
    assertThatNullPointerException()
        .isThrownBy(() -> Keys.by("email", User::email, Keys.strings()).hash(new User(null, 1), 1));
  }

  @Test
  void threadsDoNotDisturbEachOther() throws InterruptedException {
    String[] texts = new String[500];
    long[] expected = new long[500];
    for (int i = 0; i < 500; i++) {
      texts[i] = Character.toString('a' + i % 26).repeat(i) + "\u20ac";
      expected[i] = Keys.strings().hash(texts[i], 4);
    }
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int offset = 125 * t;
      threads.add(
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 20_000; i++) {
                    int at = (i + offset) % 500;
                    assertThat(Keys.strings().hash(texts[at], 4)).isEqualTo(expected[at]);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
  }
}
