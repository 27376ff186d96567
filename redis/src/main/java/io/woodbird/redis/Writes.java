package io.woodbird.redis;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Puts: one atomic BITFIELD sets the bits of a key in a block, and learns all it must know. */
final class Writes {
  /*
   * The BITFIELD of a put reads the identity of the shard, counts itself, reads the link, and sets
   * the bits, in this order, at once. So a put knows whether it hit the right shard; whether another
   * generation takes puts too (a build runs, or a swap can still be rolled back); and whether a bit
   * was clear before, that is, whether the key was new.
   *
   * The two blocks of a pair are two commands. So that at most one of several writers of a new key
   * hears "new", the second block is looked at before the first is written, and the first is written
   * before the second: see BlockedBloomFilter. On one server the order of a pipeline gives that; in a
   * cluster it takes three round trips.
   */
  private static final byte[] GET = Command.bytes("GET");
  private static final byte[] SET = Command.bytes("SET");
  private static final byte[] INCRBY = Command.bytes("INCRBY");
  private static final byte[] I64 = Command.bytes("i64");
  private static final byte[] U1 = Command.bytes("u1");
  private static final byte[] ONE = Command.bytes("1");
  private static final byte[] IDENTITY = Command.bytes(ShardHeader.IDENTITY_BIT);
  private static final byte[] PUTS = Command.bytes(ShardHeader.PUTS_BIT);
  private static final byte[] LINK = Command.bytes(ShardHeader.LINK_BIT);
  private static final int HEAD = 11;

  private static final int ATTEMPTS = 4;

  private final Shared shared;
  private final Healer healer;
  private final Set<Long> registered = ConcurrentHashMap.newKeySet();

  Writes(Shared shared, Healer healer) {
    this.shared = shared;
    this.healer = healer;
  }

  /** Puts hashes and returns how many were certainly new. */
  int put(long[] hashes, int from, int to) {
    shared.journal.add(hashes, from, to, shared.current().puts);
    RedisFilterException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Live live = shared.current();
      register(live);
      Pass pass = new Pass(live, Arrays.copyOfRange(hashes, from, to));
      pass.run(true);
      if (pass.troubles.isEmpty()) {
        pass.others.forEach(this::putToo);
        if (pass.retired) {
          shared.refresh(live);
        }
        if (!pass.doubts.isEmpty()) {
          healer.heal(live, pass.doubts, pass.askedWith);
        }
        return pass.fresh();
      }
      failure = shared.failure(pass.troubles, live);
      pass.sweep();
      if (!shared.refreshNow(live)) {
        throw failure;
      }
    }
    throw failure;
  }

  /** Puts hashes into the other generation that the first one is linked to. */
  private void putToo(long number, List<Long> hashes) {
    Live other;
    try {
      other = shared.live(number);
    } catch (RedisFilterException e) {
      if (e.reason() == Cause.DELETED && !shared.meta.read().isEmpty()) {
        return; // The build was given up, or the old generation is gone: the first is enough.
      }
      throw e;
    }
    register(other);
    Pass pass = new Pass(other, hashes.stream().mapToLong(Long::longValue).toArray());
    pass.run(false);
    if (pass.troubles.isEmpty()) {
      return;
    }
    pass.sweep();
    Map<String, String> fields = shared.meta.read();
    if (fields.containsKey("gen:" + number) || Meta.current(fields) == number) {
      throw shared.failure(pass.troubles, other);
    }
  }

  /** Puts hashes again, in the shards that {@code wanted} names. */
  boolean replay(Live live, boolean[] wanted) {
    long[] hashes = shared.journal.hashes();
    for (int from = 0; from < hashes.length; from += RedisBloom.CHUNK) {
      Pass pass =
          new Pass(
              live,
              Arrays.copyOfRange(hashes, from, Math.min(hashes.length, from + RedisBloom.CHUNK)));
      pass.only = wanted;
      pass.run(false);
      if (!pass.troubles.isEmpty()) {
        return false;
      }
      pass.others.forEach(this::putToo);
    }
    return true;
  }

  /** Makes known that the master alone may hold what this client puts. */
  void register(Live live) {
    long number = live.generation.number();
    if (shared.durability.level() != Durability.Level.MASTER || registered.contains(number)) {
      return;
    }
    Object done = shared.meta.eval(Script.WRITER, Long.toString(number), shared.id);
    if (done instanceof Long known && known == 1) {
      registered.add(number);
    } else if (Meta.current(shared.meta.read()) == 0) {
      throw new RedisFilterException(
          Cause.DELETED,
          "filter " + shared.name + ": " + Command.text(shared.meta.key) + ", its record, is gone");
    }
  }

  Set<Long> registered() {
    return registered;
  }

  /** WAIT or WAITAOF, as asked for. */
  private @Nullable Command proof() {
    Durability wanted = shared.durability;
    String patience = Long.toString(wanted.patience().toMillis());
    String replicas = Integer.toString(wanted.replicas());
    return switch (wanted.level()) {
      case MASTER -> null;
      case REPLICAS -> Command.keyless(Command.Name.WAIT, replicas, patience);
      case DISK -> Command.keyless(Command.Name.WAITAOF, "1", replicas, patience);
    };
  }

  private void check(List<@Nullable Object> proofs) {
    Durability wanted = shared.durability;
    for (Object proof : proofs) {
      long got = -1;
      boolean disk = wanted.level() != Durability.Level.DISK;
      if (proof instanceof Long replicas) {
        got = replicas;
      } else if (proof instanceof List<?> pair && pair.size() == 2) {
        disk = pair.get(0) instanceof Long local && local >= 1;
        got = pair.get(1) instanceof Long replicas ? replicas : -1;
      }
      if (!disk || got < wanted.replicas()) {
        String seen = proof instanceof RedisError error ? error.message() : "" + proof;
        String message =
            "filter " + shared.name + ": " + wanted + " was asked for, the server says " + seen;
        shared.doubts.tell(Cause.NOT_DURABLE, message);
        throw new RedisFilterException(Cause.NOT_DURABLE, message);
      }
    }
  }

  static Command bitField(byte[] key, long offset, long[] words) {
    int bits = 0;
    for (long word : words) {
      bits += Long.bitCount(word);
    }
    byte[][] arguments = new byte[HEAD + 4 * bits][];
    byte[][] head = {key, GET, I64, IDENTITY, INCRBY, I64, PUTS, ONE, GET, I64, LINK};
    System.arraycopy(head, 0, arguments, 0, HEAD);
    int at = HEAD;
    for (int word = 0; word < words.length; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        int bit = Long.numberOfTrailingZeros(rest);
        // Words lie with their lowest byte first; Redis counts a byte's bits from the highest.
        long position = (offset + 8L * word) * 8 + (bit & ~7) + (7 - (bit & 7));
        arguments[at] = SET;
        arguments[at + 1] = U1;
        arguments[at + 2] = Command.bytes(position);
        arguments[at + 3] = ONE;
        at += 4;
      }
    }
    return Command.of(Command.Name.BITFIELD, arguments);
  }

  /** One writing of hashes into one generation. */
  private final class Pass {
    final Live live;
    final long[] hashes;
    final Map<Integer, Trouble> troubles = new HashMap<>();
    final Map<Long, List<Long>> others = new HashMap<>();
    boolean @Nullable [] only;
    boolean retired;
    final Map<Integer, Trouble> doubts = new HashMap<>();
    final long[] askedWith;

    private final boolean pair;
    private final boolean[] changed;
    private final boolean[] secondChanged;
    private final boolean[] secondDecides;
    private final boolean[] touched;

    Pass(Live live, long[] hashes) {
      this.live = live;
      this.hashes = hashes;
      this.pair = live.generation.pair();
      this.changed = new boolean[hashes.length];
      this.secondChanged = new boolean[hashes.length];
      this.secondDecides = new boolean[hashes.length];
      this.touched = new boolean[live.shards()];
      this.askedWith = new long[live.shards()];
    }

    int fresh() {
      int fresh = 0;
      for (int i = 0; i < hashes.length; i++) {
        fresh += secondDecides[i] ? (secondChanged[i] ? 1 : 0) : (changed[i] ? 1 : 0);
      }
      return fresh;
    }

    void run(boolean watch) {
      if (pair && shared.link.cluster()) {
        step(true, false, false, false);
        step(false, true, false, false);
        step(false, false, true, watch);
      } else {
        step(pair, true, pair, watch);
      }
    }

    private void step(boolean look, boolean first, boolean second, boolean watch) {
      List<Command> commands = new ArrayList<>();
      List<Task> tasks = new ArrayList<>();
      long[] before = new long[live.shards()];
      for (int shard = 0; shard < before.length; shard++) {
        before[shard] = live.puts.get(shard);
        askedWith[shard] = live.tokens.get(shard);
      }
      for (int i = 0; i < hashes.length; i++) {
        long hash = hashes[i];
        if (look) {
          add(commands, tasks, new Task(i, shardOf(BlockedBloom.other(hash)), Part.LOOK));
        }
        if (first) {
          add(commands, tasks, new Task(i, shardOf(hash), Part.FIRST));
        }
        if (second) {
          add(commands, tasks, new Task(i, shardOf(BlockedBloom.other(hash)), Part.SECOND));
        }
      }
      if (commands.isEmpty()) {
        return;
      }
      List<Integer> watched = watch ? addWatches(commands) : List.of();
      boolean writes = first || second;
      Link.Replies replies = shared.link.run(commands, writes ? proof() : null);
      for (int i = 0; i < tasks.size(); i++) {
        take(tasks.get(i), replies.all().get(i), before);
      }
      for (int i = 0; i < watched.size(); i++) {
        int shard = watched.get(i);
        Object reply = replies.all().get(tasks.size() + i);
        Trouble trouble = Trouble.of(reply, live, shard, askedWith[shard], 0);
        noteDoubt(shard, trouble, reply);
      }
      if (troubles.isEmpty() && writes) {
        check(replies.proofs());
      }
    }

    private void noteDoubt(int shard, @Nullable Trouble trouble, @Nullable Object reply) {
      if (trouble == null) {
        return;
      }
      if (trouble.kind() == Trouble.Kind.TOKEN) {
        live.vouchedAnew(shard, ShardHeader.decode(Shared.bytes(reply)));
      } else if (trouble.kind() == Trouble.Kind.DOUBT) {
        doubts.put(shard, trouble);
      }
    }

    /** Adds commands that notice a server that was restarted. */
    private List<Integer> addWatches(List<Command> commands) {
      List<Integer> watched = new ArrayList<>();
      for (int shard = 0; shard < touched.length; shard++) {
        if (touched[shard]) {
          watched.add(shard);
          commands.add(live.header(shard));
          if (!shared.link.cluster()) {
            break;
          }
        }
      }
      return watched;
    }

    private int shardOf(long hash) {
      return live.generation.shardOf(
          BlockedBloom.block(hash, live.generation.layout().blockCount()));
    }

    private void add(List<Command> commands, List<Task> tasks, Task task) {
      if (only != null && !only[task.shard]) {
        return;
      }
      long hash = hashOf(task);
      long offset =
          live.generation.offsetOf(BlockedBloom.block(hash, live.generation.layout().blockCount()));
      byte[] key = live.keys[task.shard];
      touched[task.shard] = true;
      tasks.add(task);
      if (task.part == Part.LOOK) {
        commands.add(Command.getRange(key, offset, offset + Generation.BLOCK_BYTES - 1));
      } else {
        commands.add(bitField(key, offset, wanted(hash)));
      }
    }

    private long hashOf(Task task) {
      long hash = hashes[task.index];
      return task.part == Part.FIRST ? hash : BlockedBloom.other(hash);
    }

    private long[] wanted(long hash) {
      long[] words = new long[BlockedBloom.WORDS];
      live.generation.layout().addTo(words, hash);
      return words;
    }

    private void take(Task task, @Nullable Object reply, long[] before) {
      String key = Command.text(live.keys[task.shard]);
      if (reply instanceof RedisError error) {
        troubles.put(task.shard, Trouble.of(error, key));
      } else if (task.part == Part.LOOK) {
        secondDecides[task.index] = !complete(reply, wanted(hashOf(task)));
      } else if (reply instanceof List<?> list
          && list.size() > 3
          && list.get(0) instanceof Long identity
          && list.get(1) instanceof Long puts
          && list.get(2) instanceof Long link) {
        takeWrite(task, key, list, identity, puts, link, before[task.shard]);
      } else {
        troubles.put(
            task.shard,
            new Trouble(Trouble.Kind.LINK, Cause.REFUSED, key + ": not a reply of BITFIELD"));
      }
    }

    private void takeWrite(
        Task task, String key, List<?> list, long identity, long puts, long link, long before) {
      if (identity != live.identities[task.shard]) {
        troubles.put(
            task.shard,
            identity == 0
                ? new Trouble(Trouble.Kind.GONE, Cause.DELETED, key + " is gone")
                : new Trouble(
                    Trouble.Kind.FOREIGN, Cause.OVERWRITTEN, key + " holds a foreign value"));
        return;
      }
      if (puts <= before) {
        doubts.put(
            task.shard,
            new Trouble(
                Trouble.Kind.DOUBT,
                Cause.ROLLED_BACK,
                key + " has seen " + puts + " puts, but it had seen " + before + " before"));
      } else {
        live.sawPuts(task.shard, puts);
      }
      retired |= (link & 1) != 0;
      if (link >>> 1 != 0) {
        List<Long> too = others.computeIfAbsent(link >>> 1, number -> new ArrayList<>());
        if (too.isEmpty() || too.get(too.size() - 1) != hashes[task.index]) {
          too.add(hashes[task.index]);
        }
      }
      boolean cleared = false;
      for (int i = 3; i < list.size(); i++) {
        cleared |= list.get(i) instanceof Long old && old == 0;
      }
      if (task.part == Part.FIRST) {
        changed[task.index] = cleared;
      } else {
        secondChanged[task.index] = cleared;
      }
    }

    private static boolean complete(@Nullable Object reply, long[] wanted) {
      if (!(reply instanceof byte[] bytes) || bytes.length != Generation.BLOCK_BYTES) {
        return false;
      }
      for (int at = 0; at < bytes.length; at++) {
        int needed = (int) (wanted[at / 8] >>> (8 * (at % 8))) & 0xff;
        if ((needed & ~bytes[at]) != 0) {
          return false;
        }
      }
      return true;
    }

    /** Removes what this pass has written where nothing was. */
    void sweep() {
      List<Command> commands = new ArrayList<>();
      troubles.forEach(
          (shard, trouble) -> {
            if (trouble.kind() == Trouble.Kind.GONE) {
              commands.add(Script.SWEEP.on(live.keys[shard]));
            }
          });
      if (!commands.isEmpty()) {
        shared.link.run(commands, null);
      }
    }
  }

  private enum Part {
    LOOK,
    FIRST,
    SECOND
  }

  private static final class Task {
    final int index;
    final int shard;
    final Part part;

    Task(int index, int shard, Part part) {
      this.index = index;
      this.shard = shard;
      this.part = part;
    }
  }
}
