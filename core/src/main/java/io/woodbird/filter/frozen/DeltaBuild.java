package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.file.FileEdit;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.filter.HashesAsKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** Builds a delta: what has to be laid over a filter so that it answers for another list. */
public record DeltaBuild<K>(BuildSettings<K> settings, Base base, double baseFpp) {
  /*
   *   added    keys of the new list that the base denies: a ribbon filter
   *   removed  keys of the old list that are not in the new one: exact against the new list
   *
   * Both follow from the new list and the base as it is. So a key of the new list is never denied,
   * also if the old list that was given is not the one that the base was built from. Then only keys
   * that are no longer in the list may be "maybe here".
   *
   * Added keys have a 64th of the base's fpp: the fpp of the new list is 1.6 % higher than that of
   * the base, for six bits more for each added key.
   *
   * With n removed keys of a list of m, exactness takes n * (log2(m / n) + 1.9) bits: 1.6 bytes a
   * key if one of 2,000 was removed.
   */
  private static final int SHARE = 64;

  /** How many hashes are handed on at once. */
  private static final int BATCH = 1024;

  /** The filter that a delta is laid over. */
  public interface Base {
    /** Whether it says "not here" for a hash. */
    boolean denies(long hash);

    /** Throws if a "maybe" may have been due to damage: a key would be left out of the delta. */
    void requireSound() throws IOException;
  }

  /**
   * Writes the delta, completely or not at all, and returns its header.
   *
   * @param now all keys of the new list
   * @param before the keys of the old list, or only those that were removed
   * @param reference the SHA-256 by which the delta knows its base
   */
  public Header toFile(
      Iterator<? extends K> now, Iterator<? extends K> before, byte[] reference, Path path)
      throws IOException {
    try (HashSpill current = settings.gather(now, 4);
        HashSpill former = settings.gather(before, 4);
        HashSpill added = settings.spill(4);
        HashSpill removed = settings.spill(4)) {
      long keys = compare(current, former, added, removed);
      base.requireSound();
      settings.tell("building", 0, added.count() + removed.count());
      double fpp = Math.max(0x1p-32, baseFpp / SHARE);
      byte[] addedFile = added.count() == 0 ? new byte[0] : bytes(added(added, fpp));
      byte[] removedFile = removed.count() == 0 ? new byte[0] : bytes(removed(removed, current));
      double promised = baseFpp + (added.count() == 0 ? 0 : fpp);
      Header header =
          new Header(
              LayoutId.DELTA,
              settings.seed(),
              settings.keys().id(),
              keys,
              Math.min(1, promised),
              keys,
              reference.length + padded(addedFile) + padded(removedFile),
              List.of(
                  (long) addedFile.length,
                  (long) removedFile.length,
                  added.count(),
                  removed.count()));
      long bytes = FileWriter.sizeInBytes(header.dataBytes());
      if (bytes > FileEdit.MAX_OVERLAY_BYTES) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT, "the delta would have %,d bytes: ship the new list itself", bytes));
      }
      write(header, List.of(reference, addedFile, removedFile), path);
      return header;
    } catch (ClosedByInterruptException e) {
      throw ShardPool.cancelled();
    }
  }

  /**
   * Finds out what was added and what was removed, one part of all hashes after another; returns
   * how many keys the new list has.
   */
  private long compare(HashSpill current, HashSpill former, HashSpill added, HashSpill removed)
      throws IOException {
    int bits = Math.max(shardBits(current), shardBits(former));
    ShardHashes now = new ShardHashes(current, bits);
    ShardHashes before = new ShardHashes(former, bits);
    Batch toAdd = new Batch(added);
    Batch toRemove = new Batch(removed);
    long keys = 0;
    for (int shard = 0; shard < 1 << bits; shard++) {
      BuildSettings.checkCancelled();
      now.read(shard);
      before.read(shard);
      keys += now.count();
      int next = 0;
      for (int i = 0; i < now.count(); i++) {
        long hash = now.hashes()[i];
        if (base.denies(hash)) {
          toAdd.add(hash);
        }
        for (; next < before.count() && less(before.hashes()[next], hash); next++) {
          toRemove.add(before.hashes()[next]);
        }
        next += next < before.count() && before.hashes()[next] == hash ? 1 : 0;
      }
      for (; next < before.count(); next++) {
        toRemove.add(before.hashes()[next]);
      }
    }
    toAdd.flush();
    toRemove.flush();
    return keys;
  }

  /** A part has about a million hashes, and no more than the spill tells apart. */
  private static int shardBits(HashSpill spill) {
    int bits = 0;
    while (bits < HashSpill.PART_BITS && spill.count() >>> bits > 1 << 20) {
      bits++;
    }
    return bits;
  }

  private static boolean less(long one, long other) {
    return Long.compareUnsigned(one, other) < 0;
  }

  /** Hands hashes on to a spill, many at a time. */
  private static final class Batch {
    private final HashSpill target;
    private final long[] hashes = new long[BATCH];
    private int count;

    Batch(HashSpill target) {
      this.target = target;
    }

    void add(long hash) throws IOException {
      hashes[count++] = hash;
      if (count == BATCH) {
        flush();
      }
    }

    void flush() throws IOException {
      target.add(hashes, count);
      count = 0;
    }
  }

  /** Returns the settings for hashes in place of keys. */
  private BuildSettings<Long> hashed() {
    return new BuildSettings<>(
        new HashesAsKeys(settings.keys().id()),
        settings.seed(),
        settings.threads(),
        settings.memoryLimit(),
        settings.tempDir(),
        settings.verify(),
        null,
        settings.leastShardBits());
  }

  private Filter<Long> added(HashSpill spill, double fpp) throws IOException {
    FrozenGoal goal = FrozenGoal.DEFAULT.withFpp(fpp);
    return new FrozenBuild<>(hashed(), goal).onHeap(spill);
  }

  private Filter<Long> removed(HashSpill spill, HashSpill others) throws IOException {
    return new ExactBuild<>(hashed()).onHeap(spill, others);
  }

  private static byte[] bytes(Filter<Long> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static long padded(byte[] part) {
    return part.length + 7L & -8;
  }

  private static void write(Header header, List<byte[]> parts, Path path) throws IOException {
    byte[] data = new byte[(int) header.dataBytes()];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, data, at, part.length);
      at += (int) padded(part);
    }
    FileWriter.save(
        header, (offset, target) -> target.put(data, (int) offset, target.remaining()), path);
  }
}
