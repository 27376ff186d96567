package io.woodbird.key;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * The hashers for the usual kinds of keys.
 *
 * <p>Every value is a key: the empty String, zero, an empty array. A null key is a {@link
 * NullPointerException}. All hashers here are immutable and thread-safe. They allocate nothing for
 * integers, byte arrays and UUIDs; a String is copied once as UTF-8. To ask without garbage, keep
 * keys as bytes: {@link #bytes()} and {@link #buffers()} give the same hashes.
 *
 * <p>The hash functions are fast and good, but not secret: anyone can compute keys that collide. If
 * strangers choose the keys and profit from a false "maybe here", use {@link #keyed}.
 */
public final class Keys {
  /** The longest {@linkplain KeyHasher#id() id} of a hasher, in bytes of UTF-8. */
  public static final int MAX_ID_BYTES = 64;

  private static final Keyed FAST = new Keyed(RapidHash.INSTANCE);

  private Keys() {}

  /**
   * {@return the hasher of Strings by their UTF-8 bytes} It gives the hashes that {@link #bytes()}
   * gives for {@code key.getBytes(UTF_8)}, so a filter built from bytes can be asked with Strings.
   * An unpaired surrogate has no UTF-8 form; as in {@code getBytes}, it becomes a question mark.
   */
  public static KeyHasher<String> strings() {
    return FAST.strings();
  }

  /**
   * Hashes a String by its UTF-8 bytes in a form, so that several spellings are one key. A file
   * that the command line built with {@code --hex}, {@code --lower} or {@code --url} opens with it.
   *
   * @param form what is done to the text
   * @return the hasher
   */
  public static KeyHasher<String> strings(KeyForm form) {
    return FAST.strings(form);
  }

  /**
   * Hashes the bytes of a buffer as {@link #strings(KeyForm)} hashes a text of these bytes in
   * UTF-8.
   *
   * @param form what is done to the text
   * @return the hasher
   */
  public static KeyHasher<ByteBuffer> buffers(KeyForm form) {
    return FAST.buffers(form);
  }

  /** {@return the hasher of byte arrays by their content} */
  public static KeyHasher<byte[]> bytes() {
    return FAST.bytes();
  }

  /**
   * {@return the hasher of buffers by their bytes from position to limit} It moves neither, so a
   * slice of a larger array can be a key without a copy. The id is that of {@link #bytes()}.
   */
  public static KeyHasher<ByteBuffer> buffers() {
    return FAST.buffers();
  }

  /** {@return the hasher of longs} */
  public static KeyHasher<Long> longs() {
    return FAST.longs();
  }

  /** {@return the hasher of ints, each as the long of the same value, for filters of either} */
  public static KeyHasher<Integer> ints() {
    return FAST.ints();
  }

  /** {@return the hasher of UUIDs by their 128 bits} */
  public static KeyHasher<UUID> uuids() {
    return FAST.uuids();
  }

  /**
   * Hashes an object by one of its properties, such as {@code Keys.by("email", User::email,
   * Keys.strings())}.
   *
   * <p>The name becomes part of the id, as in {@code bytes:rapidhash3#email}. A filter of e-mail
   * addresses that is asked by another property would answer "not here" to every key. So a file
   * opens only with the name it was written with. If the function changes what it returns, change
   * the name too. To ask with the property itself, use the same name: {@code Keys.by("email",
   * Function.identity(), Keys.strings())}.
   *
   * @param <T> the type of the objects
   * @param <K> the type of the property
   * @param name identifies the property: not empty, without {@code #}
   * @param property returns the property, never null
   * @param keys hashes the property
   * @return the hasher
   * @throws IllegalArgumentException if the name is empty, has a {@code #}, or makes the id longer
   *     than {@value #MAX_ID_BYTES} bytes
   */
  public static <T, K> KeyHasher<T> by(
      String name, Function<? super T, ? extends K> property, KeyHasher<K> keys) {
    Objects.requireNonNull(property, "property");
    if (name.isBlank() || name.indexOf('#') >= 0) {
      throw new IllegalArgumentException(
          "the name of a property must have a letter and no '#': \"" + name + "\"");
    }
    String id = keys.id() + "#" + name;
    if (id.getBytes(StandardCharsets.UTF_8).length > MAX_ID_BYTES) {
      throw new IllegalArgumentException(
          "the id of keys may have " + MAX_ID_BYTES + " bytes, use a shorter name: " + id);
    }
    return new ByProperty<>(id, property, keys);
  }

  /**
   * Returns hashers for the same types of keys that use SipHash-1-3 under a secret. Use them if an
   * adversary may choose the keys: nobody can make keys that collide without the secret. They take
   * about 2 to 4 times as long as the fast hash. The secret is not written into files, only a
   * fingerprint that distinguishes it from others. To open the file, you need the secret.
   *
   * @param secret 16 bytes, best from a {@link java.security.SecureRandom}
   * @return the hashers
   * @throws IllegalArgumentException if the secret does not have 16 bytes
   */
  public static Keyed keyed(byte[] secret) {
    if (secret.length != 16) {
      throw new IllegalArgumentException("secret must have 16 bytes: " + secret.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(secret).order(ByteOrder.LITTLE_ENDIAN);
    return new Keyed(new SipHash(buffer.getLong(0), buffer.getLong(8)));
  }

  /** Hashers for the usual kinds of keys under one secret. */
  public static final class Keyed {
    private final BitsHash hash;
    private final KeyHasher<String> strings;
    private final KeyHasher<byte[]> bytes;
    private final KeyHasher<ByteBuffer> buffers;
    private final KeyHasher<Long> longs;
    private final KeyHasher<Integer> ints;
    private final KeyHasher<UUID> uuids;

    private Keyed(BitsHash hash) {
      this.hash = hash;
      strings = new Strings(hash);
      bytes = new Bytes(hash);
      buffers = new Buffers(hash);
      longs = hash == RapidHash.INSTANCE ? FastLongs.INSTANCE : new Integers<>(hash);
      ints = new Integers<>(hash);
      uuids = new Uuids(hash);
    }

    /** {@return {@link Keys#strings()} under the secret} */
    public KeyHasher<String> strings() {
      return strings;
    }

    /**
     * As {@link Keys#strings(KeyForm)}, under the secret.
     *
     * @param form what is done to the text
     * @return the hasher
     */
    public KeyHasher<String> strings(KeyForm form) {
      return new FormedStrings(new FormedBuffers(hash, form));
    }

    /**
     * As {@link Keys#buffers(KeyForm)}, under the secret.
     *
     * @param form what is done to the text
     * @return the hasher
     */
    public KeyHasher<ByteBuffer> buffers(KeyForm form) {
      return new FormedBuffers(hash, form);
    }

    /** {@return {@link Keys#bytes()} under the secret} */
    public KeyHasher<byte[]> bytes() {
      return bytes;
    }

    /** {@return {@link Keys#buffers()} under the secret} */
    public KeyHasher<ByteBuffer> buffers() {
      return buffers;
    }

    /** {@return {@link Keys#longs()} under the secret} */
    public KeyHasher<Long> longs() {
      return longs;
    }

    /** {@return {@link Keys#ints()} under the secret} */
    public KeyHasher<Integer> ints() {
      return ints;
    }

    /** {@return {@link Keys#uuids()} under the secret} */
    public KeyHasher<UUID> uuids() {
      return uuids;
    }
  }

  private record Strings(BitsHash hash) implements KeyHasher<String> {
    @Override
    public long hash(String key, long seed) {
      // The JDK's copy is 80 bytes of garbage for a URL of 60 characters. Encoding into an array of
      // the thread takes two to three times as long (decision 13).
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      return hash.bytes(bytes, 0, bytes.length, seed);
    }

    @Override
    public void hashAll(List<? extends String> keys, long seed, long[] hashes) {
      touch(keys);
      for (int i = 0; i < keys.size(); i++) {
        hashes[i] = hash(keys.get(i), seed);
      }
    }

    /**
     * Loads a batch of Strings into the cache. The misses of this short loop overlap; misses
     * between two hashes would not.
     */
    private static void touch(List<? extends String> keys) {
      int touched = 0;
      for (int i = 0; i < keys.size(); i++) {
        String key = keys.get(i);
        touched |= key.isEmpty() ? 0 : key.charAt(key.length() - 1);
      }
      if (touched < 0) { // Never true; keeps the JIT from removing the loop.
        throw new AssertionError(touched);
      }
    }

    @Override
    public String id() {
      return bytesId(hash);
    }
  }

  private record Bytes(BitsHash hash) implements KeyHasher<byte[]> {
    @Override
    public long hash(byte[] key, long seed) {
      return hash.bytes(key, 0, key.length, seed);
    }

    @Override
    public String id() {
      return bytesId(hash);
    }
  }

  /** Returns a buffer itself if it has an array, else a copy of its bytes. */
  private static ByteBuffer onHeap(ByteBuffer key) {
    if (key.hasArray()) {
      return key;
    }
    byte[] copy = new byte[key.remaining()];
    key.get(key.position(), copy);
    return ByteBuffer.wrap(copy);
  }

  private record Buffers(BitsHash hash) implements KeyHasher<ByteBuffer> {
    @Override
    public long hash(ByteBuffer key, long seed) {
      ByteBuffer found = onHeap(key);
      int from = found.arrayOffset() + found.position();
      return hash.bytes(found.array(), from, found.remaining(), seed);
    }

    @Override
    public String id() {
      return bytesId(hash);
    }
  }

  private record FormedBuffers(BitsHash hash, KeyForm form) implements KeyHasher<ByteBuffer> {
    FormedBuffers {
      Objects.requireNonNull(form, "form");
    }

    @Override
    public long hash(ByteBuffer key, long seed) {
      ByteBuffer found = onHeap(key);
      int from = found.arrayOffset() + found.position();
      byte[] bytes = form.apply(found.array(), from, found.remaining());
      return hash.bytes(bytes, 0, bytes.length, seed);
    }

    @Override
    public String id() {
      return bytesId(hash) + form.suffix();
    }
  }

  private record FormedStrings(FormedBuffers buffers) implements KeyHasher<String> {
    @Override
    public long hash(String key, long seed) {
      return buffers.hash(ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8)), seed);
    }

    @Override
    public String id() {
      return buffers.id();
    }
  }

  /** Longs with the fast hash: a class of its own, so that a question has one type to check. */
  private enum FastLongs implements KeyHasher<Long> {
    INSTANCE;

    @Override
    public long hash(Long key, long seed) {
      return RapidHash.mix64(key + seed);
    }

    @Override
    public long hashLong(long key, long seed) {
      return RapidHash.mix64(key + seed);
    }

    @Override
    public String id() {
      return integerId(RapidHash.INSTANCE);
    }
  }

  private record Integers<K extends Number>(BitsHash hash) implements KeyHasher<K> {
    @Override
    public long hash(K key, long seed) {
      return hash.integer(key.longValue(), seed);
    }

    @Override
    public long hashLong(long key, long seed) {
      return hash.integer(key, seed);
    }

    @Override
    public String id() {
      return integerId(hash);
    }
  }

  private record Uuids(BitsHash hash) implements KeyHasher<UUID> {
    @Override
    public long hash(UUID key, long seed) {
      long first = Long.reverseBytes(key.getMostSignificantBits());
      long second = Long.reverseBytes(key.getLeastSignificantBits());
      return hash.sixteen(first, second, seed);
    }

    @Override
    public String id() {
      return "uuid:" + hash.bytesName();
    }
  }

  private record ByProperty<T, K>(
      String id, Function<? super T, ? extends K> property, KeyHasher<K> keys)
      implements KeyHasher<T> {
    @Override
    public long hash(T key, long seed) {
      Objects.requireNonNull(key, "key");
      return keys.hash(property.apply(key), seed);
    }
  }

  private static String bytesId(BitsHash hash) {
    return "bytes:" + hash.bytesName();
  }

  private static String integerId(BitsHash hash) {
    return "int64:" + hash.integerName();
  }
}
