package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.file.FileReader;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A filter in the format of another program: read, asked, built, and written with the bytes of that
 * program.
 *
 * <table>
 *   <caption>The formats</caption>
 *   <tr><th>name</th><th>what it is</th><th>a key</th></tr>
 *   <tr><td>{@code dcso}</td><td>the file of DCSO's {@code bloom}, in which CIRCL ships its hash
 *     lists</td><td>bytes; a text is its UTF-8 form</td></tr>
 *   <tr><td>{@code fuse8}, {@code fuse16}</td><td>the file of a binary fuse filter of the Go library
 *     {@code xorfilter}, with fingerprints of 8 or 16 bits</td>
 *     <td>8 bytes, little-endian; a text is a decimal number from 0 to 2^64 - 1</td></tr>
 *   <tr><td>{@code parquet}</td><td>the Bloom filter of a column chunk in a Parquet file, from its
 *     header on (at {@code bloom_filter_offset})</td><td>the value in plain encoding, strings without
 *     their length: bytes as they are, integers little-endian in 4 or 8 bytes; a text is its UTF-8
 *     form</td></tr>
 *   <tr><td>{@code redisbloom}</td><td>the chunks that {@code BF.SCANDUMP} gives, one after another
 *     (and see {@link #loadRedisBloom})</td><td>bytes; a text is its UTF-8 form</td></tr>
 * </table>
 *
 * <p>None of these formats has a checksum, so a flipped bit goes unnoticed. {@link #save} keeps a
 * filter in a {@code .wbird} file, which has them. A filter does not change, and any number of
 * threads may ask it.
 *
 * <p>For the filters of Guava, Redisson and Spark see {@link ClassicFilter}.
 */
public final class ForeignFilter {
  /*
   * In a .wbird file the data is the bytes of the original. They are padded with zeros to a whole
   * word; parameter 0 is their number.
   */
  private static final String KEY_ID = "foreign:";
  private static final List<String> FORMATS =
      List.of("dcso", "fuse8", "fuse16", "parquet", "redisbloom");

  private final String format;
  private final Foreign contents;

  private ForeignFilter(String format, Foreign contents) {
    this.format = format;
    this.contents = contents;
  }

  /** {@return the names of the formats, always in the same order} */
  public static List<String> formats() {
    return FORMATS;
  }

  /**
   * Reads a filter. Memory is allocated as bytes arrive, whatever size the stream announces.
   *
   * @param format one of {@link #formats}
   * @param in the bytes of the other program, to the end
   * @return the filter
   * @throws CorruptFilterException if the bytes are no filter of this format, end too soon, or go
   *     on after the filter's end
   * @throws IOException if the stream fails
   */
  public static ForeignFilter read(String format, InputStream in) throws IOException {
    Foreign contents =
        switch (known(format)) {
          case "dcso" -> DcsoBloom.read(in);
          case "fuse8" -> GoBinaryFuse.read(in, 8);
          case "fuse16" -> GoBinaryFuse.read(in, 16);
          case "parquet" -> ParquetBloom.read(in);
          default -> RedisBloomChain.read(in);
        };
    if (in.read() >= 0) {
      throw new CorruptFilterException("the stream goes on after the end of the filter");
    }
    return new ForeignFilter(format, contents);
  }

  /**
   * Builds a filter as the other program would.
   *
   * @param format one of {@link #formats}
   * @param capacity for how many keys; fuse filters count their keys and do not use it
   * @param fpp the false positive probability to plan for; at least 2^-8 for {@code fuse8} and
   *     2^-16 for {@code fuse16}
   * @param keys the keys
   * @return the filter
   * @throws IllegalArgumentException if the other program can have no such filter, or if a key is
   *     none of this format
   */
  public static ForeignFilter build(
      String format, long capacity, double fpp, Iterable<byte[]> keys) {
    known(format);
    Objects.requireNonNull(keys, "keys");
    if (capacity <= 0) {
      throw new IllegalArgumentException("capacity must be positive: " + capacity);
    }
    if (!(fpp > 0 && fpp < 1)) {
      throw new IllegalArgumentException("fpp must be above 0 and below 1: " + fpp);
    }
    Foreign contents =
        switch (format) {
          case "dcso" -> DcsoBloom.build(capacity, fpp, keys);
          case "fuse8" -> GoBinaryFuse.build(8, fpp, keys);
          case "fuse16" -> GoBinaryFuse.build(16, fpp, keys);
          case "parquet" -> ParquetBloom.build(capacity, fpp, keys);
          default -> RedisBloomChain.build(capacity, fpp, keys);
        };
    return new ForeignFilter(format, contents);
  }

  private static String known(String format) {
    Objects.requireNonNull(format, "format");
    if (!FORMATS.contains(format)) {
      throw new IllegalArgumentException("format must be one of " + FORMATS + ": " + format);
    }
    return format;
  }

  /**
   * Returns false if the key is certainly not here, true in every other case.
   *
   * @param key the key
   * @return the answer of the other program
   * @throws IllegalArgumentException if the format has no such key
   */
  public boolean mightContain(String key) {
    return contents.mightContain(contents.bytesOf(Objects.requireNonNull(key, "key")));
  }

  /**
   * As {@link #mightContain(String)}, for a key of bytes.
   *
   * @param key the key
   * @return the answer of the other program
   * @throws IllegalArgumentException if the format has no such key
   */
  public boolean mightContain(byte[] key) {
    return contents.mightContain(Objects.requireNonNull(key, "key"));
  }

  /** {@return the format, one of {@link #formats}} */
  public String format() {
    return format;
  }

  /**
   * Writes the bytes of the other program.
   *
   * @param out the stream, neither flushed nor closed
   * @throws IOException if the stream fails
   */
  public void writeTo(OutputStream out) throws IOException {
    contents.writeTo(out);
  }

  /**
   * Loads a filter that was built here into a Redis with RedisBloom: sends all chunks in order.
   *
   * <pre>{@code
   * ForeignFilter filter = ForeignFilter.build("redisbloom", 1_000_000, 0.01, keys);
   * ForeignFilter.loadRedisBloom(
   *     filter, (iterator, chunk) -> jedis.bfLoadChunk("seen", iterator, chunk));
   * }</pre>
   *
   * <p>The Redis key must not exist. Until the last chunk is loaded, Redis says "not here" about
   * keys whose chunk has not arrived: load under another name and rename it. The other way needs no
   * method: the data of {@code BF.SCANDUMP}, one chunk after another, is what {@link #read} reads.
   *
   * @param filter a filter of the format {@code redisbloom}
   * @param loader sends one chunk, by {@code BF.LOADCHUNK key iterator chunk}
   * @throws IllegalArgumentException if the filter has another format
   */
  public static void loadRedisBloom(ForeignFilter filter, BiConsumer<Long, byte[]> loader) {
    Objects.requireNonNull(loader, "loader");
    if (!(filter.contents instanceof RedisBloomChain chain)) {
      throw new IllegalArgumentException("format must be redisbloom: " + filter.format);
    }
    chain.forEachChunk(loader);
  }

  /**
   * Writes a {@code .wbird} file with these bytes and their checksums, completely or not at all:
   * see {@link io.woodbird.Filter#save}.
   *
   * @param path the file, replaced if it exists
   * @throws IOException if it could not be written; then the old file is as it was
   */
  public void save(Path path) throws IOException {
    Objects.requireNonNull(path, "path");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    contents.writeTo(out);
    byte[] bytes = out.toByteArray();
    long words = (bytes.length + 7L) / 8;
    Header header =
        new Header(
            LayoutId.FOREIGN, 0, KEY_ID + format, 0, 1, 0, 8 * words, List.of((long) bytes.length));
    FileWriter.save(
        header,
        (offset, target) -> {
          int count = (int) Math.min(target.remaining(), bytes.length - offset);
          target.put(bytes, (int) offset, count);
          while (target.hasRemaining()) {
            target.put((byte) 0);
          }
        },
        path);
  }

  /**
   * Reads a filter from a {@code .wbird} file and checks all of it.
   *
   * @param in a stream of what {@link #save} wrote; read to the filter's end and no further
   * @return the filter
   * @throws CorruptFilterException if the bytes are damaged, truncated, or not such a filter
   * @throws IncompatibleFilterException if they are a filter of another kind, or of a newer version
   * @throws IOException if the stream fails
   */
  public static ForeignFilter load(InputStream in) throws IOException {
    StoredFile file = FileReader.read(in);
    Header header = file.header();
    if (header.layout() != LayoutId.FOREIGN) {
      throw new IncompatibleFilterException(
          "the file holds no filter of another program: open it with Woodbird.open");
    }
    String format = header.keyId().startsWith(KEY_ID) ? header.keyId().substring(8) : "";
    if (!FORMATS.contains(format)) {
      throw new IncompatibleFilterException(
          "the file has a format that this version does not know: " + header.keyId());
    }
    long bytes = header.parameter(0);
    long data = header.dataBytes();
    Header.require(bytes >= 0 && bytes <= data && bytes > data - 8, "number of bytes", bytes);
    return read(format, new FileBytes(file, bytes));
  }

  /** The bytes of the original in a file. */
  private static final class FileBytes extends InputStream {
    private final StoredFile file;
    private final long length;
    private long at;

    FileBytes(StoredFile file, long length) {
      this.file = file;
      this.length = length;
    }

    @Override
    public int read() {
      if (at == length) {
        return -1;
      }
      int value = (int) (file.get(at >>> 3) >>> (8 * (at & 7))) & 0xff;
      at++;
      return value;
    }

    @Override
    public int read(byte[] target, int from, int count) {
      if (at == length) {
        return count == 0 ? 0 : -1;
      }
      int done = 0;
      ByteBuffer out = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
      while (done < count && at < length) {
        if ((at & 7) == 0 && count - done >= 8 && length - at >= 8) {
          out.putLong(from + done, file.get(at >>> 3));
          at += 8;
          done += 8;
        } else {
          target[from + done++] = (byte) read();
        }
      }
      return done;
    }
  }

  /** Returns the format, sizes and counts. */
  @Override
  public String toString() {
    return format + ", " + contents;
  }
}
