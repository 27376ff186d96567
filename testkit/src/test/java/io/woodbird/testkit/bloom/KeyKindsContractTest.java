package io.woodbird.testkit.bloom;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.TestKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The Bloom filter with each kind of keys. */
@ParameterizedClass(name = "{0}")
@MethodSource("kinds")
final class KeyKindsContractTest<K> extends MutableFilterContract<K> {
  private static final byte[] SECRET = "sixteen  secrets".getBytes(StandardCharsets.US_ASCII);

  private record User(String email, int age) {}

  KeyKindsContractTest(TestKeys<K> keys) {
    super(keys, 0.01);
  }

  static Stream<TestKeys<?>> kinds() {
    Keys.Keyed keyed = Keys.keyed(SECRET);
    return Stream.of(
        TestKeys.ints(),
        TestKeys.strings(),
        TestKeys.bytes(),
        TestKeys.uuids(),
        TestKeys.longs("keyed longs", keyed.longs()),
        TestKeys.strings("keyed strings", keyed.strings()),
        TestKeys.bytes("keyed bytes", keyed.bytes()),
        TestKeys.uuids("keyed uuids", keyed.uuids()),
        new TestKeys<>(
            "users by email",
            Keys.by("email", User::email, Keys.strings()),
            number -> new User(number + "@example.org", (int) number % 100),
            List.of(new User("", 0), new User("@", 0))));
  }

  /** Two share a hasher; the words are those of BlockedBloomContractTest. */
  @Override
  protected List<Integer> threads() {
    return List.of(2);
  }

  @Override
  protected MutableFilter<K> make(long expectedKeys, double fpp, long seed) {
    return Woodbird.bloom(keys().hasher(), expectedKeys).fpp(fpp).seed(seed).build();
  }
}
