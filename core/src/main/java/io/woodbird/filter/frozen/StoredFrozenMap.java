package io.woodbird.filter.frozen;

import io.woodbird.CorruptFilterException;
import io.woodbird.FrozenMap;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.GoodWords;
import io.woodbird.filter.StoredFilter;
import java.io.UncheckedIOException;
import java.util.OptionalLong;

/** A map that answers from a file. */
final class StoredFrozenMap<K> extends StoredFilter<K> implements FrozenMap<K> {
  private final StoredFile file;
  private final StoredFrozenFilter form;
  private final boolean anyNumber; // Any number can be a value, -1 too.

  StoredFrozenMap(FilterSpec<K> spec, StoredFile file, StoredFrozenFilter form, int valueBits) {
    super(spec, form);
    this.file = file;
    this.form = form;
    this.anyNumber = valueBits == Long.SIZE;
  }

  @Override
  public OptionalLong getByHash(long hash) {
    long value = getByHashOrDefault(hash, -1);
    boolean absent = value == -1 && (!anyNumber || getByHashOrDefault(hash, 0) == 0);
    return absent ? OptionalLong.empty() : OptionalLong.of(value);
  }

  @Override
  public long getByHashOrDefault(long hash, long absent) {
    try {
      if (!file.ended()) {
        return form.find(hash, absent);
      }
    } catch (GoodWords.Unproven e) {
      // Said below, as for any other damage.
    } catch (InternalError e) { // The file was cut short; see BufferFile.
      file.cut(); // Notes it, so that nothing more is read.
    } catch (IndexOutOfBoundsException e) {
      throw closed(file, e);
    }
    throw damaged();
  }

  private UncheckedIOException damaged() {
    return new UncheckedIOException(
        new CorruptFilterException(
            "the part of the file with the value of this key is damaged: "
                + String.join("; ", stats().doubts())));
  }
}
