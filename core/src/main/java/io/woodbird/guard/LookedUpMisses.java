package io.woodbird.guard;

import io.woodbird.MutableFilter;
import java.util.List;

/**
 * A follower that reads changes into the filter, and another one that looks up the keys which the
 * filter takes for "maybe here" and which a loader did not find.
 */
final class LookedUpMisses<K> implements Follower<K> {
  /*
   * That a loader did not find a key proves nothing: it may have read a replica, an old snapshot, or
   * the rows of one tenant. And a key that no change has brought since may have been read by a build.
   * So a remembered key is denied only if the source was asked for it after the question. Other keys
   * are not looked up.
   */
  private final Follower<K> changes;
  private final Follower<K> lookUp;
  private final Misses<K> misses;

  LookedUpMisses(Follower<K> changes, Follower<K> lookUp, Misses<K> misses) {
    this.changes = changes;
    this.lookUp = lookUp;
    this.misses = misses;
  }

  @Override
  public boolean readsChanges() {
    return true;
  }

  @Override
  public void begin(MutableFilter<K> into) throws Exception {
    changes.begin(into);
    lookUp.begin(into);
  }

  @Override
  public Proof<K> confirm(List<K> asked) throws Exception {
    Proof<K> read = changes.confirm(asked);
    List<K> missed = asked.stream().filter(misses::contains).toList();
    if (missed.isEmpty() || !read.isComplete()) {
      return read;
    }
    Proof<K> found = lookUp.confirm(missed);
    return new Proof<>() {
      @Override
      public boolean isAbsent(K key) {
        return found.isAbsent(key);
      }

      @Override
      public boolean isPresent(K key) {
        return found.isPresent(key);
      }

      @Override
      public boolean isComplete() {
        return true;
      }
    };
  }

  @Override
  public void close() {
    try {
      lookUp.close();
    } finally {
      changes.close();
    }
  }
}
