package io.woodbird.console;

import io.woodbird.console.shared.FileHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/** How full each part of a filter file is, and how evenly a good hash would have filled it. */
final class HeatMap {
  /*
   * The data is cut into up to 2,048 tiles of whole blocks of 512 bits. A good hash gives a block a
   * Poisson number of keys, and each key sets c bits in it. With q the share of bits that are not
   * set, the number of bits set in a block then has the variance
   *
   *   512 q (1 - q)  +  512 q^2 (-ln q) (c - 1)
   *
   * The first term is chance bit by bit; the second is there because bits come in groups of c: two
   * bits of a block are both unset with probability q^2 exp(keys per block * P(a key sets both)), and
   * those add up to c (c - 1) per key. HeatMapTest compares it with filters that are really filled.
   *
   * Files beyond READ_LIMIT are sampled, the same share of every tile.
   */
  static final int MAX_TILES = 2048;

  private static final int BLOCK_BYTES = 64;
  private static final long READ_LIMIT = 64 << 20;
  private static final long CHECK_LIMIT = 256 << 20;
  private static final double SIGMAS = 5;

  private final FileChannel file;
  private final FileHeader header;
  private final int tiles;
  private final long blocks;
  private final double[] fill;
  private final long[] bitsRead;
  private final BitSet damaged = new BitSet();
  private long damagedPages;
  private boolean pagesChecked;

  private HeatMap(FileChannel file, FileHeader header) {
    this.file = file;
    this.header = header;
    this.blocks = (header.dataBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES;
    this.tiles = (int) Math.min(blocks, MAX_TILES);
    this.fill = new double[tiles];
    this.bitsRead = new long[tiles];
  }

  static Map<String, Object> of(FileChannel file, FileHeader header) throws IOException {
    HeatMap map = new HeatMap(file, header);
    if (header.dataBytes() <= CHECK_LIMIT) {
      map.checkPages();
    }
    if (header.isBloom()) {
      map.readTiles();
    }
    return map.describe();
  }

  /** The first block of a tile; of the one after the last, the end. */
  private long firstBlock(int tile) {
    return blocks * tile / tiles; // Below 2^61: a file has at most 2^50 blocks.
  }

  private void checkPages() throws IOException {
    ByteBuffer page = ByteBuffer.allocate(FileHeader.PAGE_BYTES);
    ByteBuffer stored = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer start = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    for (long number = 0; number < header.pages(); number++) {
      long from = number * FileHeader.PAGE_BYTES;
      page.clear().limit((int) Math.min(FileHeader.PAGE_BYTES, header.dataBytes() - from));
      readFully(file, page, header.dataAt() + from);
      boolean whole = !page.hasRemaining();
      readFully(file, stored.clear(), header.dataAt() + header.dataBytes() + 4 * number);
      whole &= !stored.hasRemaining();
      CRC32C crc = new CRC32C();
      crc.update(start.putInt(0, header.identity()).putLong(4, number).rewind());
      crc.update(page.flip());
      if (!whole || (int) crc.getValue() != stored.getInt(0)) {
        damagedPages++;
        markDamaged(from / BLOCK_BYTES, (from + FileHeader.PAGE_BYTES - 1) / BLOCK_BYTES);
      }
    }
    pagesChecked = true;
  }

  private void markDamaged(long fromBlock, long toBlock) {
    for (int tile = 0; tile < tiles; tile++) {
      if (firstBlock(tile) <= toBlock && firstBlock(tile + 1) > fromBlock) {
        damaged.set(tile);
      }
    }
  }

  private void readTiles() throws IOException {
    long each = Math.max(BLOCK_BYTES, READ_LIMIT / tiles / BLOCK_BYTES * BLOCK_BYTES);
    for (int tile = 0; tile < tiles; tile++) {
      long from = firstBlock(tile) * BLOCK_BYTES;
      long to = Math.min(header.dataBytes(), firstBlock(tile + 1) * BLOCK_BYTES);
      ByteBuffer words =
          ByteBuffer.allocate((int) Math.min(each, to - from)).order(ByteOrder.LITTLE_ENDIAN);
      readFully(file, words, header.dataAt() + from);
      words.flip();
      long set = 0;
      bitsRead[tile] = words.remaining() / 8 * 64L;
      while (words.remaining() >= 8) {
        set += Long.bitCount(~words.getLong()); // Stored inverted: 0 means set.
      }
      fill[tile] = bitsRead[tile] == 0 ? 0 : (double) set / bitsRead[tile];
    }
  }

  /** Fills the buffer from a place in the file, as far as the file goes. */
  private static void readFully(FileChannel file, ByteBuffer buffer, long from) throws IOException {
    for (long at = from; buffer.hasRemaining(); ) {
      int count = file.read(buffer, at);
      if (count < 0) {
        return;
      }
      at += count;
    }
  }

  private Map<String, Object> describe() {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("tiles", tiles);
    answer.put("blocksPerTile", (double) blocks / tiles);
    answer.put("pages", header.pages());
    answer.put("pagesChecked", pagesChecked);
    answer.put("damagedPages", damagedPages);
    answer.put("damagedTiles", damaged.stream().boxed().toList());
    if (header.isBloom()) {
      answer.put("sampled", header.dataBytes() > READ_LIMIT);
      answer.put("fill", fill);
      spread(answer);
    }
    return answer;
  }

  /** Compares the tiles that are not damaged with what chance alone would do. */
  private void spread(Map<String, Object> answer) {
    int good = tiles - damaged.cardinality();
    if (good == 0) {
      return;
    }
    double[] sorted = new double[good];
    double set = 0;
    double all = 0;
    int count = 0;
    for (int tile = damaged.nextClearBit(0); tile < tiles; tile = damaged.nextClearBit(tile + 1)) {
      sorted[count++] = fill[tile];
      set += fill[tile] * bitsRead[tile];
      all += bitsRead[tile];
    }
    double mean = set / all;
    double spread = 0;
    double worst = 0;
    for (int tile = damaged.nextClearBit(0); tile < tiles; tile = damaged.nextClearBit(tile + 1)) {
      double sigmas = (fill[tile] - mean) / sigma(mean, bitsRead[tile]);
      spread += sigmas * sigmas / good;
      worst = Math.max(worst, Math.abs(sigmas));
    }
    Arrays.sort(sorted);
    double sigma = sigma(mean, (long) (all / good));
    answer.put("mean", mean);
    answer.put("min", sorted[0]);
    answer.put("median", sorted[good / 2]);
    answer.put("max", sorted[good - 1]);
    answer.put("expectedLow", Math.max(0, mean - SIGMAS * sigma));
    answer.put("expectedHigh", Math.min(1, mean + SIGMAS * sigma));
    answer.put("spread", spread);
    answer.put("worst", worst);
    boolean enough = good >= 16 && mean > 0.001 && mean < 0.999;
    boolean even = worst <= SIGMAS && spread <= 1 + SIGMAS * Math.sqrt(2.0 / good);
    answer.put("verdict", !enough ? "few" : even ? "even" : "uneven");
  }

  private double sigma(double mean, long bits) {
    double unset = 1 - mean;
    if (unset <= 0 || mean <= 0) {
      return Double.MIN_NORMAL;
    }
    double perBit = unset * mean + unset * unset * -Math.log(unset) * (header.bitsPerBlock() - 1);
    return Math.sqrt(perBit * bits) / bits;
  }
}
