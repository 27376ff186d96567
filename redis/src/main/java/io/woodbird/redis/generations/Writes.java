package io.woodbird.redis.generations;

import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.proof.Confirmation;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Recovery;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

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

  /** Puts hashes and returns how many were certainly new. */
  public int put(long[] all, int from, int to) {
    long[] hashes = Arrays.copyOfRange(all, from, to);
    RedisFilterException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      GenerationView live = shared.current();
      PutPass pass = new PutPass(shared, confirmation, live, hashes);
      pass.run();
      if (pass.troubles.isEmpty()) {
        putIntoOthers(pass);
        settle(pass);
        return pass.fresh();
      }
      failure = shared.failure(pass.troubles, live);
      if (pass.timedOut()) {
        throw failure; // Nothing more is asked of a silent server: the time of the call is over.
      }
      pass.sweep();
      if (!shared.refreshNow(live)) {
        throw failure;
      }
    }
    throw failure;
  }

  private void putIntoOthers(PutPass pass) {
    pass.others.forEach((number, hashes) -> putToo(pass.live, number, toArray(hashes)));
    if (pass.doubtful) {
      // The shard came back from somewhere, and its link with it. The record knows who takes puts.
      Map<String, String> fields = shared.meta.read();
      for (String name : new String[] {"current", "next", "previous"}) {
        long number = Long.parseLong(fields.getOrDefault(name, "0"));
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
        new Generations(shared).tidy();
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
    if (number < first.generation.number() && !new Generations(shared).end(true)) {
      throw shared.failure(pass.troubles, other);
    }
  }
}
