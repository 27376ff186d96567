package io.woodbird.redis.generations;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.layout.CopyLog;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.PutGroup;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Steps;
import io.woodbird.redis.proof.Confirmation;
import io.woodbird.redis.proof.Life;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One writing of hashes into one generation. */
final class PutPass extends Takers.Met {
  /*
   * One command checks the shard, counts itself, learns of links and sets the bits: spec/redis.md, "A
   * put". The keys of a batch that share a shard share a BITFIELD (4.2 us of server time a key became
   * 2.3).
   *
   * The two blocks of a pair are set by two commands. So that at most one of several writers of a new
   * key hears "new", the second block is looked at before the first is written, and the first is
   * written before the second: see BlockedBloomFilter. On one server the order of a pipeline gives
   * that; in a cluster it takes three round trips. All three are grouped by shard.
   */
  private final long[] hashes;

  /** Whether a shard is not whole in the life of its server, or that life is new here. */
  boolean doubtful;

  private final Confirmation confirmation;
  private final boolean pair;

  /** Whether a key is certainly new. */
  private final boolean[] fresh;

  /** Whether its second block says so, and not the first. */
  private final boolean[] secondDecides;

  private final boolean[] followed;

  /** The client that asked for a log in each shard, as its puts saw it. */
  private final Map<Integer, Long> followers = new HashMap<>();

  private final Set<Integer> inDoubt = new TreeSet<>();

  /** What must be sent again. */
  private List<PutGroup> again = List.of();

  /** Before what was sent last. */
  private long moment;

  PutPass(Shared shared, GenerationView live, long[] hashes) {
    super(shared, live);
    this.confirmation = shared.confirmation;
    this.hashes = hashes;
    this.pair = live.generation.pair();
    this.fresh = new boolean[hashes.length];
    this.secondDecides = new boolean[hashes.length];
    this.followed = new boolean[hashes.length];
  }

  int fresh() {
    int count = 0;
    for (boolean one : fresh) {
      count += one ? 1 : 0;
    }
    return count;
  }

  /** Writes, and then adds to the logs what must be there. */
  PutPass run() {
    boolean unused = Link.joined(begin(shared.now));
    finish();
    return this;
  }

  /**
   * Writes; completes with whether there is nothing left to do, neither in {@link #finish} nor
   * beside the put.
   */
  CompletableFuture<Boolean> begin(Steps steps) {
    if (pair && shared.link.cluster()) {
      return steps.later(
          () -> {
            step(true, List.of());
            step(false, List.of(PutGroup.Part.FIRST));
            step(false, List.of(PutGroup.Part.SECOND));
            return false;
          });
    }
    PutGroup.Part[] parts = PutGroup.Part.values();
    Step step = new Step(pair, List.of(parts).subList(0, pair ? 2 : 1));
    moment = shared.moment();
    return steps
        .begin(step.commands(), confirmation.after())
        .thenApply(
            replies -> {
              step.take(replies);
              boolean followed = !followers.isEmpty();
              return troubles.isEmpty()
                  && again.isEmpty()
                  && others.isEmpty()
                  && !(followed || retired || doubtful);
            });
  }

  /** Sends again what must be, and adds to the logs what must be there. */
  void finish() {
    sendAgain();
    if (end()) {
      feedLog();
    }
  }

  private void sendAgain() {
    while (!again.isEmpty() && troubles.isEmpty()) {
      List<PutGroup> groups = again;
      List<Command> commands = new ArrayList<>();
      groups.forEach(group -> commands.add(group.command(live, hashes)));
      moment = shared.moment();
      again = takeAll(groups, shared.link.run(commands, confirmation.after()), 0);
    }
  }

  private void step(boolean look, List<PutGroup.Part> parts) {
    Step step = new Step(look, parts);
    List<Command> commands = step.commands();
    if (!commands.isEmpty()) {
      moment = shared.moment();
      step.take(shared.link.run(commands, parts.isEmpty() ? List.of() : confirmation.after()));
      sendAgain();
    }
  }

  /**
   * Looks at second blocks, if asked to, and then sets the bits of some parts, in one round trip.
   */
  private final class Step {
    private final List<PutGroup> looks = new ArrayList<>();
    private final List<PutGroup> groups = new ArrayList<>();

    Step(boolean look, List<PutGroup.Part> parts) {
      if (look) {
        addGroups(looks, PutGroup.Part.SECOND);
      }
      parts.forEach(part -> addGroups(groups, part));
    }

    List<Command> commands() {
      List<Command> commands = new ArrayList<>();
      looks.forEach(group -> commands.add(group.look(live, hashes)));
      groups.forEach(group -> commands.add(group.command(live, hashes)));
      return commands;
    }

    void take(Link.Replies replies) {
      for (int i = 0; i < looks.size(); i++) {
        takeLook(looks.get(i), replies.all().get(i));
      }
      again = takeAll(groups, replies, looks.size());
    }
  }

  /**
   * Takes the replies to puts.
   *
   * @return the groups of which nothing was put, or perhaps nothing: the server does not know the
   *     script, or the shard has more levels than this client knew, or the server is in a life that
   *     this client did not know. What it must know is known now, so this ends: a script comes with
   *     its text then, and there are a few levels at most
   */
  private List<PutGroup> takeAll(List<PutGroup> groups, Link.Replies replies, int from) {
    List<PutGroup> left = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      PutGroup group = groups.get(i);
      Object reply = replies.all().get(from + i);
      if (reply instanceof RedisError error && error.lacksScript() && !group.withText) {
        group.withText = true;
        left.add(group);
      } else if (!take(group, reply, replies.after().get(from + i))) {
        left.add(group);
      }
    }
    if (troubles.isEmpty() && !groups.isEmpty()) {
      confirmation.check(replies.after());
    }
    return left;
  }

  /** Groups the keys by shard, in their order. */
  private void addGroups(List<PutGroup> groups, PutGroup.Part part) {
    @Nullable PutGroup[] open = new @Nullable PutGroup[live.shards()];
    for (int i = 0; i < hashes.length; i++) {
      long hash = part == PutGroup.Part.FIRST ? hashes[i] : BlockedBloom.other(hashes[i]);
      int shard = live.generation.shardOf(hash);
      PutGroup group = open[shard];
      if (group == null || group.count == PutGroup.MOST_KEYS) {
        group = new PutGroup(shard, part);
        open[shard] = group;
        groups.add(group);
      }
      group.indexes[group.count++] = i;
    }
  }

  private void takeLook(PutGroup group, @Nullable Object reply) {
    List<?> seen = reply instanceof List<?> list ? list : List.of();
    int at = 0;
    for (int i = 0; i < group.count; i++) {
      int index = group.indexes[i];
      int words = group.bits[i];
      boolean complete =
          seen.size() >= at + words
              && PutGroup.complete(live.generation, hashes[index], seen.subList(at, at + words));
      secondDecides[index] = !PutGroup.inOneBlock(live.generation, hashes[index]) && !complete;
      at += words;
    }
  }

  /** Takes the reply to a put; false if it must be sent again. */
  private boolean take(PutGroup group, @Nullable Object reply, List<@Nullable Object> after) {
    int shard = group.shard;
    String key = Command.text(live.keys[shard]);
    if (reply instanceof RedisError error) {
      troubles.put(shard, Trouble.of(error, key));
      return true;
    }
    ShardHeader put = ShardHeader.ofPut(reply);
    if (put == null || !(reply instanceof List<?> list)) {
      troubles.put(
          shard, new Trouble(Trouble.Kind.LINK, Cause.REFUSED, key + ": not a reply of BITFIELD"));
      return true;
    }
    if (put.identity() != live.identities[shard] || !live.mayHave(put.levels())) {
      troubles.put(
          shard,
          put.identity() == 0
              ? Trouble.gone(key + " is gone")
              : Trouble.foreign(key + " holds a foreign value"));
      return true;
    }
    Life life = Life.last(after);
    if (life.id() == 0) {
      troubles.put(shard, Trouble.noMaster(after, key)); // The link may not be believed.
      return true;
    }
    live.sawLevels(put.levels());
    if (list.size() == 1) {
      // Nothing was put. That must be because the shard has more levels than the put knew of, else
      // it would be sent again for ever.
      boolean grown = put.levels() > group.knownLevels;
      if (!grown) {
        troubles.put(shard, Trouble.foreign(key + " has a damaged header"));
      }
      return !grown;
    }
    if (put.life() != life.id() && !confirmation.wasDoneIn(life.id(), moment)) {
      return false; // It may have been done in an earlier life, and be lost.
    }
    boolean whole = judge(shard, put, life);
    add(shard, put, life.id());
    // A generation that is over lacks what others put; a hollow one knows nothing.
    takeBits(group, list, put, whole && !put.retired() && !shared.hollow(live));
    return true;
  }

  /** Returns whether every acknowledged put is in a shard, so that a clear bit proves a new key. */
  private boolean judge(int shard, ShardHeader put, Life life) {
    boolean whole = put.whole() && put.life() == life.id();
    if (!whole) {
      inDoubt.add(shard);
    }
    if (whole && life.id() == live.lives.get(shard)) {
      live.sawPuts(shard, put.puts());
    } else {
      doubtful = true;
    }
    return whole;
  }

  private void takeBits(PutGroup group, List<?> reply, ShardHeader put, boolean proves) {
    if (put.followed()) {
      followers.put(group.shard, put.follower());
    }
    int at = ShardHeader.bitsAt(reply);
    long newValue = live.generation.cellBits() == 4 ? 1 : 0;
    for (int i = 0; i < group.count; i++) {
      boolean cleared = false;
      for (int bit = 0; bit < group.bits[i]; bit++) {
        // The bit before, or the counter after.
        cleared |= reply.get(at++) instanceof Long value && value == newValue;
      }
      int index = group.indexes[i];
      if (secondDecides[index] == (group.part == PutGroup.Part.SECOND)) {
        fresh[index] = cleared && proves;
      }
      followed[index] |= put.followed();
    }
  }

  /**
   * Adds to the log every key of which either block is followed: a copy that began between the two
   * has missed the first.
   */
  private void feedLog() {
    long[] told = new long[hashes.length];
    int count = 0;
    for (int i = 0; i < hashes.length; i++) {
      if (followed[i]) {
        told[count++] = hashes[i];
      }
    }
    List<Command> commands = new ArrayList<>();
    CopyLog.addPuts(commands, live, told, count);
    if (commands.isEmpty()) {
      return;
    }
    boolean read = true;
    // Confirmed like the put: the log may be on another server, and that may be a master no more.
    Link.Replies replies = confirmation.send(commands);
    for (Object reply : replies.all()) {
      if (reply instanceof RedisError error) {
        troubles.put(0, Trouble.of(error, Command.text(live.log)));
        return;
      }
      read &= reply != null;
    }
    confirmation.check(replies.after());
    if (!read) {
      List<Command> ends = new ArrayList<>();
      followers.forEach((shard, token) -> ends.add(CopyLog.unfollow(live, shard, token)));
      shared.link.run(ends);
    }
  }

  void noteDoubts() {
    // One that is whole, in a life that is new to this client, is taken over.
    for (int shard : inDoubt) {
      String key = Command.text(live.keys[shard]);
      shared.doubts.note(
          key,
          new Trouble(
              Trouble.Kind.DOUBT,
              Cause.RESTARTED,
              key + " is in doubt: its server has another life than its data"));
    }
  }

  @Override
  void sweep() {
    List<Command> commands = new ArrayList<>();
    troubles.forEach(
        (shard, trouble) -> {
          if (trouble.kind() == Trouble.Kind.GONE) {
            commands.add(Script.SWEEP.on(live.keys[shard]));
          }
        });
    if (!commands.isEmpty()) {
      shared.link.run(commands);
    }
  }
}
