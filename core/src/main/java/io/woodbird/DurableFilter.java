package io.woodbird;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * A filter whose keys survive a crash of the process. Made by {@link BloomBuilder#file}.
 *
 * <p>Keys live on the heap and in a journal beside the filter's file. {@link #checkpoint} puts the
 * journal on disk, in time proportional to what was put since the last one; from time to time it
 * also folds the journal into the file. After a crash, opening the file again replays the journal:
 * every key that was put before the last checkpoint is there, and {@link #recovery} says what was
 * found. Keys put after it may or may not be there, so {@link #put} may call them new once more.
 * With {@link BloomBuilder#journalEveryPut} each put is on disk before it returns.
 *
 * <p>One process at a time may have the file open, under whatever name. Two files whose names end
 * in {@code .lock} and {@code .lock2} see to that; they stay when it is closed. If one of them is
 * removed while the filter is open, {@link #checkpoint}, {@link #save}, {@link #writeTo} and {@link
 * #close} throw, and then puts and questions too. On POSIX a program must not even read them while
 * it has the filter open: that would give up the lock. If another process opens the filter then,
 * the first one throws as well. Until it is closed the file alone lacks the keys of the journal,
 * and {@link Woodbird#open} and {@link Woodbird#readFrom} refuse it. A journal that is damaged or
 * gone is noticed when the filter is opened again: it is refused, unless {@link
 * BloomBuilder#acceptLostKeys} allows the loss.
 *
 * @param <K> the type of the keys
 */
public interface DurableFilter<K> extends MutableFilter<K>, AutoCloseable {
  /**
   * Puts a key. If the journal can't be written, it throws {@link java.io.UncheckedIOException},
   * and so does every later put of a new key: what can't be kept is not taken. {@link #close} then
   * still saves what was taken.
   *
   * @param key the key
   * @return true if the key was certainly new
   */
  @Override
  default boolean put(K key) {
    return putHash(hashOf(key));
  }

  /**
   * Makes everything put so far survive a crash of the process, the system or the power.
   *
   * @throws IOException if it could not be written; open the filter again to go on
   */
  void checkpoint() throws IOException;

  /** {@return what was found when the file was opened} */
  Recovery recovery();

  /**
   * Folds everything into the file and releases it, also if the journal has failed. Puts, questions
   * and copies that come later throw {@link IllegalStateException}: another process may have the
   * file open, and put keys into it.
   *
   * @throws IOException if it could not be written; what was checkpointed before is safe
   */
  @Override
  void close() throws IOException;

  /**
   * What was found when a durable filter was opened.
   *
   * @param created true if there was no file
   * @param clean true if the filter had been closed, or is new; false after a crash
   * @param replayedKeys how many puts the journal brought back
   * @param droppedBytes how many bytes of the journal were not whole: puts in flight during the
   *     crash, none of them checkpointed, if there are no losses
   * @param losses what was checkpointed and is lost; empty, unless {@link
   *     BloomBuilder#acceptLostKeys} was called
   */
  record Recovery(
      boolean created, boolean clean, long replayedKeys, long droppedBytes, List<String> losses) {
    /** Says it in one sentence. */
    @Override
    public String toString() {
      if (created) {
        return "a new filter";
      }
      if (clean) {
        return "closed cleanly, nothing to recover";
      }
      String recovered =
          String.format(
              Locale.ROOT,
              "not closed cleanly: %,d %s recovered from the journal, %,d unfinished %s dropped",
              replayedKeys,
              replayedKeys == 1 ? "put" : "puts",
              droppedBytes,
              droppedBytes == 1 ? "byte" : "bytes");
      return losses.isEmpty() ? recovered : recovered + "; lost: " + String.join("; ", losses);
    }
  }
}
