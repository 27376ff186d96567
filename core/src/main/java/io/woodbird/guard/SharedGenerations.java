package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.time.TimeSpan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Generations that live where other processes share them. */
final class SharedGenerations<K> implements Generations<K> {
  /*
   * The store is opened by the first build or the first put, not by the first question: a question
   * never waits, and is "unknown" until then.
   *
   * Every process has the same schedule. The first one builds; the others find its generation young
   * enough and keep it. A build that somebody asked for, or that failed before, is done in any case:
   * the caller may know of rows that the generation lacks.
   */
  private static final int ATTEMPTS = 3; // As in OwnGenerations.

  /** How often a process looks whether the build of another one is done. */
  private static final long LOOK_MILLIS = 200;

  /** After a failure the store is not opened again for a second. */
  private static final long AGAIN_NANOS = 1_000_000_000L;

  /** How long a put waits while the store is being opened, which a client may try for a minute. */
  private static final long OPENING_SECONDS = 5;

  private final RebuildOptions<K> options;
  private final SharedStore<K> store;
  private final BuildEvents events;
  private final Runnable lost;
  private final ReentrantLock opening = new ReentrantLock();
  private final Object counting = new Object();

  private volatile @Nullable SharedFilter<K> filter;
  private volatile boolean closed; // written under this
  private @Nullable Exception notOpened; // opening
  private long openAgainNanos; // opening
  private volatile long bornNanos;
  private volatile boolean proven;
  private volatile boolean foreign;
  private volatile @Nullable Own own;
  private long countedNumber; // counting
  private long counted; // counting
  private @Nullable Passed passed; // counting
  private @Nullable CompletableFuture<SharedFilter<K>> openedForPuts; // this

  SharedGenerations(
      RebuildOptions<K> options, SharedStore<K> store, BuildEvents events, Runnable lost) {
    this.options = options;
    this.store = store;
    this.events = events;
    this.lost = lost;
    this.bornNanos = options.scheduler().nanoTime();
  }

  /** The last build that this process made by itself, and its generation. */
  private record Own(long build, long generation) {}

  @Override
  public Answer ask(K key, long distrusted) {
    SharedFilter<K> open = toAsk(key);
    if (open == null) {
      return Answer.UNKNOWN;
    }
    boolean newer = isBelieved(distrusted);
    return after(open.ask(key), newer, distrusted);
  }

  @Override
  public CompletableFuture<Answer> askAsync(K key, long distrusted) {
    SharedFilter<K> open = toAsk(key);
    if (open == null) {
      return CompletableFuture.completedFuture(Answer.UNKNOWN);
    }
    boolean newer = isBelieved(distrusted);
    return open.askAsync(key).thenApply(answer -> after(answer, newer, distrusted));
  }

  /** The filter, if it may be asked. */
  private @Nullable SharedFilter<K> toAsk(K key) {
    Objects.requireNonNull(key, "key");
    SharedFilter<K> open = filter;
    return open != null && (proven || isProvenBy(key, open)) ? open : null;
  }

  private boolean isBelieved(long distrusted) {
    return distrusted < 0 || isNewerThan(distrusted);
  }

  /** The generation may change during the question, so it is looked at before and after. */
  private Answer after(Answer answer, boolean newer, long distrusted) {
    return answer == Answer.NOT_HERE && !(newer && isBelieved(distrusted))
        ? Answer.UNKNOWN
        : answer;
  }

  /** Puts go by the planned hash, and this question by the filter's own. */
  private boolean isProvenBy(K key, SharedFilter<K> open) {
    proven = options.sameHash(open, key);
    foreign = !proven;
    return proven;
  }

  /** Those of other processes after it began later still, as only one builds at a time. */
  @Override
  public boolean isNewerThan(long build) {
    Own last = own;
    return last != null
        && last.build > build
        && generation().map(Generation::number).orElse(0L) >= last.generation;
  }

  @Override
  public @Nullable MutableFilter<K> answering() {
    return filter;
  }

  @Override
  public Optional<Generation> generation() {
    SharedFilter<K> open = filter;
    return open == null ? Optional.empty() : open.generation();
  }

  @Override
  public List<String> doubts() {
    SharedFilter<K> open = filter;
    if (open == null) {
      return List.of();
    }
    return foreign ? List.of(Build.OTHER_HASHES) : open.doubts();
  }

  @Override
  public boolean put(long hash) {
    boolean fresh = toPut().putHash(hash);
    count(fresh ? 1 : 0);
    return fresh;
  }

  @Override
  public int put(long[] hashes, int count) {
    int fresh = toPut().putHashes(hashes, count);
    count(fresh);
    return fresh;
  }

  @Override
  public CompletableFuture<Integer> putAsync(long[] hashes) {
    return toPutAsync()
        .thenCompose(open -> open.putHashesAsync(hashes))
        .thenApply(
            fresh -> {
              count(fresh);
              return fresh;
            });
  }

  /** A put may be in a transaction, so it does not wait as long as a silent server does. */
  private SharedFilter<K> toPut() {
    SharedFilter<K> open = usable();
    if (open != null) {
      return open;
    }
    requireOpen();
    try {
      return toPutAsync().get(OPENING_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw notOpened(e);
    } catch (TimeoutException e) {
      throw notOpened(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notOpened(e);
    }
  }

  private static UncheckedIOException notOpened(Exception e) {
    return new UncheckedIOException(
        "nothing was put: the store is not open yet", new IOException(e));
  }

  private SharedFilter<K> openedToPut() {
    try {
      return opened();
    } catch (IOException e) {
      throw new UncheckedIOException("nothing was put: " + e.getMessage(), e);
    }
  }

  /** Opening may block, so another thread does it: one for all puts that come meanwhile. */
  private CompletableFuture<SharedFilter<K>> toPutAsync() {
    SharedFilter<K> open = usable();
    if (open != null) {
      return CompletableFuture.completedFuture(open);
    }
    synchronized (this) {
      CompletableFuture<SharedFilter<K>> last = openedForPuts;
      if (last == null || last.isDone()) {
        last =
            CompletableFuture.supplyAsync(
                this::openedToPut, task -> options.scheduler().start("woodbird-open", task));
        openedForPuts = last;
      }
      return last;
    }
  }

  /** Opens the filter if it is not open. */
  private SharedFilter<K> opened() throws IOException {
    SharedFilter<K> open = usable();
    return open != null ? open : open();
  }

  /** The filter; null if it is not open, or if its store has closed it. */
  private @Nullable SharedFilter<K> usable() {
    SharedFilter<K> open = filter;
    return open == null || open.isClosed() ? null : open;
  }

  private SharedFilter<K> open() throws IOException {
    opening.lock();
    try {
      requireOpen();
      SharedFilter<K> open = usable();
      if (open != null) {
        return open;
      }
      if (notOpened != null && System.nanoTime() - openAgainNanos < 0) {
        throw new IOException(notOpened.getMessage(), notOpened);
      }
      try {
        open = store.open(options.plan(1, options.capacityFor(options.expectedKeys())), lost);
      } catch (IOException | RuntimeException e) {
        notOpened = e;
        openAgainNanos = System.nanoTime() + AGAIN_NANOS;
        throw e;
      }
      notOpened = null;
      if (!isKept(open)) {
        open.close();
        requireOpen();
      }
      return open;
    } finally {
      opening.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the filter is closed, nothing was put");
    }
  }

  /** Keeps a filter that was just opened, unless all was closed meanwhile. */
  private synchronized boolean isKept(SharedFilter<K> open) {
    filter = closed ? null : open;
    return !closed;
  }

  /** Counts what this process put; what others put is counted by them, and by the next build. */
  private void count(int fresh) {
    if (fresh == 0) {
      return;
    }
    Generation now = generation().orElse(null);
    if (now == null) {
      return;
    }
    synchronized (counting) {
      if (countedNumber != now.number()) {
        countedNumber = now.number();
        counted = 0;
      }
      boolean before = now.keys() + counted > now.capacity();
      counted += fresh;
      if (!before && now.keys() + counted > now.capacity()) {
        passed = new Passed(now.number(), now.capacity());
      }
    }
  }

  @Override
  public @Nullable Passed takeOverfull() {
    synchronized (counting) {
      Passed taken = passed;
      passed = null;
      return taken;
    }
  }

  private long knownKeys() {
    Generation now = generation().orElse(null);
    synchronized (counting) {
      return now == null ? 0 : now.keys() + (countedNumber == now.number() ? counted : 0);
    }
  }

  @Override
  public Generation build(Build<K> build) throws Exception {
    SharedFilter<K> open = opened();
    Generation enough = build.forced() ? null : youngOne(open, 0);
    if (enough != null) {
      return enough;
    }
    long before = open.generation().map(Generation::number).orElse(0L);
    long capacity = options.capacityFor(Math.max(options.expectedKeys(), knownKeys()));
    int attempt = 1;
    while (true) {
      build.checkWanted();
      try {
        Optional<Generation> built = open.rebuild(new One(build, open, capacity));
        if (built.isPresent()) {
          bornNanos = options.scheduler().nanoTime();
          own = new Own(build.number(), built.get().number());
          return built.get();
        }
      } catch (Build.OutgrownException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        attempt++;
        capacity = options.capacityFor(e.keys());
        continue;
      }
      // Another process builds. A build that was only due may take the result of that one.
      Thread.sleep(LOOK_MILLIS);
      build.beat();
      enough = build.forced() ? null : youngOne(open, before);
      if (enough != null) {
        return enough;
      }
    }
  }

  /** The generation that is there, if it is whole, young enough, and another than before. */
  private @Nullable Generation youngOne(SharedFilter<K> open, long before) throws IOException {
    SharedFilter.Seen seen = open.look();
    Generation there = seen.generation();
    if (there == null || !seen.whole() || there.number() == before) {
      return null;
    }
    long age = TimeSpan.bounded(seen.age()).toNanos();
    bornNanos = options.scheduler().nanoTime() - age;
    Duration pause = options.untilNext();
    if (pause == null) {
      return there;
    }
    Duration period = options.period();
    double oldest = period != null ? 0.99 * period.toNanos() : 0.5 * pause.toNanos();
    return age < oldest ? there : null;
  }

  /** One attempt. */
  private final class One implements SharedFilter.Building<K> {
    private final Build<K> build;
    private final SharedFilter<K> open;
    private final long capacity;

    One(Build<K> build, SharedFilter<K> open, long capacity) {
      this.build = build;
      this.open = open;
      this.capacity = capacity;
    }

    @Override
    public long capacity() {
      return capacity;
    }

    @Override
    public Duration settle() {
      return options.settle();
    }

    @Override
    public void alive() {
      build.beat();
    }

    @Override
    public long fill(long number, MutableFilter<K> empty) throws Exception {
      events.started(number, capacity);
      GenerationFilter<K> live = new GenerationFilter<>(empty, number, capacity);
      long count = build.scan(live);
      if (build.fresh() > capacity) {
        throw new Build.OutgrownException(capacity, count);
      }
      build.verify(live, count, open.generation().map(Generation::keys).orElse(0L));
      return count;
    }
  }

  @Override
  public Duration untilNext(Duration pause) {
    if (options.period() == null) {
      return pause;
    }
    return pause.minusNanos(options.scheduler().nanoTime() - bornNanos);
  }

  @Override
  public @Nullable RolledBack rollBack() {
    SharedFilter<K> open = filter;
    if (open == null) {
      return null;
    }
    long dropped = open.generation().map(Generation::number).orElse(0L);
    Generation back = open.rollBack().orElse(null);
    return back == null ? null : new RolledBack(back.number(), back, dropped);
  }

  /** Does not wait for a store that is being opened: the opening thread closes it again. */
  @Override
  public void close() {
    SharedFilter<K> open;
    synchronized (this) {
      closed = true;
      open = filter;
      filter = null;
    }
    if (open != null) {
      open.close();
    }
  }
}
