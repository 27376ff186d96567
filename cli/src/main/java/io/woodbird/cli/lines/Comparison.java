package io.woodbird.cli.lines;

import io.woodbird.BloomFilter;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Finds the lines of A that are in B: exactly, in the order of A, in bounded memory. */
public final class Comparison implements Closeable {
  /*
   *   1  B is read:        its hashes make a filter over B
   *   2  A is read:        lines that are not in the filter are not in B; the others, the
   *                        candidates, are spilled by hash and make a filter over themselves
   *   3  B is read again:  lines that may be candidates are spilled by hash
   *   4  part by part, candidates and spilled lines of B are compared byte by byte
   *   5  A is read again:  each line is "not in B", or step 4 has its result
   *
   * So only lines that are probably in both files are stored: on disk, and one part at a time in
   * memory. If memory is too small for good filters, there are more candidates; the result is the same.
   * An input that can't be read twice is copied to a temporary file first. A file that changed between
   * two readings has another sum of its hashes, in their order: the results of step 4 have no names but
   * the numbers of the candidates.
   */
  private static final double FPP = 0.01;
  private static final long PART_BYTES = 32L << 20;

  private final Call call;
  private final Format format;
  private final Progress progress;
  private final long memory;
  private final Path folder;
  private final KeyHasher<ByteBuffer> keys = Keys.buffers();
  private final long seed = new SecureRandom().nextLong();
  private final List<FileChannel> copies = new ArrayList<>();
  private long linesOfA;
  private long linesOfB;
  private long candidates;
  private long sumOfA;
  private long sumOfB;

  /** Makes one that takes about {@code memory} bytes, the machine itself not counted. */
  public Comparison(Call call, Format format, Progress progress, long memory, Path folder) {
    this.call = call;
    this.format = format;
    this.progress = progress;
    this.memory = memory;
    this.folder = folder;
  }

  /** Takes a line of A and whether it is in B. */
  public interface Taker {
    /** Takes line {@code index} of a batch. */
    void take(Lines batch, int index, boolean inB) throws IOException;
  }

  /** Compares, and gives each line of A in order. */
  public void run(Source wholeA, Source wholeB, Taker taker) throws IOException {
    wholeA.requireNotStdout(); // All of B was read before the first line is written.
    Source a = rereadable(wholeA, "A");
    Source b = rereadable(wholeB, "B");
    BloomFilter<ByteBuffer> ofB = filterOf(b);
    int partBits = partBits(a.size());
    ExactMatches matches = new ExactMatches(memory / 4);
    try (LineSpill spillA = new LineSpill(folder, partBits);
        LineSpill spillB = new LineSpill(folder, partBits)) {
      BloomFilter<ByteBuffer> ofCandidates = findCandidates(a, ofB, spillA);
      if (candidates > 0) {
        findPartners(b, ofCandidates, spillB);
        matches.settle(spillA, spillB, progress);
      }
    }
    give(a, ofB, matches, taker);
  }

  private static int partBits(long bytes) {
    int bits = 4;
    while (bits < 7 && bytes >>> bits > PART_BYTES) {
      bits++;
    }
    return bits;
  }

  private BloomFilter<ByteBuffer> filterOf(Source source) throws IOException {
    try (Reading reading = reading(source, "reading B");
        HashSpool spool = new HashSpool(memory / 8, folder)) {
      HashedLines lines = new HashedLines(reading, keys, seed);
      lines.forEach(spool::add);
      linesOfB = reading.lines();
      sumOfB = lines.sum();
      reading.warn(call.voice());
      return filterOf(spool);
    }
  }

  private BloomFilter<ByteBuffer> filterOf(HashSpool spool) throws IOException {
    long number = Math.max(1, spool.count());
    long bytes = Woodbird.plan(number).fpp(FPP).needs(Planner.Need.PUT).plans().get(0).bytes() * 2;
    BloomFilter<ByteBuffer> filter =
        (bytes < memory / 4
                ? Woodbird.bloom(keys, number).fpp(FPP)
                : Woodbird.bloom(keys, number).maxBytes(memory / 4))
            .seed(seed)
            .build();
    spool.forEach(filter::putHashes);
    return filter;
  }

  private BloomFilter<ByteBuffer> findCandidates(
      Source a, BloomFilter<ByteBuffer> ofB, LineSpill spill) throws IOException {
    try (Reading reading = reading(a, "reading A");
        HashSpool spool = new HashSpool(memory / 8, folder)) {
      HashedLines lines = new HashedLines(reading, keys, seed);
      int[] selected = new int[Lines.BATCH];
      long[] found = new long[Lines.BATCH];
      for (int count = lines.next(); count > 0; count = lines.next()) {
        int kept = ofB.candidates(lines.hashes(), count, selected);
        for (int i = 0; i < kept; i++) {
          int line = selected[i];
          found[i] = lines.hashes()[line];
          spill.add(found[i], candidates++, lines.batch().key(line));
        }
        spool.add(found, kept);
      }
      linesOfA = reading.lines();
      sumOfA = lines.sum();
      reading.warn(call.voice());
      return filterOf(spool);
    }
  }

  private void findPartners(Source b, BloomFilter<ByteBuffer> ofCandidates, LineSpill spill)
      throws IOException {
    try (Reading reading = reading(b, "reading B again")) {
      HashedLines lines = new HashedLines(reading, keys, seed);
      int[] selected = new int[Lines.BATCH];
      for (int count = lines.next(); count > 0; count = lines.next()) {
        int kept = ofCandidates.candidates(lines.hashes(), count, selected);
        for (int i = 0; i < kept; i++) {
          int line = selected[i];
          spill.add(lines.hashes()[line], 0, lines.batch().key(line));
        }
      }
      if (lines.sum() != sumOfB || reading.lines() != linesOfB) {
        throw changed(b);
      }
    }
  }

  private void give(Source a, BloomFilter<ByteBuffer> ofB, ExactMatches matches, Taker taker)
      throws IOException {
    try (Reading reading = reading(a, "writing")) {
      HashedLines lines = new HashedLines(reading, keys, seed);
      int[] selected = new int[Lines.BATCH];
      long number = 0;
      for (int count = lines.next(); count > 0; count = lines.next()) {
        int kept = ofB.candidates(lines.hashes(), count, selected);
        int next = 0;
        for (int i = 0; i < count; i++) {
          boolean candidate = next < kept && selected[next] == i;
          next += candidate ? 1 : 0;
          boolean inB = candidate && matches.isMarked(number);
          number += candidate ? 1 : 0;
          taker.take(lines.batch(), i, inB);
        }
      }
      if (lines.sum() != sumOfA || reading.lines() != linesOfA) {
        throw changed(a);
      }
    }
  }

  private static Failure changed(Source source) {
    return Problem.CHANGED.failure(
        source.name() + " changed while it was being compared.",
        "It was read twice, and the second time it was another file; the output is wrong.",
        "compare a copy");
  }

  private Reading reading(Source source, String phase) {
    return new Reading(call, List.of(source), format, progress, phase);
  }

  /** The source, or a copy of what a pipe holds. */
  private Source rereadable(Source source, String name) throws IOException {
    if (source.rereadable()) {
      return source;
    }
    progress.phase("copying " + name, "byte");
    FileChannel copy = ScratchFile.open(folder, "copy");
    copies.add(copy);
    Source.Opened opened = source.open(call.in(), format.decompress());
    try (InputStream in = opened.stream()) {
      OutputStream out = Channels.newOutputStream(copy);
      byte[] buffer = new byte[1 << 16];
      long done = 0;
      while (true) {
        int read;
        try {
          read = in.read(buffer);
        } catch (IOException e) {
          throw source.broken(e, opened.compressed(), Units.count(done, "byte"));
        }
        if (read < 0) {
          break;
        }
        Stop.check();
        out.write(buffer, 0, read);
        done += read;
        progress.at(done, 0, 0);
      }
    }
    return new Source(source.name(), source.path(), copy);
  }

  public long linesOfA() {
    return linesOfA;
  }

  public long linesOfB() {
    return linesOfB;
  }

  /** How many lines of A were compared byte by byte. */
  public long candidates() {
    return candidates;
  }

  @Override
  public void close() throws IOException {
    for (FileChannel copy : copies) {
      copy.close();
    }
  }
}
