package io.woodbird.file;

import io.woodbird.Answer;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.filter.OpenedAsLarge;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.filter.bloom.StoredBloom;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.ClassicBloom;
import io.woodbird.words.BufferWords;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The main class of a JVM in which threads ask a file about keys that are in it, while the file is
 * cut short or wiped. It prints how many were said to be "not here".
 */
final class VanishingFile {
  /** More than is read onto the heap, so that the file is really mapped. */
  private static final int LARGE = 17 << 20;

  /** A thousand pages: to read them takes some milliseconds, in which the file is damaged. */
  private static final int SMALL = 4 << 20;

  private static final int SEGMENT_SHIFT = 20;
  private static final int HASHES = 50_000;
  private static final int BATCH = 1000;
  private static final int THREADS = 3;

  private final Sample sample;
  private final String reader;
  private final Path path;
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong denied = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();

  private VanishingFile(Sample sample, String reader, Path path) {
    this.sample = sample;
    this.reader = reader;
    this.path = path;
  }

  /** Something that can be asked about a hash that is present. */
  private interface Asker extends Closeable {
    /** Whether a present hash is said to be "not here". */
    boolean denies(long hash, int way);
  }

  /**
   * Arguments: folder, seed, and then for each part of the work four: layout, reader ("woodbird" or
   * "mapped" for a large file, "opened-as-large", "mapped-as-large", "late-end" or "naive" for a
   * small one, which is written in a quarter of the time), what is done to the file ("cut", "wipe",
   * or "open" for cutting it while it is being opened), rounds.
   */
  public static void main(String[] args) throws Exception {
    Map<String, Sample> samples = new HashMap<>();
    for (int i = 2; i < args.length; i += 4) {
      String layout = args[i];
      int bytes = List.of("woodbird", "mapped").contains(args[i + 1]) ? LARGE : SMALL;
      Sample sample = samples.computeIfAbsent(layout + bytes, name -> sample(layout, bytes));
      new VanishingFile(sample, args[i + 1], Path.of(args[0], "vanishing.wbird"))
          .run(
              args[i + 2],
              Integer.parseInt(args[i + 3]),
              new SplittableRandom(Long.parseLong(args[1])));
    }
  }

  private static Sample sample(String layout, int bytes) {
    BloomShape shape =
        layout.equals("classic")
            ? new BloomShape.Classic(new ClassicBloom(8L * bytes, 7))
            : new BloomShape.Blocked(new BlockedBloom(bytes / 64, BlockShape.valueOf(layout)));
    return Sample.of(layout, shape, HASHES);
  }

  private void run(String how, int rounds, SplittableRandom random) throws Exception {
    for (int round = 0; round < rounds; round++) {
      try {
        if (how.equals("open")) {
          cutWhileOpening(random);
        } else {
          round(how.equals("cut"), round, random);
        }
      } catch (InternalError e) {
        errors.incrementAndGet();
      }
    }
    System.out.printf(
        "rounds=%d asked=%d denied=%d errors=%d%n",
        rounds, asked.get(), denied.get(), errors.get());
  }

  private void round(boolean cut, int round, SplittableRandom random) throws Exception {
    Files.write(path, reader.equals("naive") ? plainBits() : sample.bytes());
    AtomicBoolean stop = new AtomicBoolean();
    try (Asker asker = asker();
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      Thread[] threads = new Thread[THREADS];
      for (int i = 0; i < THREADS; i++) {
        int way = i;
        threads[i] = new Thread(() -> askUntil(stop, asker, way));
        threads[i].start();
      }
      Thread.sleep(random.nextInt(4));
      if (cut) {
        channel.truncate(cutAt(channel.size(), round, random));
      } else {
        wipe(channel, round, random);
      }
      Thread.sleep(4);
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      // After the fact, once more.
      for (int way = 0; way < THREADS; way++) {
        askSome(asker, way, random.nextInt(HASHES));
      }
    }
  }

  /** Counts openings that end in anything but a filter or the right exception. */
  private void cutWhileOpening(SplittableRandom random) throws Exception {
    Files.write(path, sample.bytes());
    int delay = random.nextInt(100_000);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      Thread cutter =
          new Thread(
              () -> {
                try {
                  long start = System.nanoTime();
                  while (System.nanoTime() - start < delay) {
                    Thread.onSpinWait();
                  }
                  channel.truncate(5000);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      cutter.start();
      asked.addAndGet(BATCH + 1);
      try {
        openAndAsk();
      } catch (IOException e) {
        errors.incrementAndGet();
      }
      cutter.join();
    }
  }

  /** An error of the JVM must not come out of the opening; it may come late, to a question. */
  private void openAndAsk() throws IOException {
    OpenFilter<Long> opened;
    try {
      opened =
          reader.equals("mapped")
              ? Woodbird.map(path, Keys.longs())
              : Woodbird.open(path, Keys.longs());
    } catch (InternalError e) {
      denied.incrementAndGet();
      return;
    }
    try (OpenFilter<Long> filter = opened) {
      filter.mightContainHash(sample.hashes()[0]);
    } catch (InternalError e) {
      errors.incrementAndGet();
    }
  }

  private static long cutAt(long size, int round, SplittableRandom random) {
    return switch (round % 8) {
      case 0 -> 0;
      case 1 -> random.nextInt(1, 4096);
      case 2 -> size - 1 - random.nextInt(16);
      case 3 -> random.nextLong(size / 4096) * 4096;
      default -> random.nextLong(size);
    };
  }

  private static void wipe(FileChannel channel, int round, SplittableRandom random)
      throws IOException {
    long size = channel.size();
    ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
    int ranges = round % 4 == 0 ? 1 : 1 + random.nextInt(200);
    for (int i = 0; i < ranges; i++) {
      long from = round % 4 == 0 ? 0 : random.nextLong(size);
      int most = round % 4 == 1 ? 64 : (int) (size / 16);
      long left = round % 4 == 0 ? size : Math.min(size - from, random.nextInt(1, most));
      while (left > 0) {
        zeros.clear().limit((int) Math.min(left, zeros.capacity()));
        int wiped = channel.write(zeros, from);
        from += wiped;
        left -= wiped;
      }
    }
  }

  private void askUntil(AtomicBoolean stop, Asker asker, int way) {
    for (int from = way; ; from = (from + BATCH) % HASHES) {
      try {
        if (stop.get()) {
          return;
        }
        askSome(asker, way, from);
      } catch (InternalError e) {
        errors.incrementAndGet(); // It may come late, anywhere. An answer it is not.
      }
    }
  }

  private void askSome(Asker asker, int way, int from) {
    for (int i = from; i < from + BATCH; i++) {
      try {
        asked.incrementAndGet();
        if (asker.denies(sample.hashes()[i % HASHES], way)) {
          denied.incrementAndGet();
        }
      } catch (InternalError e) {
        errors.incrementAndGet();
      }
    }
  }

  private Asker asker() throws IOException {
    return switch (reader) {
      case "naive" -> naive();
      case "late-end" -> woodbird(StoredBloom.of(fileWithLateEnd(), Keys.longs()));
      case "opened-as-large" -> woodbird(OpenedAsLarge.opened(path));
      case "mapped-as-large" -> woodbird(OpenedAsLarge.mapped(path));
      case "mapped" -> woodbird(Woodbird.map(path, Keys.longs()));
      default -> woodbird(Woodbird.open(path, Keys.longs()));
    };
  }

  /**
   * The file with its last part mapped from elsewhere: while a file is being cut, its pages go one
   * after another, and the end may still be there when what was read is gone. Here it always is.
   */
  private StoredFile fileWithLateEnd() throws IOException {
    Path elsewhere = path.resolveSibling("elsewhere.wbird");
    Files.write(elsewhere, sample.bytes());
    long length = sample.bytes().length;
    ByteBuffer[] segments = new ByteBuffer[(int) ((length - 1 >>> SEGMENT_SHIFT) + 1)];
    for (int i = 0; i < segments.length; i++) {
      long from = (long) i << SEGMENT_SHIFT;
      long size = Math.min(1L << SEGMENT_SHIFT, length - from);
      try (FileChannel channel = FileChannel.open(i < segments.length - 2 ? path : elsewhere)) {
        segments[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, size);
      }
    }
    return BufferFile.of(
        new BufferWords(segments, SEGMENT_SHIFT, 0), length, true, null, OpenRules.PLAIN);
  }

  private static Asker woodbird(OpenFilter<Long> filter) {
    return new Asker() {
      @Override
      public boolean denies(long hash, int way) {
        if (way == 0) {
          return !filter.mightContainHash(hash);
        }
        if (way == 1) {
          long[] hashes = {hash, hash, hash};
          return filter.candidates(hashes, 3, new int[3]) != 3;
        }
        return filter.ask(key(hash)) == Answer.NOT_HERE;
      }

      @Override
      public void close() {
        filter.close();
      }
    };
  }

  /** The key with a hash: the finaliser of SplitMix64 backwards. */
  private static long key(long hash) {
    long value = (hash ^ hash >>> 31 ^ hash >>> 62) * 0x319642b2d24d8ec3L;
    value = (value ^ value >>> 27 ^ value >>> 54) * 0x96de1b173f119089L;
    return (value ^ value >>> 30 ^ value >>> 60) - Sample.SEED;
  }

  /** What the bits would be if 1 meant "set". */
  private byte[] plainBits() {
    byte[] bits = new byte[sample.dataBytes()];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = (byte) ~sample.bytes()[Header.dataAt(sample.dataBytes()) + i];
    }
    return bits;
  }

  /** The reader that everybody writes first: map the bits, look at them. */
  private Asker naive() throws IOException {
    BlockedBloom layout = ((BloomShape.Blocked) sample.shape()).layout();
    try (FileChannel channel = FileChannel.open(path)) {
      MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      map.order(ByteOrder.LITTLE_ENDIAN);
      return new Asker() {
        @Override
        public boolean denies(long hash, int way) {
          int base = (int) BlockedBloom.block(hash, layout.blockCount()) * BlockedBloom.WORDS;
          long low = map.getLong(8 * (base + BlockedBloom.lowWord(hash)));
          long high = map.getLong(8 * (base + BlockedBloom.highWord(hash)));
          return BlockedBloom.missing(hash, layout.shape().bits(), low, high) != 0;
        }

        @Override
        public void close() {}
      };
    }
  }
}
