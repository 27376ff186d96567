package io.woodbird.filter;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.UntrustedFilterException;
import io.woodbird.file.FileReader;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.OpenRules;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.frozen.FrozenCodec;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a delta says about keys: which were added to a list since its base, and which removed. */
public final class Overlay {
  /*
   * The data of a delta:
   *
   *    0  the SHA-256 of the header and the page table of the base, 32 bytes
   *   32  a ribbon filter of the added keys, a whole file; zeros up to a multiple of eight
   *       an exact filter of the removed keys against all keys of the new list; the same
   *
   * Both hash keys as the base does. A key of the new list is never denied: the base knows it or
   * the ribbon does, and the exact filter does not, whatever the list looked like before.
   */
  public static final int REFERENCE_BYTES = 32;

  private final Header header;
  private final byte[] reference;
  private final @Nullable Filter<Long> added;
  private final @Nullable Filter<Long> removed;

  private Overlay(
      Header header,
      byte[] reference,
      @Nullable Filter<Long> added,
      @Nullable Filter<Long> removed) {
    this.header = header;
    this.reference = reference;
    this.added = added;
    this.removed = removed;
  }

  /** Reads a delta and checks all of it; it must be signed if the rules say so. */
  public static Overlay read(byte[] delta, OpenRules rules) throws IOException {
    OpenRules plain = new OpenRules(false, false, rules.signers());
    StoredFile file = verified(() -> FileReader.of(ByteBuffer.wrap(delta), plain));
    Header header = file.header();
    if (header.layout() != LayoutId.DELTA) {
      throw new IncompatibleFilterException("the file is no delta, but a filter");
    }
    long addedBytes = header.parameter(0);
    long removedBytes = header.parameter(1);
    boolean possible =
        addedBytes >= 0
            && addedBytes <= header.dataBytes()
            && removedBytes >= 0
            && removedBytes <= header.dataBytes()
            && REFERENCE_BYTES + padded(addedBytes) + padded(removedBytes) == header.dataBytes();
    Header.require(possible, "length of a part", List.of(addedBytes, removedBytes));
    ByteBuffer data = ByteBuffer.allocate((int) header.dataBytes()).order(ByteOrder.LITTLE_ENDIAN);
    for (long word = 0; word < header.dataBytes() / 8; word++) {
      data.putLong(file.get(word));
    }
    byte[] reference = Arrays.copyOf(data.array(), REFERENCE_BYTES);
    int removedAt = (int) (REFERENCE_BYTES + padded(addedBytes));
    return new Overlay(
        header,
        reference,
        part(data.slice(REFERENCE_BYTES, (int) addedBytes), header, LayoutId.RIBBON),
        part(data.slice(removedAt, (int) removedBytes), header, LayoutId.EXACT));
  }

  /** Opens the file of a delta. */
  interface Opening {
    StoredFile open() throws IOException;
  }

  /** Opens a delta and checks all of it. Its messages say that they are about the delta. */
  static StoredFile verified(Opening opening) throws IOException {
    try {
      StoredFile file = opening.open();
      try {
        file.verify();
      } catch (Throwable e) {
        file.close();
        throw e;
      }
      return file;
    } catch (CorruptFilterException e) {
      throw new CorruptFilterException("the delta is damaged: " + e.getMessage());
    } catch (UntrustedFilterException e) {
      throw new UntrustedFilterException(e.reason(), "the delta: " + e.getMessage());
    }
  }

  /** Returns how many bytes a part takes in the data. */
  public static long padded(long bytes) {
    return bytes + 7 & -8;
  }

  private static @Nullable Filter<Long> part(ByteBuffer bytes, Header delta, LayoutId layout)
      throws CorruptFilterException {
    if (!bytes.hasRemaining()) {
      return null;
    }
    StoredFile file = FileReader.of(bytes);
    file.verify();
    Header header = file.header();
    boolean fits =
        header.layout() == layout
            && header.journal() == 0
            && header.seed() == delta.seed()
            && header.keyId().equals(delta.keyId());
    Header.require(fits, "part of a delta", header.layout());
    KeyHasher<Long> hashes = new HashesAsKeys(header.keyId());
    return FrozenCodec.INSTANCE.onHeap(FilterSpec.of(header, hashes), file);
  }

  /** Refuses a base that the delta was not made for. */
  public void requireBase(StoredFile base) throws IOException {
    boolean same =
        header.seed() == base.header().seed() && header.keyId().equals(base.header().keyId());
    if (!same || !Arrays.equals(reference, base.reference())) {
      throw new IncompatibleFilterException(
          "the delta was made for another base: apply it to the file that it was made from");
    }
    requireTakesDeltas(base.header());
  }

  /** Refuses a filter whose keys a delta can't change. */
  public static void requireTakesDeltas(Header base) {
    switch (base.layout()) {
      case RIBBON, FUSE, BLOCKED_BLOOM, CLASSIC_BLOOM -> {}
      default ->
          throw new IncompatibleFilterException(
              "a delta needs a base that is a ribbon, fuse or Bloom filter; this is "
                  + base.layout());
    }
  }

  /** Whether a key was added, or may have been. */
  boolean adds(long hash) {
    return added != null && added.mightContainHash(hash);
  }

  /** Whether a key is certainly not in the new list, most likely because it was removed. */
  boolean removes(long hash) {
    return removed != null && removed.mightContainHash(hash);
  }

  /** The header of the delta: the keys and the fpp of the new list. */
  Header header() {
    return header;
  }
}
