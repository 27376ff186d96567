package io.woodbird.bench;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it is worth that a block of eight words falls on a cache line, per collector. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class AlignmentBench {
  /*
   * A kernel of its own, so that only the origin differs: the index of block 0 in a long[]. The data
   * of an array begins 16 bytes into the object, so where the object begins on a cache line
   *
   *   origin 6:  |16 + 48|block 0 .....................|block 1 ...      aligned
   *   origin 0:  |16|block 0 ..................|block 1 .............|   16 bytes off
   *
   * Where it begins elsewhere, another origin is the aligned one: run with -p origin=0,1,2,3,4,5,6,7
   * to see which. As in the filter, a key reads one of the lower and one of the upper four words.
   */
  private static final int STEP = 1 << 16;
  private static final int POOL = 1 << 22;
  private static final int CHUNK = 128;

  @Param({"6", "0"})
  int origin;

  @Param({"12", "128"})
  int mebibytes;

  /** Whether the blocks of a chunk are touched before they are tested. */
  @Param({"false", "true"})
  boolean batch;

  private long[] words;
  private long[] hashes;
  private long blocks;
  private int next;

  @Setup
  public void fill() {
    SplittableRandom random = new SplittableRandom(1);
    blocks = mebibytes * (1L << 20) / 64;
    words = new long[(int) (blocks * 8) + 8];
    for (int i = 0; i < words.length; i++) {
      words[i] = random.nextLong();
    }
    hashes = random.longs(POOL).toArray();
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  @Fork(
      value = 3,
      jvmArgsAppend = {"-XX:+UseG1GC", "-Xms2g", "-Xmx2g"})
  public int g1() {
    return step();
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  @Fork(
      value = 3,
      jvmArgsAppend = {"-XX:+UseParallelGC", "-Xms2g", "-Xmx2g"})
  public int parallel() {
    return step();
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  @Fork(
      value = 3,
      jvmArgsAppend = {"-XX:+UseZGC", "-Xms2g", "-Xmx2g"})
  public int zgc() {
    return step();
  }

  private int step() {
    int count = 0;
    int end = next + STEP;
    for (int from = next; from < end; from += CHUNK) {
      if (batch) {
        touch(from);
      }
      count += test(from);
    }
    next = end == POOL ? 0 : end;
    return count;
  }

  private void touch(int from) {
    long touched = 0;
    for (int i = from; i < from + CHUNK; i++) {
      touched |= words[base(hashes[i])];
    }
    if (touched == 1) { // As good as never; keeps the loads.
      Thread.onSpinWait();
    }
  }

  private int test(int from) {
    int count = 0;
    for (int i = from; i < from + CHUNK; i++) {
      long pattern = hashes[i] * 0x9e3779b97f4a7c15L;
      int base = base(hashes[i]);
      long low = words[base + (int) (pattern >>> 62)];
      long high = words[base + 4 + (int) (pattern >>> 60 & 3)];
      long missing = (mask(pattern) & ~low) | (mask(pattern >>> 18) & ~high);
      count += (int) ((missing | -missing) >>> 63) ^ 1;
    }
    return count;
  }

  private int base(long hash) {
    return origin + (int) (((hash >>> 32) * blocks) >>> 32) * 8;
  }

  private static long mask(long fields) {
    return (1L << fields) | (1L << (fields >>> 6)) | (1L << (fields >>> 12));
  }
}
