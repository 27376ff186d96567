package io.woodbird.redis.generations;

import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Shared;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The steps between generations, each safe to be done twice, late, or by two clients at once. */
public final class GenerationSteps {
  /*
   * Two generations are linked when the header of every shard of each names the other: then a put
   * into either goes into both, as it learns of the link in the command that sets its bits. So
   * whichever of the two a client asks, it gets the right answer, and the pointer may be swapped, or
   * swapped back, at any time.
   *
   *   build     new shards name the old generation; then the old ones name the new; then the source is
   *             read. A put that has not seen the link was done before it, and so was its source row.
   *   swap      compare-and-set of the pointer; then the old shards are marked retired, and their
   *             readers go to the new.
   *   back      the old shards are unmarked; compare-and-set; the new ones are marked.
   *   end       the record says so, so that nobody goes back; the old shards are marked, and are not
   *             whole any more; the new ones name it no more; it leaves the record; its shards are
   *             deleted. A reader of the old generation sees the mark before the first put that skips
   *             that generation. A client that was about to go back, and slept, may take the mark
   *             away; that the shards are not whole stays.
   *
   * A builder that was asleep can do no harm: a link only rises to a higher generation, numbers are
   * never given twice, and the swap needs the lease.
   */
  private static final Duration AFTER_ROLL_BACK = Duration.ofMinutes(10);

  private final Shared shared;

  public GenerationSteps(Shared shared) {
    this.shared = shared;
  }

  /**
   * The commands that write the link of every shard of a generation.
   *
   * @param rule see link.lua
   */
  private static List<Command> links(GenerationView live, long link, String rule) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      commands.add(live.script(Script.LINK, shard, link, rule));
    }
    return commands;
  }

  /**
   * Links a generation to another, unless it is linked to a higher one; true if all shards are.
   * That is confirmed like a put, so that it is there in the next life if puts are.
   */
  public boolean link(GenerationView live, long other) {
    return allDone(shared.confirmation.run(links(live, ShardHeader.link(other, false), "rise")));
  }

  private static boolean allDone(List<@Nullable Object> replies) {
    return replies.stream().allMatch(Meta::isDone);
  }

  /** Changes the link of those shards that have a given one; true if the server was there. */
  public boolean relink(GenerationView live, long from, long to) {
    return shared.link.run(links(live, to, Long.toString(from))).stream()
        .noneMatch(RedisError.class::isInstance);
  }

  public boolean rollBack() {
    Map<String, String> fields = shared.meta.read();
    long current = Meta.current(fields);
    long previous = Meta.number(fields, "previous");
    if (previous == 0 || fields.containsKey("next")) {
      return false;
    }
    GenerationView from = shared.live(fields, current);
    GenerationView to = shared.live(fields, previous);
    if (to.generation.hollow()
        || !linked(from, previous)
        || !linked(to, current)
        || !relink(to, ShardHeader.link(current, true), ShardHeader.link(current, false))) {
      return false;
    }
    if (!shared.meta.done(Script.SWAP, current, previous, "", AFTER_ROLL_BACK.toMillis())
        && Meta.current(shared.meta.read()) != previous) {
      return false; // Else the reply is that to a repeated command, or another client went back.
    }
    retire(from, previous);
    return true;
  }

  /** Marks a generation after a swap, so that its readers go to the one that is asked now. */
  public void retire(GenerationView from, long to) {
    long unmarked = ShardHeader.link(to, false);
    long marked = ShardHeader.link(to, true);
    relink(from, unmarked, marked);
    shared.refreshNow(from);
    if (Meta.current(shared.record()) == from.generation.number()) {
      relink(from, marked, unmarked); // Another client has gone back to it meanwhile.
    }
  }

  /** Whether every shard of a generation names another one. */
  public boolean linked(GenerationView live, long other) {
    return FoundShard.all(shared.link, live).stream()
        .allMatch(shard -> shard.isThere() && shard.header().other() == other);
  }

  /** Ends the previous one, if its grace is over or at once; true if there is none any more. */
  public boolean end(boolean now) {
    Map<String, String> fields = shared.meta.read();
    return fields.containsKey("current") && end(fields, now);
  }

  /**
   * Ends the previous one at once, for a builder whose lease is in the record. A record that was
   * lost, or came back older, does not say which generation the shards still name.
   */
  public boolean endFor(String builder) {
    Map<String, String> fields = shared.meta.read();
    return builder.equals(fields.get("lease"))
        // Or another client, which saw that its grace is over, was faster.
        && (end(fields, true) || !shared.meta.read().containsKey("previous"));
  }

  /** Ends the previous one if its grace is over; a failure is told. */
  public void tidy() {
    try {
      boolean unused = end(false);
    } catch (RedisFilterException e) {
      shared.doubts.tell(e.reason(), "the old generation is not ended yet: " + e.getMessage());
    }
  }

  private boolean end(Map<String, String> fields, boolean now) {
    long current = Meta.current(fields);
    long previous = Meta.number(fields, "previous");
    if (previous == 0) {
      return true;
    }
    // Confirmed like a put, and with it the swap before it: else the record may name a generation
    // that is deleted.
    Command end = Script.END.on(shared.meta.key, previous, now ? 0 : 1);
    if (!allDone(shared.confirmation.run(List.of(end)))) {
      return false;
    }
    GenerationView old = shared.live(fields, previous);
    GenerationView live = shared.live(fields, current);
    boolean reached =
        shared.link.run(links(old, ShardHeader.link(current, true), "end")).stream()
            .noneMatch(RedisError.class::isInstance);
    if (reached && relink(live, ShardHeader.link(previous, false), 0)) {
      if (shared.meta.done(Script.DROP, previous, "")) {
        remove(old);
        return true;
      }
    }
    return false;
  }

  /** Deletes the shards of a generation that nobody may ask any more. */
  public void remove(GenerationView live) {
    shared.link.run(live.removals());
  }
}
