package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/** A filter of RedisBloom: Bloom filters, each larger than the one before. */
final class RedisBloomChain implements Foreign {
  /*
   * BF.SCANDUMP gives a header and then the bytes of the links, in order, in chunks of up to 16 MB.
   * All chunks one after another are the form that is read and written here.
   *
   *   0  u64 keys, u32 links, u32 options, u32 growth
   *  20  per link: u64 bytes, u64 bits, u64 keys, f64 error, f64 bits per key, u32 hashes,
   *      u64 planned keys, u8 n2
   *
   * Little-endian, without gaps. A position is (a + i * b) modulo the bits, or modulo 2^n2 if that
   * is not 0. Bit i is bit i % 8 of byte i / 8. If the options have 64-bit hashes, as all filters
   * since 2017 have, a and b are MurmurHash64A of the key, b seeded with a. Older ones are refused.
   */
  static final int HEADER = 20;
  static final int LINK = 53;
  private static final int NO_ROUND = 1;
  private static final int FORCE_64 = 4;
  private static final int NO_SCALING = 8;
  private static final int MOST_LINKS = 1024;
  private static final int MOST_BYTES = 16 << 20; // Of a chunk, as BF.SCANDUMP cuts them.
  private static final double LN2 = 0.693147180559945;
  private static final double LN2_SQUARED = 0.480453013918201;
  private static final double TIGHTENING = 0.5;

  private final int options;
  private final int growth;
  private final List<Link> links = new ArrayList<>();

  /** One Bloom filter of the chain. */
  private static final class Link {
    private final HeapWords words;
    private final double error;
    private final double bitsPerKey;
    private final int hashes;
    private final long planned;
    private final int n2;
    private long keys;

    Link(HeapWords words, double error, double bitsPerKey, int hashes, long planned, int n2) {
      this.words = words;
      this.error = error;
      this.bitsPerKey = bitsPerKey;
      this.hashes = hashes;
      this.planned = planned;
      this.n2 = n2;
    }

    static Link of(long planned, double error) {
      double bitsPerKey = -(Math.log(error) / LN2_SQUARED);
      double bits = Math.max(1, Math.floor(planned * bitsPerKey));
      if (bits > ClassicFilter.MAX_WORDS * 64.0) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT, "%,d keys at fpp %s do not fit into one array", planned, error));
      }
      HeapWords words = new HeapWords(((long) bits + 63) >>> 6);
      int hashes = (int) Math.ceil(LN2 * bitsPerKey);
      return new Link(words, error, bitsPerKey, hashes, planned, 0);
    }

    private long position(long a, long b, int i) {
      long sum = a + i * b;
      return n2 == 0 ? Long.remainderUnsigned(sum, words.count() * 64) : sum & (1L << n2) - 1;
    }

    boolean has(long a, long b) {
      for (int i = 0; i < hashes; i++) {
        long bit = position(a, b, i);
        if ((words.get(bit >>> 6) >>> bit & 1) == 0) {
          return false;
        }
      }
      return true;
    }

    void put(long a, long b) {
      for (int i = 0; i < hashes; i++) {
        long bit = position(a, b, i);
        words.setBits(HeapWords.index(bit >>> 6), 1L << bit);
      }
      keys++;
    }
  }

  private RedisBloomChain(int options, int growth) {
    this.options = options;
    this.growth = growth;
  }

  /** Makes what BF.RESERVE and BF.ADD would: a chain that grows, with half the fpp at first. */
  static RedisBloomChain build(long capacity, double fpp, Iterable<byte[]> keys) {
    RedisBloomChain chain = new RedisBloomChain(NO_ROUND | FORCE_64, 2);
    chain.links.add(Link.of(capacity, fpp * TIGHTENING));
    for (byte[] key : keys) {
      chain.put(key);
    }
    return chain;
  }

  static RedisBloomChain read(InputStream in) throws IOException {
    ByteBuffer header = WordStream.header(in, HEADER, "RedisBloom's");
    header.order(ByteOrder.LITTLE_ENDIAN);
    long count = header.getInt(8) & 0xffff_ffffL;
    int options = header.getInt(12);
    require(count > 0 && count <= MOST_LINKS, "number of links", count);
    require((options & ~15) == 0, "options", options);
    if ((options & FORCE_64) == 0) {
      throw new CorruptFilterException(
          "the filter uses hashes of 32 bits, as RedisBloom did until 2017: it can't be read");
    }
    RedisBloomChain chain = new RedisBloomChain(options, header.getInt(16));
    List<ByteBuffer> heads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      heads.add(WordStream.header(in, LINK, "a link's").order(ByteOrder.LITTLE_ENDIAN));
    }
    long before = HEADER + LINK * count;
    long keys = 0;
    for (ByteBuffer head : heads) {
      Link link = readLink(head, in, before);
      chain.links.add(link);
      before += link.words.count() * 8;
      keys += link.keys;
    }
    require(keys == header.getLong(0), "number of keys", header.getLong(0));
    return chain;
  }

  private static Link readLink(ByteBuffer head, InputStream in, long before) throws IOException {
    long bytes = head.getLong(0);
    long bits = head.getLong(8);
    double error = head.getDouble(24);
    int hashes = head.getInt(40);
    int n2 = head.get(52) & 0xff;
    require(
        bytes > 0 && bytes % 8 == 0 && bytes / 8 <= ClassicFilter.MAX_WORDS && bits == bytes * 8,
        "size of a link",
        bytes);
    require(error > 0 && error < 1, "error of a link", error);
    require(hashes > 0 && hashes <= 1 << 16, "number of hashes", hashes);
    require(n2 == 0 || (n2 < 63 && 1L << n2 <= bits), "power of two", n2);
    HeapWords words = WordStream.read(in, bytes / 8, ByteOrder.LITTLE_ENDIAN, before);
    Link link = new Link(words, error, head.getDouble(32), hashes, head.getLong(44), n2);
    link.keys = head.getLong(16);
    return link;
  }

  private static void require(boolean right, String field, Object value)
      throws CorruptFilterException {
    if (!right) {
      throw new CorruptFilterException(
          "the header of RedisBloom has an impossible " + field + ": " + value);
    }
  }

  private void put(byte[] key) {
    long a = murmur(key, 0xc6a4a7935bd1e995L);
    long b = murmur(key, a);
    if (has(a, b)) {
      return;
    }
    Link last = links.get(links.size() - 1);
    if (last.keys >= last.planned) {
      last = Link.of(last.planned * growth, last.error * TIGHTENING);
      links.add(last);
    }
    last.put(a, b);
  }

  @Override
  public boolean mightContain(byte[] key) {
    long a = murmur(key, 0xc6a4a7935bd1e995L);
    return has(a, murmur(key, a));
  }

  private boolean has(long a, long b) {
    for (int i = links.size() - 1; i >= 0; i--) {
      if (links.get(i).has(a, b)) {
        return true;
      }
    }
    return false;
  }

  /** MurmurHash64A. */
  static long murmur(byte[] key, long seed) {
    long m = 0xc6a4a7935bd1e995L;
    ByteBuffer in = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    long hash = seed ^ key.length * m;
    while (in.remaining() >= 8) {
      long k = in.getLong() * m;
      k = (k ^ k >>> 47) * m;
      hash = (hash ^ k) * m;
    }
    if (in.hasRemaining()) {
      for (int shift = 0; in.hasRemaining(); shift += 8) {
        hash ^= (in.get() & 0xffL) << shift;
      }
      hash *= m;
    }
    hash = (hash ^ hash >>> 47) * m;
    return hash ^ hash >>> 47;
  }

  private byte[] header() {
    ByteBuffer header = ByteBuffer.allocate(HEADER + LINK * links.size());
    header.order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(keys()).putInt(links.size()).putInt(options).putInt(growth);
    for (Link link : links) {
      long bytes = link.words.count() * 8;
      header.putLong(bytes).putLong(bytes * 8).putLong(link.keys);
      header.putDouble(link.error).putDouble(link.bitsPerKey).putInt(link.hashes);
      header.putLong(link.planned).put((byte) link.n2);
    }
    return header.array();
  }

  /**
   * Gives every chunk, and the iterator that BF.LOADCHUNK takes with it. The header is the first.
   */
  void forEachChunk(BiConsumer<Long, byte[]> loader) {
    long iterator = 1;
    loader.accept(iterator, header());
    for (Link link : links) {
      long word = 0;
      while (word < link.words.count()) { // No chunk may go on in the next link.
        int count = (int) Math.min(MOST_BYTES / 8, link.words.count() - word);
        ByteBuffer chunk = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
          chunk.putLong(link.words.get(word++));
        }
        iterator += chunk.capacity();
        loader.accept(iterator, chunk.array());
      }
    }
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    out.write(header());
    for (Link link : links) {
      WordStream.write(link.words, ByteOrder.LITTLE_ENDIAN, out);
    }
  }

  private long keys() {
    return links.stream().mapToLong(link -> link.keys).sum();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d links%s, %,d keys of %,d planned, %,d bytes",
        links.size(),
        (options & NO_SCALING) == 0 ? "" : " (no more may be added)",
        keys(),
        links.stream().mapToLong(link -> link.planned).sum(),
        links.stream().mapToLong(link -> link.words.count() * 8).sum());
  }
}
