package io.woodbird.redis.generations;

import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.proof.Confirmation;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Puts: into the current generation, and into each that takes its puts too. */
public final class Writes {
  private static final int ATTEMPTS = 4;

  private final Shared shared;
  private final Recovery recovery;
  private final Confirmation confirmation;

  public Writes(Shared shared, Recovery recovery, Confirmation confirmation) {
    this.shared = shared;
    this.recovery = recovery;
    this.confirmation = confirmation;
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
    return new PutPass(shared, confirmation, shared.current(), hashes);
  }

  /** Does what a pass left to do; returns how many keys were certainly new. */
  private int finish(PutPass first) {
    PutPass pass = first;
    for (int attempt = 1; !pass.troubles.isEmpty(); attempt++) {
      RedisFilterException failure = shared.failure(pass.troubles, pass.live);
      if (pass.timedOut()) {
        throw failure; // Nothing more is asked of a silent server: the time of the call is over.
      }
      pass.sweep();
      if (!shared.refreshNow(pass.live) || attempt == ATTEMPTS) {
        throw failure;
      }
      pass = pass(pass.hashes);
      pass.run();
    }
    putIntoOthers(pass);
    settle(pass);
    return pass.fresh();
  }

  private void putIntoOthers(PutPass pass) {
    pass.others.forEach((number, hashes) -> putToo(pass.live, number, toArray(hashes)));
    if (pass.doubtful) {
      // An older copy of the shard came back, with an older link. The record has the right one.
      Map<String, String> fields = shared.meta.read();
      for (String name : new String[] {"current", "next", "previous"}) {
        long number = Meta.number(fields, name);
        if (number != 0
            && number != pass.live.generation.number()
            && !pass.others.containsKey(number)) {
          putToo(pass.live, number, pass.hashes);
        }
      }
    }
  }

  private static long[] toArray(Set<Long> hashes) {
    return hashes.stream().mapToLong(Long::longValue).toArray();
  }

  /** Does what a put has noticed beside its own affair. */
  private void settle(PutPass pass) {
    GenerationView live = pass.live;
    if (pass.retired) {
      shared.refresh(live);
    }
    boolean grace = pass.others.keySet().stream().anyMatch(o -> o < live.generation.number());
    if (grace && shared.tidyDue()) {
      try {
        new GenerationSteps(shared).end(false);
      } catch (RedisFilterException e) {
        shared.doubts.tell(e.reason(), "the old generation is not ended yet: " + e.getMessage());
      }
    }
    if (pass.doubtful) {
      pass.noteDoubts();
      recovery.attempt(live);
    }
  }

  /** Puts hashes into another generation that takes them too. */
  private void putToo(GenerationView first, long number, long[] hashes) {
    GenerationView other = shared.known(number);
    if (other == null) {
      Map<String, String> fields = shared.meta.read();
      if (shared.meta.over(fields, number)) {
        return; // The first is enough.
      }
      other = shared.live(number);
    }
    PutPass pass = new PutPass(shared, confirmation, other, hashes);
    pass.run();
    if (pass.troubles.isEmpty()) {
      return;
    }
    if (pass.timedOut()) {
      throw shared.failure(pass.troubles, other);
    }
    pass.sweep();
    Map<String, String> fields = shared.meta.read();
    boolean passing = pass.troubles.values().stream().anyMatch(t -> t.kind() == Trouble.Kind.LINK);
    if (shared.meta.over(fields, number)) {
      return;
    }
    if (passing || Meta.current(fields) == number) {
      throw shared.failure(pass.troubles, other);
    }
    // Its shards are lost. A build looks at all of them before it swaps, so it will be given up. An
    // old generation is ended at once, so that nobody goes back to it.
    if (number < first.generation.number() && !new GenerationSteps(shared).end(true)) {
      throw shared.failure(pass.troubles, other);
    }
  }
}
