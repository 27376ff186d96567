package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.woodbird.BloomFilter;
import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A key is taken as what it is: no primitive as another type, no property as another one. */
class KeyTypesTest {
  private static final KeyHasher<Object> BY_TEXT =
      Keys.by("text", Object::toString, Keys.strings());
  private static final KeyHasher<Number> BY_TYPE_AND_VALUE =
      Keys.by("type", number -> number.getClass() + " " + number, Keys.strings());

  private record User(String mail, String name) {}

  @Test
  void aPrimitiveIsTheSameKeyAsItsBox() {
    MutableFilter<Object> objects = Woodbird.bloom(BY_TEXT, 100).fpp(1e-6).build();
    objects.put('c');
    Character boxed = 'c';
    assertThat(objects.mightContain(boxed)).isTrue();
    assertThat(objects.mightContain("c")).isTrue();
    assertThat(objects.mightContain("99")).as("the code of 'c'").isFalse();

    DeletableFilter<Number> numbers = Woodbird.deletable(BY_TYPE_AND_VALUE, 100).fpp(1e-6).build();
    int seven = 7;
    numbers.put(seven);
    assertThat(numbers.mightContain(Integer.valueOf(7))).isTrue();
    assertThat(numbers.mightContain(Long.valueOf(7))).isFalse();
    assertThat(numbers.remove(seven)).isTrue();
    assertThat(numbers.mightContain(Integer.valueOf(7))).isFalse();
  }

  @Test
  void aFileOfOnePropertyIsNotAskedWithAnother() throws IOException {
    KeyHasher<User> byMail = Keys.by("mail", User::mail, Keys.strings());
    KeyHasher<User> byName = Keys.by("name", User::name, Keys.strings());
    BloomFilter<User> users = Woodbird.bloom(byMail, 100).build();
    users.put(new User("ada@example.org", "Ada"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    users.writeTo(bytes);

    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> read(bytes, byName))
        .withMessageContaining("#mail")
        .withMessageContaining("#name");
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> read(bytes, Keys.strings()));
    KeyHasher<String> mails = Keys.by("mail", Function.identity(), Keys.strings());
    assertThat(read(bytes, mails).mightContain("ada@example.org")).isTrue();
  }

  private static <K> Filter<K> read(ByteArrayOutputStream bytes, KeyHasher<K> keys)
      throws IOException {
    return Woodbird.readFrom(new ByteArrayInputStream(bytes.toByteArray()), keys);
  }
}
