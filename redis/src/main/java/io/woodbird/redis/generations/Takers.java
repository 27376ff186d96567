package io.woodbird.redis.generations;

import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The generations that must have a write before it is done. */
final class Takers {
  /*
   * A write learns from the headers it meets which other generation takes it too, and goes there.
   * Much may happen before it arrives: that generation may have been replaced in its turn. So what it
   * meets there counts as well, and so on. A generation that is over takes nothing: then, and where a
   * link may be old, the record says which generations there are. In the end the write is in the
   * generation that is asked, whatever happened on the way.
   */
  private static final int ATTEMPTS = 4;

  private final Shared shared;

  Takers(Shared shared) {
    this.shared = shared;
  }

  /** Writes into one generation. */
  interface Write<M extends Met> {
    M into(GenerationView live);
  }

  /** What a write has met in a generation. */
  static class Met {
    /** The shards that do not have it. */
    final Map<Integer, Trouble> troubles = new HashMap<>();

    /** The generations that shards name. */
    final Set<Long> others = new HashSet<>();

    /** Whether a shard is retired. */
    boolean retired;

    /** Whether a shard is from another life, so that what it names may be old. */
    boolean older;

    final Shared shared;
    final GenerationView live;

    /** The life that each shard names which {@linkplain Shared#saysTooMuch says too much}. */
    private final Map<Integer, Long> tooMuch = new TreeMap<>();

    Met(Shared shared, GenerationView live) {
      this.shared = shared;
      this.live = live;
    }

    /** Takes a shard that has the write, in a life of its server. */
    void add(int shard, ShardHeader header, long life) {
      if (header.other() != 0) {
        others.add(header.other());
      }
      retired |= header.retired();
      older |= header.life() != life;
      if (shared.saysTooMuch(header, life)) {
        tooMuch.put(shard, header.life());
      }
    }

    /** Ends what shards say too much; true if all have the write. */
    boolean end() {
      if (troubles.isEmpty() && !tooMuch.isEmpty()) {
        troubles.putAll(shared.unvouch(live, tooMuch));
      }
      return troubles.isEmpty();
    }

    /** Throws if a shard does not have the write. */
    void check() {
      if (!troubles.isEmpty()) {
        throw shared.failure(troubles, live);
      }
    }

    /** Removes what was written where nothing was. */
    void sweep() {}

    /** Whether a server was silent until the end of the call. */
    boolean timedOut() {
      return troubles.values().stream().anyMatch(trouble -> trouble.cause() == Cause.TIMEOUT);
    }
  }

  /**
   * Writes into every generation that must have it.
   *
   * @param first what the write has met in the generation that this client asked
   * @return what it has met in the one that is asked
   */
  <M extends Met> M everywhere(M first, Write<M> write) {
    M met = first;
    for (int attempt = 1; !met.troubles.isEmpty(); attempt++) {
      RedisFilterException failure = shared.failure(met.troubles, met.live);
      if (met.timedOut()) {
        throw failure; // Nothing more is asked of a silent server: the time of the call is over.
      }
      met.sweep();
      if (!shared.refreshNow(met.live) || attempt == ATTEMPTS) {
        throw failure;
      }
      met = write.into(shared.current());
    }
    reach(met, write);
    return met;
  }

  /** Writes into every further generation that must have it. */
  private void reach(Met met, Write<?> write) {
    long first = met.live.generation.number();
    Set<Long> seen = new HashSet<>(Set.of(first));
    Deque<Long> open = new ArrayDeque<>(met.others);
    boolean ask = met.older || (met.retired && open.isEmpty());
    boolean over = false;
    while (true) {
      while (!open.isEmpty()) {
        long number = open.remove();
        if (seen.add(number)) {
          Met there = into(number, write);
          over |= there == null;
          ask |= there == null || there.older;
          open.addAll(there == null ? Set.of() : there.others);
        }
      }
      if (!ask) {
        return;
      }
      ask = false;
      Map<String, String> fields = shared.meta.read();
      long current = shared.meta.generation(fields, Meta.current(fields)).number(); // Or throws.
      if (over && met.retired && current == first) {
        throw new RedisFilterException(
            Cause.ROLLED_BACK,
            "filter %s: %s is older than the shards of its generation, which are retired"
                .formatted(shared.name, Command.text(shared.meta.key)));
      }
      open.addAll(Meta.takers(fields));
    }
  }

  /** Writes into a generation; null if it takes nothing, as nobody will ever ask it again. */
  private @Nullable Met into(long number, Write<?> write) {
    GenerationView live = shared.known(number);
    Met met = live == null ? null : written(live, write);
    while (met == null || !met.troubles.isEmpty()) {
      if (met != null && live != null && met.timedOut()) {
        throw shared.failure(met.troubles, live);
      }
      Map<String, String> fields = shared.meta.read();
      if (shared.meta.over(fields, number)) {
        return null;
      }
      GenerationView now = shared.live(fields, number);
      if (met != null && now == live) {
        requireLost(fields, now, met.troubles);
        return null;
      }
      live = now; // This client had met another one of that number, or none.
      met = written(live, write);
    }
    return met;
  }

  private static Met written(GenerationView live, Write<?> write) {
    Met met = write.into(live);
    if (!met.timedOut()) {
      met.sweep();
    }
    return met;
  }

  /**
   * Throws unless a generation is lost for good. A build looks at all shards before it swaps, so it
   * will be given up. An old generation is ended at once, so that nobody goes back to it.
   */
  private void requireLost(
      Map<String, String> fields, GenerationView live, Map<Integer, Trouble> troubles) {
    long number = live.generation.number();
    boolean gone = troubles.values().stream().allMatch(t -> t.kind() == Trouble.Kind.GONE);
    boolean passing = troubles.values().stream().anyMatch(t -> t.kind() == Trouble.Kind.LINK);
    boolean lost =
        number == Meta.number(fields, "previous")
            ? !passing && new GenerationSteps(shared).end(true)
            : gone && number != Meta.current(fields);
    if (!lost) {
      throw shared.failure(troubles, live);
    }
  }
}
