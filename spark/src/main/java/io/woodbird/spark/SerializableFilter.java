package io.woodbird.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.ExternalizableSerializer;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A filter in a form that Java's serialization and Kryo can send: for broadcasts, closures and
 * state. What is sent are the bytes of {@link Filter#writeTo}, and what arrives is checked as
 * {@link Woodbird#readFrom} checks it.
 *
 * <pre>{@code
 * var shared = context.broadcast(SerializableFilter.of(filter, Keys.strings()));
 * rows.filter(row -> shared.value().filter().mightContain(row.getString(0)));
 * }</pre>
 *
 * <p>The bytes are one array, so a filter of 2 GB or more can't be sent: save it to a file and ask
 * it with {@link WoodbirdSpark#mightContain}.
 *
 * @param <K> the type of the keys
 */
@DefaultSerializer(ExternalizableSerializer.class)
public final class SerializableFilter<K> implements Externalizable {
  private static final long serialVersionUID = 1L;

  /** The hashers that can be named in a few bytes; a hasher's place in the list is its name. */
  private static final List<KeyHasher<?>> HASHERS =
      List.of(
          Keys.strings(), Keys.bytes(), Keys.buffers(), Keys.longs(), Keys.ints(), Keys.uuids());

  private int hasher;
  private transient @Nullable Filter<K> filter;

  /** For {@link #readExternal} only. */
  public SerializableFilter() {}

  private SerializableFilter(Filter<K> filter, int hasher) {
    this.filter = filter;
    this.hasher = hasher;
  }

  /**
   * Wraps a filter.
   *
   * @param <K> the type of the keys
   * @param filter the filter
   * @param keys the hasher it was built with: one of {@link Keys}, without a secret or a property
   * @return an object that can be sent
   * @throws IllegalArgumentException if the hasher is another one
   */
  public static <K> SerializableFilter<K> of(Filter<K> filter, KeyHasher<K> keys) {
    Objects.requireNonNull(filter, "filter");
    return new SerializableFilter<>(filter, numberOf(keys));
  }

  /** Returns the number under which a hasher is sent. */
  static int numberOf(KeyHasher<?> keys) {
    int number = HASHERS.indexOf(keys);
    if (number < 0) {
      throw new IllegalArgumentException(
          "only a hasher of Keys, without a secret or a property, can be sent: " + keys.id());
    }
    return number;
  }

  /** Returns the hasher with a number; the caller knows the type of its keys. */
  @SuppressWarnings("unchecked")
  static <K> KeyHasher<K> hasher(int number) {
    return (KeyHasher<K>) HASHERS.get(number);
  }

  /**
   * Returns the filter.
   *
   * @return the filter that was wrapped, or its copy where it was sent to
   */
  public Filter<K> filter() {
    return Objects.requireNonNull(filter, "the object was not read completely");
  }

  /** The bytes of a filter, in one array. */
  static byte[] bytes(Filter<?> filter) throws IOException {
    requireSendable(filter.sizeInBytes());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) filter.sizeInBytes());
    filter.writeTo(bytes);
    return bytes.toByteArray();
  }

  /** Throws if a filter of this size does not fit into one array. */
  static void requireSendable(long bytes) {
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "a filter of %,d bytes is too large to be sent between machines: write a frozen filter"
                  + " to a file instead",
              bytes));
    }
  }

  @Override
  public void writeExternal(ObjectOutput out) throws IOException {
    byte[] bytes = bytes(filter());
    out.writeByte(hasher);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public void readExternal(ObjectInput in) throws IOException {
    hasher = in.readByte();
    if (hasher < 0 || hasher >= HASHERS.size()) {
      throw new IOException("unknown kind of keys: " + hasher);
    }
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    filter = Woodbird.readFrom(new ByteArrayInputStream(bytes), hasher(hasher));
  }
}
