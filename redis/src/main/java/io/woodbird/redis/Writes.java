package io.woodbird.redis;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts: one atomic BITFIELD sets the bits of keys in a shard, and learns all it must know. */
final class Writes {
  /*
   * The BITFIELD of a put reads the identity of the shard, counts itself, reads the link, and sets
   * the bits, in this order, at once. So a put knows whether it hit the right shard; whether another
   * generation takes puts too (a build runs, or a swap can still be rolled back); and whether a bit
   * was clear before, that is, whether the key was new. The keys of a batch that share a shard share
   * a BITFIELD (4.2 us of server time a key became 2.3).
   *
   * The two blocks of a pair are two commands. So that at most one of several writers of a new key
   * hears "new", the second block is looked at before the first is written, and the first is written
   * before the second: see BlockedBloomFilter. On one server the order of a pipeline gives that; in a
   * cluster it takes three round trips, and a key of a batch whose second block another key of the
   * batch has just completed is called old.
   */
  private static final int ATTEMPTS = 4;

  private final Shared shared;
  private final Healer healer;
  private final Proofs proofs;
  private final WriterEntry entry;

  Writes(Shared shared, Healer healer, Proofs proofs, WriterEntry entry) {
    this.shared = shared;
    this.healer = healer;
    this.proofs = proofs;
    this.entry = entry;
  }

  /** Puts hashes and returns how many were certainly new. */
  int put(long[] hashes, int from, int to) {
    long place = shared.journal.add(hashes, from, to, shared.current().puts);
    try {
      return putNoted(hashes, from, to);
    } finally {
      shared.journal.ended(place);
    }
  }

  private int putNoted(long[] hashes, int from, int to) {
    RedisFilterException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Live live = shared.current();
      entry.enterOnce(live);
      Pass pass = new Pass(live, Arrays.copyOfRange(hashes, from, to));
      pass.run(true);
      if (pass.troubles.isEmpty()) {
        pass.others.forEach(this::putToo);
        if (pass.retired) {
          shared.refresh(live);
        }
        boolean grace = pass.others.keySet().stream().anyMatch(o -> o < live.generation.number());
        if (grace && shared.tidyDue()) {
          new Generations(shared).tidy();
        }
        if (!pass.doubts.isEmpty()) {
          healer.heal(live, pass.doubts, pass.askedWith);
        }
        pass.vouched.forEach((shard, header) -> healer.takeOver(live, shard, header));
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
  private void putToo(long number, Set<Long> hashes) {
    Live other;
    try {
      other = shared.live(number);
    } catch (RedisFilterException e) {
      if (e.reason() == Cause.DELETED && !shared.meta.read().isEmpty()) {
        return; // The build was given up, or the old generation is gone: the first is enough.
      }
      throw e;
    }
    entry.enterOnce(other);
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

  /**
   * Puts hashes again, in the shards that {@code wanted} names.
   *
   * @param prove whether they must be as durable as puts
   */
  boolean replay(Live live, boolean[] wanted, long[] hashes, boolean prove) {
    for (int from = 0; from < hashes.length; from += RedisBloom.CHUNK) {
      Pass pass =
          new Pass(
              live,
              Arrays.copyOfRange(hashes, from, Math.min(hashes.length, from + RedisBloom.CHUNK)));
      pass.only = wanted;
      pass.prove = prove;
      pass.run(false);
      if (!pass.troubles.isEmpty()) {
        return false;
      }
      pass.others.forEach(this::putToo);
    }
    return true;
  }

  /** One writing of hashes into one generation. */
  private final class Pass {
    final Live live;
    final long[] hashes;
    final Map<Integer, Trouble> troubles = new HashMap<>();
    final Map<Long, Set<Long>> others = new HashMap<>();
    boolean @Nullable [] only;
    boolean retired;
    boolean prove = true;
    final Map<Integer, Trouble> doubts = new HashMap<>();
    final Map<Integer, ShardHeader> vouched = new HashMap<>();
    final long[] askedWith;
    final List<PutGroup> toFeed = new ArrayList<>();

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

    /** Writes, and then feeds the logs of those shards that ask for it. */
    void run(boolean watch) {
      write(watch);
      if (toFeed.isEmpty() || !troubles.isEmpty()) {
        return;
      }
      live.fed = true;
      List<PutGroup> left = toFeed.stream().filter(group -> !group.fed).toList();
      if (left.isEmpty()) {
        return;
      }
      List<Command> commands = left.stream().map(group -> group.feed(live, hashes)).toList();
      takeFeeds(left, shared.link.run(commands, null).all());
    }

    private void takeFeeds(List<PutGroup> groups, List<@Nullable Object> replies) {
      for (int i = 0; i < groups.size(); i++) {
        groups.get(i).fed = true;
        if (replies.get(i) instanceof RedisError error) {
          int shard = groups.get(i).shard;
          troubles.put(shard, Trouble.of(error, Command.text(live.log(shard))));
        }
      }
    }

    private void write(boolean watch) {
      if (!pair) {
        step(false, true, false, watch);
      } else if (only != null) {
        step(false, true, true, watch); // Put again: nobody asks what was new.
      } else if (shared.link.cluster()) {
        step(true, false, false, false);
        step(false, true, false, false);
        step(false, false, true, watch);
      } else {
        inOrder(watch);
      }
    }

    /** Looks and sets key by key, in one round trip, as the order of one server allows. */
    private void inOrder(boolean watch) {
      long[] before = before();
      List<Command> commands = new ArrayList<>();
      addLooks(commands);
      List<Command> looks = List.copyOf(commands);
      commands.clear();
      List<PutGroup> groups = new ArrayList<>();
      for (int i = 0; i < hashes.length; i++) {
        commands.add(looks.get(i));
        for (PutGroup.Part part : PutGroup.Part.values()) {
          PutGroup group = new PutGroup(shardOf(i, part), part);
          group.indexes[group.count++] = i;
          touched[group.shard] = true;
          groups.add(group);
          commands.add(group.command(live, hashes));
        }
      }
      List<Integer> watched = watch ? addWatches(commands) : List.of();
      Link.Replies replies = shared.link.run(commands, proof());
      for (int i = 0; i < hashes.length; i++) {
        takeLook(i, replies.all().get(3 * i));
        take(groups.get(2 * i), replies.all().get(3 * i + 1), before);
        take(groups.get(2 * i + 1), replies.all().get(3 * i + 2), before);
      }
      takeWatches(watched, replies.all().subList(3 * hashes.length, replies.all().size()));
      if (troubles.isEmpty() && prove) {
        proofs.check(replies.proofs());
      }
    }

    private @Nullable Command proof() {
      return prove ? proofs.command() : null;
    }

    private long[] before() {
      long[] before = new long[live.shards()];
      for (int shard = 0; shard < before.length; shard++) {
        before[shard] = live.puts.get(shard);
        askedWith[shard] = live.tokens.get(shard);
      }
      return before;
    }

    private void takeWatches(List<Integer> watched, List<@Nullable Object> replies) {
      for (int i = 0; i < watched.size(); i++) {
        int shard = watched.get(i);
        Object reply = replies.get(i);
        noteDoubt(shard, Trouble.of(reply, live, shard, askedWith[shard], 0), reply);
      }
    }

    private int shardOf(int index, PutGroup.Part part) {
      return shardOf(
          part == PutGroup.Part.FIRST ? hashes[index] : BlockedBloom.other(hashes[index]));
    }

    private void step(boolean look, boolean first, boolean second, boolean watch) {
      long[] before = before();
      List<Command> commands = new ArrayList<>();
      int[] looks = look ? addLooks(commands) : new int[0];
      List<PutGroup> groups = new ArrayList<>();
      if (first) {
        addGroups(groups, PutGroup.Part.FIRST);
      }
      if (second) {
        addGroups(groups, PutGroup.Part.SECOND);
      }
      groups.forEach(group -> commands.add(group.command(live, hashes)));
      if (commands.isEmpty()) {
        return;
      }
      // Once it is known that logs are fed, they are fed in the same round trip.
      List<PutGroup> fed =
          live.fed
              ? groups.stream().filter(group -> group.part == PutGroup.Part.FIRST).toList()
              : List.of();
      fed.forEach(group -> commands.add(group.feed(live, hashes)));
      List<Integer> watched = watch ? addWatches(commands) : List.of();
      boolean writes = first || second;
      Link.Replies replies = shared.link.run(commands, writes ? proof() : null);
      for (int i = 0; i < looks.length; i++) {
        takeLook(looks[i], replies.all().get(i));
      }
      for (int i = 0; i < groups.size(); i++) {
        take(groups.get(i), replies.all().get(looks.length + i), before);
      }
      int feeds = looks.length + groups.size();
      int taken = feeds + fed.size();
      takeFeeds(fed, replies.all().subList(feeds, taken));
      takeWatches(watched, replies.all().subList(taken, replies.all().size()));
      if (troubles.isEmpty() && writes && prove) {
        proofs.check(replies.proofs());
      }
    }

    /** Adds commands that look at the second block of each key; returns the indexes of the keys. */
    private int[] addLooks(List<Command> commands) {
      int[] indexes = new int[hashes.length];
      int count = 0;
      for (int i = 0; i < hashes.length; i++) {
        long other = BlockedBloom.other(hashes[i]);
        int shard = shardOf(other);
        if (wants(shard)) {
          long block = BlockedBloom.block(other, live.generation.layout().blockCount());
          long offset = live.generation.offsetOf(block);
          commands.add(
              Command.getRange(
                  live.keys[shard], offset, offset + live.generation.blockBytes() - 1));
          indexes[count++] = i;
        }
      }
      return Arrays.copyOf(indexes, count);
    }

    /** Groups the keys by shard, in their order. */
    private void addGroups(List<PutGroup> groups, PutGroup.Part part) {
      @Nullable PutGroup[] open = new @Nullable PutGroup[live.shards()];
      for (int i = 0; i < hashes.length; i++) {
        int shard = shardOf(i, part);
        if (wants(shard)) {
          PutGroup group = open[shard];
          if (group == null || group.count == PutGroup.MOST_KEYS) {
            group = new PutGroup(shard, part);
            open[shard] = group;
            groups.add(group);
          }
          group.indexes[group.count++] = i;
          touched[shard] = true;
        }
      }
    }

    private boolean wants(int shard) {
      return only == null || only[shard];
    }

    private void noteDoubt(int shard, @Nullable Trouble trouble, @Nullable Object reply) {
      if (trouble == null) {
        return;
      }
      if (trouble.kind() == Trouble.Kind.TOKEN) {
        vouched.put(shard, ShardHeader.decode(Shared.bytes(reply)));
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

    private void takeLook(int index, @Nullable Object reply) {
      long[] wanted = new long[BlockedBloom.WORDS];
      live.generation.layout().addTo(wanted, BlockedBloom.other(hashes[index]));
      secondDecides[index] =
          !PutGroup.inOneBlock(live.generation, hashes[index]) && !PutGroup.complete(reply, wanted);
    }

    private void take(PutGroup group, @Nullable Object reply, long[] before) {
      int shard = group.shard;
      String key = Command.text(live.keys[shard]);
      if (reply instanceof RedisError error) {
        troubles.put(shard, Trouble.of(error, key));
      } else if (reply instanceof List<?> list
          && list.size() >= 4
          && list.get(0) instanceof Long identity
          && list.get(1) instanceof Long puts
          && list.get(2) instanceof Long link
          && list.get(3) instanceof Long feed) {
        if (identity != live.identities[shard]) {
          troubles.put(shard, wrong(identity, key));
          return;
        }
        count(shard, key, puts, before[shard]);
        retired |= (link & 1) != 0;
        takeBits(group, list, link >>> 1);
        if (feed == 1 && group.part == PutGroup.Part.FIRST) {
          toFeed.add(group);
        }
      } else {
        troubles.put(
            shard,
            new Trouble(Trouble.Kind.LINK, Cause.REFUSED, key + ": not a reply of BITFIELD"));
      }
    }

    private static Trouble wrong(long identity, String key) {
      return identity == 0
          ? new Trouble(Trouble.Kind.GONE, Cause.DELETED, key + " is gone")
          : new Trouble(Trouble.Kind.FOREIGN, Cause.OVERWRITTEN, key + " holds a foreign value");
    }

    private void count(int shard, String key, long puts, long before) {
      if (puts > before) {
        live.sawPuts(shard, puts);
        return;
      }
      doubts.put(
          shard,
          new Trouble(
              Trouble.Kind.DOUBT,
              Cause.ROLLED_BACK,
              key + " has seen " + puts + " puts, but it had seen " + before + " before"));
    }

    private void takeBits(PutGroup group, List<?> list, long other) {
      int at = 4;
      long newValue = live.generation.cellBits() == 1 ? 0 : 1;
      for (int i = 0; i < group.count; i++) {
        boolean cleared = false;
        for (int bit = 0; bit < group.bits[i]; bit++) {
          // The bit before, or the counter after.
          cleared |= list.get(at++) instanceof Long value && value == newValue;
        }
        int index = group.indexes[i];
        (group.part == PutGroup.Part.FIRST ? changed : secondChanged)[index] = cleared;
        if (other != 0) {
          others.computeIfAbsent(other, number -> new HashSet<>()).add(hashes[index]);
        }
      }
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
}
