package io.woodbird.redis.proof;

import io.woodbird.Answer;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.PutGroup;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Steps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Questions: blocks are read, and after them the headers that prove them, in one round trip. */
public final class Reads {
  /*
   * A header that is right proves the blocks that were read before it on its connection: what was
   * lost or replaced before its block was read is still lost or replaced when its header is. See
   * spec/redis.md, "A question". A negative answer needs one block that lacks a bit of the key, in a
   * shard that is proven. Every other doubt is "unknown".
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int ATTEMPTS = 4;
  private static final List<Command> PROOF = List.of(Life.ASK);

  private final Shared shared;
  private final Recovery recovery;

  public Reads(Shared shared, Recovery recovery) {
    this.shared = shared;
    this.recovery = recovery;
  }

  /**
   * Answers for the hashes from {@code from} to {@code to}. Only what went wrong needs a thread
   * that may block.
   *
   * @return whether a server was silent until the end of the call, so that no more should be asked
   */
  public CompletableFuture<Boolean> ask(
      Steps steps, long[] hashes, int from, int to, Answer[] answers) {
    return shared.link.asOneCall(() -> askOnce(steps, hashes, from, to, answers));
  }

  private CompletableFuture<Boolean> askOnce(
      Steps steps, long[] hashes, int from, int to, Answer[] answers) {
    Look look = new Look(shared, hashes, from, to);
    return steps
        .begin(look.commands(), PROOF)
        .thenCompose(
            replies -> {
              look.take(replies, shared, answers);
              if (look.troubles.values().stream().allMatch(t -> t.kind() == Trouble.Kind.LINK)) {
                boolean unused = isOver(look);
                return CompletableFuture.completedFuture(look.timedOut());
              }
              return steps.later(
                  () -> isOver(look) ? look.timedOut() : askAgain(hashes, from, to, answers));
            });
  }

  private boolean askAgain(long[] hashes, int from, int to, Answer[] answers) {
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      Look look = new Look(shared, hashes, from, to);
      look.take(shared.link.run(look.commands(), PROOF), shared, answers);
      if (isOver(look)) {
        return look.timedOut();
      }
    }
    return false;
  }

  /** Does what can be done after a round trip; false if it should be asked again. */
  private boolean isOver(Look look) {
    boolean again = settle(look.live, look);
    if (look.troubles.isEmpty()) {
      look.allWell(shared.doubts);
      return true;
    }
    return !again;
  }

  /** Does what can be done about troubles now; true if asking again may help. */
  private boolean settle(GenerationView live, Look look) {
    boolean again = false;
    boolean recover = false;
    boolean silent = look.timedOut(); // Then the time of the call is over.
    for (Map.Entry<Integer, Trouble> entry : look.troubles.entrySet()) {
      int shard = entry.getKey();
      Trouble trouble = entry.getValue();
      boolean done =
          !silent
              && switch (trouble.kind()) {
                case RETIRED -> shared.refreshNow(live);
                case NEW_LIFE -> live.wholeIn(shard, look.headers[shard]);
                case GROWN -> true;
                case UNHEARD -> shared.heard.renew(live, shard);
                case LINK -> false;
                case GONE, FOREIGN, DOUBT -> shared.refresh(live);
              };
      recover |= trouble.kind() == Trouble.Kind.DOUBT;
      if (!done) {
        shared.doubts.note(Command.text(live.keys[shard]), trouble);
      }
      again |= done;
    }
    return (recover && !silent && recovery.attempt(live)) || again;
  }

  /** One round trip. */
  private static final class Look {
    final GenerationView live;
    final Map<Integer, Trouble> troubles = new HashMap<>();
    final ShardHeader[] headers;

    private final long[] hashes;
    private final int from;
    private final int to;
    private final boolean pair;

    /** How many levels are asked for. */
    private final int depth;

    private final int[] shards;
    private final int[] places;
    private final boolean[] touched;

    private final ShardProof proof;

    Look(Shared shared, long[] hashes, int from, int to) {
      this.live = shared.current();
      this.hashes = hashes;
      this.from = from;
      this.to = to;
      this.pair = live.generation.pair();
      this.depth = live.levels();
      int blocks = (to - from) * (pair ? 2 : depth);
      this.shards = new int[blocks];
      this.places = new int[blocks];
      this.touched = new boolean[live.shards()];
      this.headers = new ShardHeader[live.shards()];
      this.proof = new ShardProof(live, shared.heard);
    }

    List<Command> commands() {
      for (int i = from, at = 0; i < to; i++) {
        for (int level = 0; level < depth; level++) {
          addBlock(at++, hashes[i], level);
        }
        if (pair) {
          addBlock(at++, BlockedBloom.other(hashes[i]), 0);
        }
      }
      List<Command> proofs = new ArrayList<>();
      for (int shard = 0; shard < touched.length; shard++) {
        if (touched[shard]) {
          proof.expect(shard);
          proofs.add(live.header(shard));
        }
      }
      return new Lazy(proofs);
    }

    void take(Link.Replies replies, Shared shared, Answer[] answers) {
      int at = shards.length;
      for (int shard = 0; shard < touched.length; shard++) {
        if (touched[shard]) {
          judge(shard, replies, at++);
        }
      }
      for (int i = 0; i < to - from; i++) {
        answers[from + i] = answer(hashes[from + i], i, replies.all());
      }
      if (shared.hollow(live)) {
        denyNothing(answers, from, to);
      }
    }

    private void addBlock(int at, long hash, int level) {
      int shard = live.generation.shardOf(hash);
      shards[at] = shard;
      places[at] = live.generation.place(hash, level);
      touched[shard] = true;
    }

    /**
     * The commands, each made when it is sent: the server works on the first while the last are
     * made (1.33 us a key became 1.0).
     */
    private final class Lazy extends AbstractList<Command> {
      private final List<Command> proofs;

      Lazy(List<Command> proofs) {
        this.proofs = proofs;
      }

      @Override
      public Command get(int index) {
        if (index >= shards.length) {
          return proofs.get(index - shards.length);
        }
        return live.block(shards[index], places[index]);
      }

      @Override
      public int size() {
        return shards.length + proofs.size();
      }
    }

    private void judge(int shard, Link.Replies replies, int at) {
      FoundShard found = proof.judge(shard, replies, at);
      Trouble trouble = found.trouble();
      headers[shard] = found.header();
      if (trouble == null && found.header().levels() > depth) {
        live.sawLevels(found.header().levels());
        trouble =
            new Trouble(
                Trouble.Kind.GROWN,
                RedisEvent.Cause.OTHER_PARAMETERS,
                Command.text(live.keys[shard]) + " has more levels than were asked for");
      }
      if (trouble != null) {
        troubles.put(shard, trouble);
      }
    }

    private Answer answer(long hash, int index, List<@Nullable Object> replies) {
      if (!pair) {
        return inLevels(hash, index * depth, replies);
      }
      Answer first = answer(hash, shards[2 * index], replies.get(2 * index));
      Answer second =
          answer(BlockedBloom.other(hash), shards[2 * index + 1], replies.get(2 * index + 1));
      if (first == Answer.NOT_HERE || second == Answer.NOT_HERE) {
        return Answer.NOT_HERE; // One block that lacks a bit is enough.
      }
      return first == Answer.UNKNOWN ? first : second;
    }

    /** A key is not here if each level that the shard has lacks a bit of it. */
    private Answer inLevels(long hash, int first, List<@Nullable Object> replies) {
      int shard = shards[first];
      if (troubles.containsKey(shard)) {
        return Answer.UNKNOWN;
      }
      Answer answer = Answer.NOT_HERE;
      int levels = headers[shard].levels();
      for (int level = 0; level < levels && answer == Answer.NOT_HERE; level++) {
        answer = answer(hash, shard, replies.get(first + level));
      }
      return answer;
    }

    private Answer answer(long hash, int shard, @Nullable Object reply) {
      if (troubles.containsKey(shard)) {
        return Answer.UNKNOWN;
      }
      if (!(reply instanceof byte[] bytes) || bytes.length != live.generation.blockBytes()) {
        Trouble trouble =
            reply instanceof RedisError error
                ? Trouble.of(error, Command.text(live.keys[shard]))
                : Trouble.gone(Command.text(live.keys[shard]) + " is gone or cut short");
        troubles.put(shard, trouble);
        return Answer.UNKNOWN;
      }
      long missing =
          switch (live.generation.cellBits()) {
            case 1 -> missing(hash, bytes, 0);
            case GenerationSpec.WINDOW_BITS -> missingInWindow(hash, bytes);
            default -> missingCounters(hash, bytes);
          };
      return missing == 0 ? Answer.MAYBE_HERE : Answer.NOT_HERE;
    }

    /** Returns the bits of a hash that its block lacks; the block begins with a given word. */
    private long missing(long hash, byte[] block, int at) {
      BlockShape shape = live.generation.layout().shape();
      if (shape.words() == 2) {
        long low = word(block, at + BlockedBloom.lowWord(hash));
        long high = word(block, at + BlockedBloom.highWord(hash));
        return BlockedBloom.missing(hash, shape.bits(), low, high);
      }
      long pattern = BlockedBloom.pattern(hash);
      return BlockedBloom.missing(
          pattern,
          shape.bits(),
          word(block, at + BlockedBloom.sectorWord(pattern, 0)),
          word(block, at + BlockedBloom.sectorWord(pattern, 1)),
          word(block, at + BlockedBloom.sectorWord(pattern, 2)),
          word(block, at + BlockedBloom.sectorWord(pattern, 3)));
    }

    /** Returns 0 if one part of a window has all bits of a hash. */
    private long missingInWindow(long hash, byte[] block) {
      long missing = 1;
      for (int part = 0; part < GenerationSpec.WINDOW_BITS && missing != 0; part++) {
        missing = missing(hash, block, part * BlockedBloom.WORDS);
      }
      return missing;
    }

    private static long word(byte[] block, int word) {
      return (long) LONGS.get(block, 8 * word);
    }

    private long missingCounters(long hash, byte[] block) {
      long[] wanted = new long[BlockedBloom.WORDS];
      live.generation.layout().addTo(wanted, hash);
      long missing = 0;
      for (int word = 0; word < BlockedBloom.WORDS; word++) {
        missing |= wanted[word] & ~PutGroup.positive(block, word);
      }
      return missing;
    }

    boolean timedOut() {
      return troubles.values().stream().anyMatch(t -> t.cause() == RedisEvent.Cause.TIMEOUT);
    }

    void allWell(Doubts doubts) {
      for (int shard = 0; shard < touched.length; shard++) {
        if (touched[shard]) {
          doubts.well(live.keys[shard]);
        }
      }
    }
  }

  /** What is not in a filter that was never built may well be in its source. */
  private static void denyNothing(Answer[] answers, int from, int to) {
    for (int i = from; i < to; i++) {
      if (answers[i] == Answer.NOT_HERE) {
        answers[i] = Answer.UNKNOWN;
      }
    }
  }
}
