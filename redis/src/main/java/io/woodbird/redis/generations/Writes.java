package io.woodbird.redis.generations;

import io.woodbird.redis.link.Steps;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.Shared;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Puts: into the current generation, and into each that takes its puts too. */
public final class Writes {
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
    long[] hashes = Arrays.copyOfRange(all, from, to);
    return shared.link.asOneCall(() -> put(steps, hashes));
  }

  private CompletableFuture<Integer> put(Steps steps, long[] hashes) {
    PutPass first = new PutPass(shared, shared.current(), hashes);
    return first
        .begin(steps)
        .thenCompose(
            done ->
                done
                    ? CompletableFuture.completedFuture(first.fresh())
                    : steps.later(
                        () -> {
                          first.finish();
                          return settled(
                              takers.everywhere(
                                  first, live -> new PutPass(shared, live, hashes).run()));
                        }));
  }

  /** Does what a put has noticed beside its own affair; returns how many keys were new. */
  private int settled(PutPass pass) {
    if (pass.retired) {
      shared.refresh(pass.live);
    }
    if (!pass.others.isEmpty() && shared.tidyDue()) {
      new GenerationSteps(shared).tidy();
    }
    if (pass.doubtful) {
      pass.noteDoubts();
      recovery.attempt(pass.live);
    }
    return pass.fresh();
  }
}
