package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.file.StoredFile;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A filter that was opened from a file. A "not here" of the file must be proven. */
public class StoredFilter<K> extends HashedFilter<K> implements OpenFilter<K> {
  /*
   * It is in one of four states. Each method reads the state once, and uses nothing else; only a
   * single question reads the field "heap" first, which gives right answers until it is cleared:
   *
   *   state  | form | file          | heap | a question asks
   *   cold   | yes  | with pages    | -    | the form, which reads pages when they are needed
   *   warm   | -    | without pages | yes  | the heap; the file is there to be verified and copied
   *   loaded | -    | -             | yes  | the heap; the small file was checked when it was opened
   *   closed | -    | -             | -    | nothing: it throws
   *
   * From cold to warm: all pages of a large file were read, and a thread of its own copied them
   * into the form that the filter has on the heap, as that takes a second for 2 GB. A question
   * that still runs holds the cold state and with it the pages, which nobody clears. After the last
   * of these questions the garbage collector takes them: nothing else holds them (decision 16).
   * There is no form over a file without pages: its pages count as good, and no word of them is
   * there.
   *
   * To closed: closing first forbids the move, so that the state at that time is the last one. Then
   * it closes the file of that state, and then the state is "closed". A question in between throws
   * if it is cold: it asks the file before it looks at a word, and again if a word is gone. A warm
   * or loaded one is answered from memory that is still right. A copy that ends after closing
   * began is dropped: words may have been gone while it was made.
   */
  private record State<K>(
      @Nullable StoredForm form, @Nullable StoredFile file, @Nullable Filter<K> heap) {}

  private final long sizeInBytes;
  private volatile State<K> state;

  /**
   * What the state has on the heap, or null; set after the state. A single question that read it
   * from the state took a fifth longer (bench/run mapped).
   */
  private volatile @Nullable Filter<K> heap;

  private boolean closed; // Under the monitor, as is each move.

  /** Makes a filter that always answers from its file. */
  public StoredFilter(FilterSpec<K> spec, StoredForm form) {
    this(
        spec,
        FileWriter.sizeInBytes(form.file.header().dataBytes()),
        new State<>(form, form.file, null));
  }

  private StoredFilter(FilterSpec<K> spec, long sizeInBytes, State<K> state) {
    super(spec);
    this.sizeInBytes = sizeInBytes;
    this.state = state;
    this.heap = state.heap;
  }

  /** Makes a filter that moves to the heap, if all pages of its file will be read one by one. */
  static <K> StoredFilter<K> warming(FilterSpec<K> spec, StoredFile file, Codec codec)
      throws CorruptFilterException {
    StoredFilter<K> filter = new StoredFilter<>(spec, codec.stored(file));
    file.whenComplete(() -> filter.startToMove(codec, file));
    return filter;
  }

  /** Makes a filter of a file that was read and checked, and can change as it likes. */
  static <K> StoredFilter<K> loaded(FilterSpec<K> spec, Filter<K> copy) {
    return new StoredFilter<>(spec, copy.sizeInBytes(), new State<>(null, null, copy));
  }

  private void startToMove(Codec codec, StoredFile pages) {
    Thread mover = new Thread(() -> move(codec, pages), "woodbird-warm");
    mover.setDaemon(true);
    try {
      mover.start();
    } catch (OutOfMemoryError e) {
      // The system has no thread to spare. The pages answer on, and so does the caller's question.
    }
  }

  /** Copies all pages to the heap, if there is room for both forms. */
  private void move(Codec codec, StoredFile pages) {
    Runtime runtime = Runtime.getRuntime();
    long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    if (free < 2 * sizeInBytes) {
      return; // The pages answer on, a little slower.
    }
    try {
      Filter<K> copy = codec.onHeap(spec(), pages);
      State<K> warm = new State<>(null, pages.withoutPages(), copy);
      synchronized (this) {
        if (!closed) {
          state = warm;
          heap = copy;
        }
      }
    } catch (CorruptFilterException | OutOfMemoryError e) {
      // There is no room after all. The pages answer on.
    } catch (IllegalStateException | IndexOutOfBoundsException e) {
      // Closed meanwhile.
    }
  }

  /** Whether it was a large file, and now answers from the heap. */
  final boolean isWarm() {
    State<K> now = state;
    return now.heap != null && now.file != null;
  }

  /** Returns a part of the state that is missing only if the filter is closed. */
  private static <T> T ifOpen(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the filter is closed");
    }
    return part;
  }

  @Override
  public final boolean mightContainHash(long hash) {
    Filter<K> copy = heap;
    return copy != null ? copy.mightContainHash(hash) : answer(state, hash);
  }

  private static boolean answer(State<?> now, long hash) {
    Filter<?> heap = now.heap;
    if (heap != null) {
      return heap.mightContainHash(hash);
    }
    StoredForm form = ifOpen(now.form);
    StoredFile file = form.file;
    try {
      return file.ended()
          || (form.mayVanish
              ? !form.denies(hash) || !file.unchanged()
              : form.keptIfWhole(hash) != 0);
    } catch (InternalError e) { // The file was cut short; see BufferFile.
      file.cut(); // Notes it, so that nothing more is read.
      return true;
    } catch (IndexOutOfBoundsException e) {
      throw closed(file, e);
    }
  }

  /** Says why words are missing that were there: the file was closed meanwhile. */
  protected static IndexOutOfBoundsException closed(StoredFile file, IndexOutOfBoundsException e) {
    file.ended(); // Throws.
    return e;
  }

  @Override
  public final Answer ask(K key) {
    State<K> now = state;
    if (now.heap != null) {
      return now.heap.ask(key);
    }
    long hash = hashOf(key);
    if (!answer(now, hash)) {
      return Answer.NOT_HERE;
    }
    StoredForm form = ifOpen(now.form);
    StoredFile file = form.file;
    try {
      return file.ended() || form.lacks(hash) || file.cut() ? Answer.UNKNOWN : Answer.MAYBE_HERE;
    } catch (InternalError e) {
      return Answer.UNKNOWN;
    } catch (IndexOutOfBoundsException e) {
      throw closed(file, e);
    }
  }

  @Override
  public final int candidates(long[] hashes, int count, int[] selected) {
    State<K> now = state;
    if (now.heap != null) {
      return now.heap.candidates(hashes, count, selected);
    }
    checkBatch(hashes, count, selected);
    StoredForm form = ifOpen(now.form);
    StoredFile file = form.file;
    try {
      int kept = file.ended() ? 0 : candidatesIfWhole(form, hashes, count, selected);
      if (file.whole()) { // Asked once, after all was read: it is a call of the system.
        return kept;
      }
    } catch (InternalError e) {
      file.cut(); // Notes it.
    } catch (IndexOutOfBoundsException e) {
      throw closed(file, e);
    }
    int kept = 0; // Nobody can tell whether the file is whole: each "not here" needs its own proof.
    for (int i = 0; i < count; i++) {
      selected[kept] = i;
      kept += answer(now, hashes[i]) ? 1 : 0;
    }
    return kept;
  }

  private static int candidatesIfWhole(StoredForm form, long[] hashes, int count, int[] selected) {
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      long touched = 0;
      for (int i = from; i < to; i++) {
        touched |= form.touch(hashes[i]);
      }
      use(touched);
      for (int i = from; i < to; i++) {
        selected[kept] = i;
        kept += form.keptIfWhole(hashes[i]);
      }
    }
    return kept;
  }

  @Override
  public final FilterStats stats() {
    State<K> now = state;
    if (now.heap != null) {
      FilterStats stats = now.heap.stats();
      return now.file == null ? stats : stats.withDoubts(now.file.doubts());
    }
    StoredForm form = ifOpen(now.form);
    try {
      return form.look(spec());
    } catch (InternalError e) {
      form.file.cut(); // Notes it, so that nothing more is read.
    } catch (IndexOutOfBoundsException e) {
      throw closed(form.file, e);
    }
    try {
      return form.look(spec());
    } catch (InternalError e) {
      throw new IllegalStateException("the file was cut short while it was open", e);
    }
  }

  /** Checks the file; of one that was loaded all was checked before. */
  @Override
  public final void verify() throws IOException {
    State<K> now = state;
    if (now.file != null) {
      now.file.verify();
    } else {
      ifOpen(now.heap);
    }
  }

  @Override
  public final void close() {
    State<K> last;
    synchronized (this) {
      closed = true; // The state stays what it is.
      last = state;
    }
    try {
      if (last.file != null) {
        last.file.close();
      }
    } finally {
      state = new State<>(null, null, null);
      heap = null;
    }
  }

  @Override
  public final long sizeInBytes() {
    return sizeInBytes;
  }

  @Override
  public final Image image() throws IOException {
    State<K> now = state;
    if (now.file == null) {
      return ((HashedFilter<K>) ifOpen(now.heap)).image();
    }
    now.file.verify();
    return new Image(now.file.header(), now.file::copyData);
  }
}
