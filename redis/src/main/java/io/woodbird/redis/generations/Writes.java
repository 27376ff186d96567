package io.woodbird.redis.generations;

import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.Shared;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Puts: into the current generation, and into each that takes its puts too. */
public final class Writes {
  private static final int ATTEMPTS = 4;

  private final Shared shared;
  private final Recovery recovery;
  private final Takers takers;

  public Writes(Shared shared, Recovery recovery) {
    this.shared = shared;
    this.recovery = recovery;
    this.takers = new Takers(shared);
  }

  /**
   * Puts hashes; completes with how many were certainly new. Only what went wrong needs a thread
   * that may block.
   */
  public CompletableFuture<Integer> put(Steps steps, long[] all, int from, int to) {
    PutPass pass = pass(Arrays.copyOfRange(all, from, to));
    return pass.begin(steps)
        .thenCompose(
            done ->
                done
                    ? CompletableFuture.completedFuture(pass.fresh())
                    : steps.later(
                        () -> {
                          pass.end();
                          return finish(pass);
                        }));
  }

  private PutPass pass(long[] hashes) {
    return new PutPass(shared, shared.current(), hashes);
  }

  /** Does what a pass left to do; returns how many keys were certainly new. */
  private int finish(PutPass first) {
    PutPass pass = first;
    for (int attempt = 1; !pass.met.troubles.isEmpty(); attempt++) {
      RedisFilterException failure = shared.failure(pass.met.troubles, pass.live);
      if (pass.met.timedOut()) {
        throw failure; // Nothing more is asked of a silent server: the time of the call is over.
      }
      pass.sweep();
      if (!shared.refreshNow(pass.live) || attempt == ATTEMPTS) {
        throw failure;
      }
      pass = pass(first.hashes);
      pass.run();
    }
    takers.reach(pass.live, pass.met, live -> putToo(live, first.hashes));
    settle(pass);
    return pass.fresh();
  }

  /** Does what a put has noticed beside its own affair. */
  private void settle(PutPass pass) {
    GenerationView live = pass.live;
    Takers.Met met = pass.met;
    if (met.retired) {
      shared.refresh(live);
    }
    if (!met.others.isEmpty() && shared.tidyDue()) {
      new GenerationSteps(shared).tidy();
    }
    if (pass.doubtful) {
      pass.noteDoubts();
      recovery.attempt(live);
    }
  }

  /** Puts hashes into another generation that takes them too. */
  private Takers.Met putToo(GenerationView other, long[] hashes) {
    PutPass pass = new PutPass(shared, other, hashes);
    pass.run();
    if (!pass.met.timedOut()) {
      pass.sweep();
    }
    return pass.met;
  }
}
